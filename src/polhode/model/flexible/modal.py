"""A flexible body by its shapes: functions over points and bars, mode shapes at nodes, or standard input data.

Points and bars carry the mass, and all moments are exact integrals over them. Where modal masses alone are given, the
modes are taken as those of the free body in its mean axes: they do not move the mass centre, nor turn the body (b_i =
0, G_0i = 0), and G_ii spreads the modal mass over the directions in which the nodes move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ...errors import shown, suggestion, warn
from ...expr import Expr, Matrix, Vector, as_expr, derivative, substitute, symbol
from ..body import check_inertia, inertia_of
from ..reading import list_of, number_of, result_of, vector_of
from .deformation import (
    Deformation,
    Section,
    check_matrix,
    check_positive,
    damping_matrix,
    inertia_of_moments,
    is_list,
    modal_mass,
    no_moments,
    numbers,
    outer,
    refused,
    trace,
    zero,
)  # fmt: skip
from .record import Polynomials, Segment

DEGREE_LIMIT = 24


@dataclass(frozen=True)
class Node:
    """A node: position, displacement and rotation vector of each shape, and lumped mass, in the body's frame."""

    at: Any
    shapes: Any
    turns: Any = ()
    mass: Any = 0


@dataclass(frozen=True, kw_only=True)
class ModalBody:
    """A flexible body by its shapes, `written` as given; stations are at `nodes`, anywhere if shapes are `fields`."""

    name: str
    written: Mapping[str, Any]
    base: Deformation
    nodes: Mapping[str, Section] = field(default_factory=dict)
    fields: tuple[Vector, ...] = ()
    stations: tuple[tuple[str, Any], ...] = ()  # name, node or position

    def with_station(self, at: Any, static: bool) -> tuple[ModalBody, str]:
        """The body with a station at a node, or at a position where its shapes are functions."""
        key, place = str(at), f"flexible body '{self.name}'"
        point = None if isinstance(at, str | int) or not self.fields else vector_of(at, place)
        if point is None and key not in self.nodes:
            raise refused(f"there is no node {shown(at)}.", place, suggestion(key, self.nodes), "E-MODEL-NAME")
        name = f"{self.name} at {key if point is None else '(' + ', '.join(map(str, point)) + ')'}"
        if any(label == name for label, _ in self.stations):
            return self, name
        return replace(self, stations=(*self.stations, (name, key if point is None else point))), name

    def deformation(self) -> Deformation:
        """The deformation of the body."""
        return replace(self.base, stations={name: self._section(key) for name, key in self.stations})

    def _section(self, at: Any) -> Section:
        """A node, or the fields at a point and half of their curls."""
        if isinstance(at, str):
            return self.nodes[at]
        here = dict(zip(PLACE, at, strict=True))
        position, turns = [at], []
        for moved in self.fields:
            slopes = [derivative(list(moved), x) for x in PLACE]  # slopes[k][i] = ∂f_i/∂x_k
            curl = [slopes[(i + 1) % 3][(i + 2) % 3] - slopes[(i + 2) % 3][(i + 1) % 3] for i in range(3)]
            position.append(Vector(substitute(list(moved), here)))
            turns.append(Vector(substitute(curl, here)) / 2)
        return Section(tuple(position), tuple(turns))


#: The symbols that shape functions are written with.
PLACE = tuple(symbol(letter, "position") for letter in "xyz")
_XI = symbol("xi", "position")
_MATERIAL = "Give material=[(mass, at), (mass, start, end), …]: points and bars."

# ---- reading what a user gives -----------------------------------------------------------------------------------


def modal_body_of(values: Mapping[str, Any], name: str, given: Mapping[str, Any]) -> ModalBody:
    """The record of a flexible body from what a user gave, each value checked."""
    place = f"flexible body '{name}'"
    lists = [key for key in ("shapes", "nodes", "data") if given[key]]
    if len(lists) != 1:
        message = "its shapes are missing." if not lists else f"its shapes are given by {' and by '.join(lists)}."
        raise refused(message, place, "Give one of shapes=…, nodes=…, data=….", "E-FLEX-MISSING")
    if lists == ["data"]:
        from .standard_data import read_standard_data

        _refuse(given, ("mass", "com", "inertia", "material", "modal_mass", "stiffness"), "the data file has it", place)
        parts = read_standard_data(name, given["data"])
    elif lists == ["shapes"]:
        _refuse(given, ("mass", "com", "inertia", "modal_mass"), "it follows from the material", place)
        parts = _from_functions(given["shapes"], given["material"], place)
    elif given["modal_mass"] is None:
        _refuse(given, ("mass", "com", "inertia", "material"), "it follows from the masses of the nodes", place)
        parts = _from_masses(given["nodes"], place)
    else:
        _refuse(given, ("material",), "the modal masses determine it", place)
        parts = _from_modal_masses(given, place)
    nodes, fields = parts.pop("nodes", {}), parts.pop("fields", ())
    size = len(parts["first"])
    mass = modal_mass(parts["second"], size - 1)
    if "stiffness" not in parts:
        parts["stiffness"] = _stiffness(given["stiffness"], size - 1, place)
    check_positive("mass", parts["mass"], values, place)
    check_matrix(mass, "modal mass", values, place, definite=True)
    check_matrix(parts["stiffness"], "stiffness", values, place, definite=False)
    if "damping" in parts:
        _refuse(given, ("damping", "rayleigh"), "the data file has it", place)
    parts.setdefault("damping", damping_matrix(parts["stiffness"], mass, *_losses(given, place), values, place))
    still = Section((zero(),) * size, (zero(),) * (size - 1))
    base = Deformation(labels=tuple(str(k) for k in range(1, size)), inboard=still, stations={}, **parts)
    written = {key: value for key, value in given.items() if value is not None} | {"shapes": fields}
    return ModalBody(name=name, written=written, base=base, nodes=nodes, fields=fields)


