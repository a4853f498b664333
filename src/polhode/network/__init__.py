"""The network model of a mechanism: bodies as components with ports, joined by a linear graph."""
