"""Optimal control by direct collocation: the motion and the controls that cost least, as a sparse problem for IPOPT."""
