"""The names that `import polhode` offers, gathered from their rooms; loaded when the first of them is used."""

from __future__ import annotations

from ..compiled.quantities import (
    BiasAccelerationOf,
    DrivingForceOf,
    FrameAccelerationOf,
    FrameVelocityOf,
    JacobianOf,
    JointPoseOf,
    PoseOf,
    ReactionOf,
)
from ..errors import PolhodeError
from ..expr import (
    Equation,
    Expr,
    Function,
    Matrix,
    Vector,
    equation,
    from_sympy,
    function,
    latex,
    normal,
    pi,
    sampled,
    symbol,
    symbols,
    table,
    to_sympy,
    unit_symbols,
)
from ..expr.exact import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    floor,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)  # fmt: skip
from ..geometry import Pose, rotation
from ..inverse_kinematics.quantities import ClosedFormOf, PoseStepOf
from ..kinematics.joint_kinematics import JointKinematics, joint_kinematics
from ..kinematics.vectors import Arrow, Dyadic, Point, basis
from ..model import (
    Body,
    BuildingBlock,
    Compound,
    Cylindrical,
    Fixed,
    Frame,
    Free,
    Joint,
    JointMap,
    Node,
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
from .equations import Equations
from .lagrangian import lagrangian

__all__ = [
    "Arrow", "BiasAccelerationOf", "Body", "BuildingBlock", "ClosedFormOf",
    "Compound", "Cylindrical", "DrivingForceOf", "Dyadic",
    "Equation", "Equations", "Expr", "Fixed", "Frame", "FrameAccelerationOf", "FrameVelocityOf", "Free", "Function",
    "JacobianOf",
    "Joint", "JointKinematics", "JointMap", "JointPoseOf", "Matrix", "Node", "Planar", "Point", "PolhodeError", "Pose",
    "PoseOf", "PoseStepOf",
    "Prismatic", "ReactionOf", "Revolute", "Screw", "Shape", "Spherical", "System", "Universal", "Vector",
    "absolute", "acos", "asin", "atan", "atan2", "basis", "box", "cos", "cosh", "cylinder", "disc", "equation", "exp",
    "floor", "from_sympy", "function", "joint_kinematics", "lagrangian", "latex", "log", "maximum", "minimum", "normal",
    "pi", "rod", "rotation", "sampled", "sign", "sin", "sinh", "sphere", "sqrt", "symbol", "symbols", "table", "tan",
    "tanh", "to_sympy", "unit_symbols", "where",
]  # fmt: skip