def _losses(stated: Mapping[str, Any], place: str) -> tuple[list[Expr], list[Expr] | None]:
    """Ratios of damping, and Rayleigh's coefficients."""
    ratios, rayleigh = stated["damping"], stated["rayleigh"]
    zetas = [number_of(ratio, place) for ratio in (ratios if is_list(ratios) else [ratios])]
    return zetas, None if rayleigh is None else numbers(rayleigh, 2, "coefficients", place)


def _refuse(stated: Mapping[str, Any], names: Sequence[str], reason: str, place: str) -> None:
    """Refuse entries without effect."""
    for name in names:
        if stated[name] is not None and stated[name] != 0 and stated[name] != ():
            raise refused(f"{name} is given, and {reason}.", place, f"Leave out {name}.", "E-FLEX-TWICE")


def _stiffness(value: Any, count: int, place: str) -> Matrix:
    """A matrix, or the stiffness of each coordinate."""
    rows = list_of([] if value is None else value, "a stiffness for each shape", place)
    if rows and all(map(is_list, rows)):
        entries = [numbers(row, count, "entries in a row of the stiffness", place) for row in rows]
        if len(entries) == count:
            return Matrix(entries)
    return Matrix.diagonal(numbers(rows, count, "stiffnesses", place)).map(as_expr)


def _from_functions(shapes: Any, material: Any, place: str) -> dict[str, Any]:
    """Moments of shape functions over points (mass, at) and bars (mass, start, end)."""
    functions = list_of(shapes, "a list of shapes", place)
    fields = tuple(vector_of(result_of(function, PLACE, place), place) for function in functions)
    elements = []
    for entry in list_of(material, "points and bars", place):
        mass, *ends = list_of(entry, "(mass, at) or (mass, start, end)", place)
        if not 1 <= len(ends) <= 2:
            raise refused(f"{shown(entry)} is no point or bar.", place, _MATERIAL, "E-FLEX-TYPE")
        start, *rest = (vector_of(end, place) for end in ends)
        path = rest[0] - start if rest else zero()
        at = dict(zip(PLACE, start + path * _XI, strict=True))
        lines = [_coefficients(substitute(list(moved), at), place) for moved in (Vector(PLACE), *fields)]
        elements.append((number_of(mass, place), lines))
    if not elements:
        raise refused("shape functions need the mass that they move.", place, _MATERIAL, "E-FLEX-MISSING")
    return {**_moments(elements), "fields": fields}


def _coefficients(moved: Sequence[Expr], place: str) -> list[Vector]:
    """The coefficients of 1, ξ, ξ², … of a vector that is a polynomial of ξ."""
    result: list[Vector] = []
    now, factor = list(moved), Fraction(1)
    while len(result) <= DEGREE_LIMIT:
        result.append(Vector(substitute(now, {_XI: as_expr(0)})) * factor)
        now = list(derivative(now, _XI))
        if not any(now):
            return result
        factor /= len(result)
    message = f"a shape is no polynomial of x, y, z of a degree up to {DEGREE_LIMIT}."
    raise refused(message, place, "Approximate it by a polynomial, or give its values at nodes.", "E-FLEX-TYPE")


def _from_masses(nodes: Any, place: str) -> dict[str, Any]:
    """Moments of masses lumped at nodes."""
    sections, masses = _sections(nodes, place)
    heavy = {key: number_of(mass, place) for key, mass in masses.items() if mass}
    elements = [(mass, [[at] for at in sections[key].position]) for key, mass in heavy.items()]
    if not elements:
        raise refused("its nodes carry no mass.", place, "Give each Node a mass, or modal_mass=[…].", "E-FLEX-MISSING")
    return {**_moments(elements), "nodes": sections}


