"""Trajectories: what a run leaves, values along it, its files, energies, reactions and comparisons."""
