"""Joint kinematics and sweeps over the tree; nothing here knows a force."""

from .tree import Tree, build_tree

__all__ = ["Tree", "build_tree"]
__dir__ = __all__.copy
