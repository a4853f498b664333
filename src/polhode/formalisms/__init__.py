"""Formalisms: one file a method, each a function from a model to its equations of motion.

`registry` lists them, `derivation` says what is derived and how, `deriving` does it. Nothing is loaded at import.
"""