def _moments(elements: Sequence[tuple[Expr, list[list[Vector]]]]) -> dict[str, Any]:
    """Rigid data, moments and segments of elements: a mass, and for each amplitude a polynomial along the element."""
    size = len(elements[0][1])
    first = [zero() for _ in range(size)]
    second = no_moments(size)
    for mass, lines in elements:
        for a, left in enumerate(lines):
            for i, u in enumerate(left):
                first[a] = first[a] + u * (mass / (i + 1))
                for b, right in enumerate(lines):
                    for j, v in enumerate(right):
                        if any(u) and any(v):
                            second[a][b] = second[a][b] + outer(u, v) * (mass / (i + j + 1))
    mass = sum((m for m, _ in elements), as_expr(0))
    com = first[0] / mass
    segments = tuple(Segment(Fraction(0), Fraction(1), m, tuple(map(_by_axis, lines))) for m, lines in elements)
    return {
        "mass": mass, "com": com, "inertia": inertia_of_moments(second[0][0], mass, com), "first": tuple(first),
        "second": tuple(map(tuple, second)), "segments": segments,
    }  # fmt: skip


def _by_axis(line: list[Vector]) -> Polynomials:
    """The coefficients of each component."""
    x, y, z = (tuple(coefficient[k] for coefficient in line) for k in range(3))
    return x, y, z


def _from_modal_masses(stated: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Moments of free–free modes from their modal masses."""
    sections, masses = _sections(stated["nodes"], place)
    if any(map(bool, masses.values())):
        raise refused("masses of nodes and modal masses are both given.", place, "Give one of them.", "E-FLEX-TWICE")
    lacking = [key for key in ("mass", "inertia") if stated[key] is None]
    if lacking:
        raise refused(f"its {lacking[0]} is missing.", place, f"Give {lacking[0]}=….", "E-FLEX-MISSING")
    mass, com = number_of(stated["mass"], place), vector_of(stated["com"] or (0, 0, 0), place)
    inertia = inertia_of(stated["inertia"], place)
    check_inertia(inertia, place)
    count = len(next(iter(sections.values())).turns)
    weights = numbers(stated["modal_mass"], count, "modal masses", place)
    second = no_moments(count + 1)
    second[0][0] = moments_of_inertia(inertia) + outer(com, com) * mass
    for i, weight in enumerate(weights, start=1):
        shares = sum((outer(s.position[i], s.position[i]) for s in sections.values()), Matrix.zeros(3, 3)).map(as_expr)
        if not trace(shares):
            raise refused(f"shape {i} moves no node.", place, "Give its values at nodes.", "E-FLEX-NUMBER")
        second[i][i] = shares * (weight / trace(shares))
    message = "its modes are used to the order that modal masses carry: no coupling with the motion of the frame."
    warn(message, place=place, cure="Give the masses of the nodes for all of it.", code="W-FLEX-MISSING")
    rigid = {"mass": mass, "com": com, "inertia": inertia, "nodes": sections}
    return {**rigid, "first": (com * mass, *(zero() for _ in weights)), "second": tuple(map(tuple, second))}


def moments_of_inertia(inertia: Matrix) -> Matrix:
    """∫ r rᵀ dm from the inertia about the same point: ½ tr(J) 1 - J."""
    result: Matrix = Matrix.identity(3) * (trace(inertia) / 2) - inertia
    return result.map(as_expr)


def _sections(nodes: Any, place: str) -> tuple[dict[str, Section], dict[str, Any]]:
    """Sections and masses by the name of a node, all with the same number of shapes."""
    if not isinstance(nodes, Mapping) or not all(isinstance(node, Node) for node in nodes.values()):
        cure = 'Give nodes={"tip": Node(at, shapes, turns, mass), …}.'
        raise refused("the nodes are no mapping from names to Node records.", place, cure, "E-FLEX-TYPE")
    sections: dict[str, Section] = {}
    for key, node in nodes.items():
        where = f"{place} node '{key}'"
        shapes = [vector_of(arrow, where) for arrow in list_of(node.shapes, "a displacement for each shape", where)]
        turns = [vector_of(turn, where) for turn in list_of(node.turns, "a rotation for each shape", where)]
        count = len(next(iter(sections.values())).turns) if sections else len(shapes)
        if len(shapes) != count or len(turns) not in (0, count) or not count:
            message = f"it has {len(shapes)} displacements and {len(turns)} rotations; the body has {count} shapes."
            raise refused(message, where, "Give one of each for each shape, or no rotations.", "E-FLEX-SHAPE")
        sections[str(key)] = Section((vector_of(node.at, where), *shapes), tuple(turns) or (zero(),) * count)
    return sections, {str(key): node.mass for key, node in nodes.items()}
