"""The documentation site: documents, recipes, a gallery of the examples and a reference, built without a network.

    python -m docs.website

Documents are read as they stand in docs/, where a forge shows them too; what only the site needs is made on the way,
into build/site: links to examples and to source files, a gallery with moving pictures, a page for each public name.
"""
