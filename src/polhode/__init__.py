"""polhode: from a described mechanism to exact equations, native code and a simulated motion.

>>> import polhode as ph
>>> system = ph.System("pendulum")
>>> bob = system.body("bob", mass=1, com=(0, 0, -1))
>>> hinge = system.joint("hinge", system.ground, bob, ph.Revolute("y"))
>>> system.derive().mass_matrix
Matrix([[1]])
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from .equations import Equations
from .errors import PolhodeError
from .expr import (
    Expr,
    Function,
    Matrix,
    Vector,
    from_sympy,
    function,
    latex,
    normal,
    pi,
    symbol,
    symbols,
    table,
    to_sympy,
    unit_symbols,
)
from .expr.exact import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)  # fmt: skip
from .geometry import rotation
from .model import (
    Body,
    Compound,
    Cylindrical,
    Fixed,
    Frame,
    Free,
    Joint,
    JointMap,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Shape,
    Spherical,
    System,
    Universal,
    box,
    cylinder,
    disc,
    rod,
    sphere,
)
from .model.random_system import random_system

__version__ = "0.1.0"


def load(path: str | PathLike[str], **options: Any) -> System:
    """A mechanism from a file: YAML or JSON model files, URDF robot files.

    >>> load("models/pendulum.yaml").name  # doctest: +SKIP
    'pendulum'
    """
    from .formats import load as read

    return read(path, **options)


__all__ = [
    "Body", "Compound", "Cylindrical", "Equations", "Expr", "Fixed", "Frame", "Free", "Function", "Joint", "JointMap",
    "Matrix", "Planar", "PolhodeError", "Prismatic", "Revolute", "Screw", "Shape", "Spherical", "System",
    "Universal", "Vector", "absolute", "acos", "asin", "atan", "atan2", "box", "cos", "cosh", "cylinder", "disc",
    "exp", "from_sympy", "function", "latex", "load", "log", "maximum", "minimum", "normal", "pi", "random_system",
    "rod", "rotation", "sign", "sin", "sinh", "sphere", "sqrt", "symbol", "symbols", "table", "tan", "tanh", "to_sympy",
    "unit_symbols",
]  # fmt: skip
