"""Denavit–Hartenberg tables: a serial arm from four numbers a joint.

    classic    A_i = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha)    the frame sits at the link's far end
    modified   A_i = Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d)    the frame sits at the link's near end

The joint's coordinate is added to theta (revolute) or to d (prismatic). J. Denavit and R. S. Hartenberg, J. Applied
Mechanics 22 (1955); the modified form is J. J. Craig's, Introduction to Robotics, section 3.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from ..errors import FormatError, PolhodeError, shown, understood, unknown
from ..expr import Expr, as_expr, cos, sin
from ..geometry.rotations.exact import nearest_angle
from ..model import Fixed, JointType, Prismatic, Revolute, System
from ..model.reading import list_of

CONVENTIONS = ("classic", "modified")
_TYPES = {"revolute": Revolute, "prismatic": Prismatic, "fixed": None}
_SNAP = Fraction("1e-9")


@dataclass(frozen=True)
class Row:
    """A line of a table: the next frame, its joint, mass, and mass centre and central inertia in the link's axes."""

    theta: Any = 0
    d: Any = 0
    a: Any = 0
    alpha: Any = 0
    joint: str = "revolute"
    mass: Any = 0
    com: Sequence[Any] = (0, 0, 0)
    inertia: Any = 0
    name: str = ""


def from_dh(
    rows: Iterable[Row | Mapping[str, Any] | Sequence[Any]],
    convention: str = "classic",
    *,
    name: str = "arm",
    gravity: Iterable[Any] = (0, 0, "-9.81"),
    system: System | None = None,
    check: bool = True,
) -> System:
    """The serial arm of a table of `rows`, in a `convention`, "classic" or "modified"; bodies are link1, link2, …,
    coordinates q1, q2, …, speeds u1, u2, ….

    A row is a `Row`, a mapping of its fields, or a sequence (theta, d, a, alpha, joint, …). Numbers may be symbols; an
    angle within 1e-9 of a multiple of π/2 is taken to be exactly that. Give a `system` to use its
    parameters; `name` and `gravity` are those of a new one. Inertias that no body can have are refused, unless
    `check=False`: published tables, such as that of the PUMA 560, hold some.

    >>> import polhode as ph
    >>> arm = from_dh([(0, 0, 1, 0), (0, 0, 1, 0)])
    >>> arm.derive().pose("link2").p[0] == ph.cos(ph.symbol("q1", "coordinate")) + ph.cos(
    ...     ph.symbol("q1", "coordinate") + ph.symbol("q2", "coordinate"))
    True
    """
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS, code="E-ROBOT-NAME")
    arm = System(name, gravity) if system is None else system
    if not isinstance(arm, System):
        raise PolhodeError(f"{shown(arm)} is not a System.", cure="Give one, or leave it out.", code="E-CALL-TYPE")
    parent = arm.ground
    for number, entry in enumerate(list_of(rows, "a table", "Denavit–Hartenberg table"), start=1):
        row = _row(entry, number)
        label = f"link{number}" if isinstance(row.name, str) and not row.name else row.name
        body = arm.body(label, row.mass, row.com, row.inertia, check=check)
        kind = _joint_type(row, number)
        names = ([f"q{number}"], [f"u{number}"]) if kind.speeds else ([], [])
        arm.joint(
            f"joint{number}",
            parent,
            body,
            kind,
            **(_classic(row, number) if convention == "classic" else _modified(row, number)),
            coordinates=names[0],
            speeds=names[1],
        )
        parent = body
    return arm


def _row(entry: Row | Mapping[str, Any] | Sequence[Any], place: int) -> Row:
    if isinstance(entry, Row):
        return entry
    columns = [field.name for field in fields(Row)]
    if isinstance(entry, Mapping):
        for key in entry:
            if key not in columns:
                raise unknown("column", key, columns, place=f"row {place}", code="E-ROBOT-NAME", error=FormatError)
        return Row(**entry)
    with understood("a row", entry, place=f"row {place}", cure=f"Write ({', '.join(columns)})."):
        count = len(entry)
    if isinstance(entry, str) or not 4 <= count <= len(columns):
        cure = f"Write ({', '.join(columns)}); what follows alpha may be left out."
        raise FormatError(f"a row has 4 to {len(columns)} entries.", f"row {place}", cure, "E-ROBOT-SHAPE")
    return Row(*entry)


def _joint_type(row: Row, place: int) -> JointType:
    if not isinstance(row.joint, str) or row.joint not in _TYPES:
        raise unknown("joint", row.joint, _TYPES, place=f"row {place}", code="E-ROBOT-NAME", error=FormatError)
    result = _TYPES[row.joint]
    return Fixed() if result is None else result("z")


def _number(value: Any, what: str, place: int) -> Expr:
    try:
        return as_expr(value)
    except PolhodeError:
        message = f"{what} = {shown(value)} is not a number or an expression."
        cure = "Give a number, or an expression of parameters."
        raise FormatError(message, place=f"row {place}", cure=cure, code="E-ROBOT-NUMBER") from None


def _angle(value: Any, what: str, place: int) -> Expr:
    angle = _number(value, what, place)
    return nearest_angle(Fraction(angle.data), _SNAP)[0] if angle.is_number else angle


def _classic(row: Row, place: int) -> dict[str, Any]:
    """Rot_z(theta) Trans_z(d) commute with the joint and precede it; Trans_x(a) Rot_x(alpha) follow it."""
    theta, alpha = _angle(row.theta, "theta", place), _angle(row.alpha, "alpha", place)
    return {
        "at": (0, 0, _number(row.d, "d", place)),
        "rotation": [("z", theta)],
        "child_at": (-_number(row.a, "a", place), 0, 0),
        "child_rotation": [("x", -alpha)],
    }


def _modified(row: Row, place: int) -> dict[str, Any]:
    """All four motions precede the joint."""
    theta, alpha = _angle(row.theta, "theta", place), _angle(row.alpha, "alpha", place)
    d = _number(row.d, "d", place)
    return {
        "at": (_number(row.a, "a", place), -d * sin(alpha), d * cos(alpha)),
        "rotation": [("x", alpha), ("z", theta)],
    }
