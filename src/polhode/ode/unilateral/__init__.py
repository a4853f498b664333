"""Unilateral rows: contacts, stops and dry friction as complementarity problems and as modes of a right-hand side."""
