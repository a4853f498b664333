"""What belongs to one of the five papers alone: tables, drawings, proofs and samples, a folder each.

Each paper is a way to the same equations, so what one gives, the others must give too, and `system.compare` holds them
to it. Their formalisms are registered in `polhode.formalisms`, and what serves everyone lies in the other rooms; the
docstring of each folder maps the paper's sections and equations to calls. Below, `system` is a `ph.System`, and
`equations` are what `system.derive` returns. Misprints of the papers, each with its proof, are in docs/errata.md.
"""
