"""What belongs to one of the five papers alone: its tables, drawings, proofs and samples, a folder each.

The formalisms themselves are registered in `polhode.formalisms`, and what serves everyone lies in the other rooms. The
docstring of each folder maps the paper's sections and equations to calls; docs/papers/ is made from these.
"""
