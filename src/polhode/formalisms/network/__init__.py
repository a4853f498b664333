"""The network model of a mechanism: bodies as components with ports, joined by a linear graph; and its equations.

The graph of a system with its drawings, chains and wired components are in `polhode.papers.tokad`.
"""

from .equations import recipe, row_source

__all__ = ["recipe", "row_source"]
__dir__ = __all__.copy
