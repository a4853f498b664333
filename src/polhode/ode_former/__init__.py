"""Integration of arrays: integrators as native code, compiled once for a machine, for right-hand sides of any size
behind a pointer; and the Python side, which loads and calls them.
"""
