"""What robot files say of touching and sticking: shapes that collide, dry friction in joints, limits as stops.

Two shapes may touch as in MuJoCo: they are on bodies that are not welded to each other, nor parent and child unless
the parent stands still, and the type of one fits the affinity of the other. Links that share a joint never touch. The
coefficient of friction is the larger one, or that of the higher priority; none if neither has more than the dimension
1. By default one of the two stands still; `contacts="all"` takes in shapes of a robot that touch each other. A file
without a plane or a field of heights gets the floor z = 0. Meshes touch by their convex hulls, simplified where they
have more vertices than `contacts={"vertices": 32}` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import ModelError, PolhodeError, Problem, collecting, shown, whole_number
from ..expr import as_expr
from ..geometry.polytope import convex_hull
from ..model import Shape, System
from ..model.constraints.contact import Contact
from ..model.constraints.pairs import PAIRS
from ..model.equipment import ContactPair, Geom
from ..model.reading import flag_of
from ..model.records import GROUND
from ..registry import registered
from .findings import JointFacts, Report, counted
from .robot_file.assembly import free_name

Contacts = bool | str | Mapping[str, Any]
_LAWS = ("friction", "static", "stribeck", "restitution", "stiffness", "damping", "exponent", "law", "bristle",
         "transition_speed")  # fmt: skip
#: So many vertices the hull of a mesh has at most, unless another number is given.
_VERTICES = 32
#: Where what SDF says of a surface and is not read concerns contacts.
_LAWS_OF_SDF = ("in <surface>", "in <friction>", "in <bounce>", "in <ode>")
#: The floor of a file without a plane: it fits every shape, whose friction is that of the contact.
_ALL = as_expr(-1)
_FLOOR = Geom(name="floor", body=GROUND, shape="plane", friction=(as_expr(0),) * 3, dimension=as_expr(1), contype=_ALL,
              conaffinity=_ALL)  # fmt: skip
#: What MuJoCo has by itself of the compliance of contacts.
_SOFTNESS = {"solref": (0.02, 1), "solimp": (0.9, 0.95, 0.001, 0.5, 2), "margin": 0, "gap": 0}


def touch(system: System, report: Report, contacts: Contacts, stops: Any, friction: bool, links: bool = True) -> Report:
    """Add contacts, stops and dry friction to a system from a file; the report lists those not added.

    Of `links`, as URDF and SDF have them, those that share a joint do not touch even if one stands still.
    """
    left_out: list[str] = []
    doubts = [
        Problem(f"its friction {float(damped.friction):g} is negative, and left out.",
                f"{report.file}: joint '{damped.name}'", "Give a friction ≥ 0.", "W-ROBOT-NUMBER")
        for damped in report.joints if damped.friction is not None and damped.friction < 0
    ]  # fmt: skip
    if flag_of(friction, "friction", "load"):
        _add_friction(system, report.joints)
    elif any(facts.friction for facts in report.joints):
        left_out.append("dry friction is recorded but does not act.")
    if stops is not None:
        for joint in system.joints.values():
            if any(limit.are_given for limit in joint.limits):
                system._stop_at_limits(joint, stops)
        cones = [facts.name for facts in report.joints if facts.kind == "spherical" and facts.upper is not None]
        left_out += [f"the range of the ball joint '{name}' has no stop." for name in cones]
    if contacts is not False:
        with collecting() as warned:
            lacking = _add_contacts(system, links, *_options(contacts))
        doubts += [Problem(sentence, report.file, "", "W-ROBOT-UNSUPPORTED") for sentence in lacking]
        left_out += [
            f"{message} ({counted(count, 'contact')})" for message, count in Counter(w.message for w in warned).items()
        ]
    notices = tuple(Problem(sentence, report.file, "", "N-ROBOT-UNSUPPORTED") for sentence in left_out)
    warnings = [
        replace(warning, code="W-ROBOT-UNSUPPORTED")
        if contacts is not False and warning.place.endswith(_LAWS_OF_SDF)
        else warning
        for warning in report.warnings
    ]
    return replace(report, notices=(*report.notices, *notices), warnings=(*warnings, *doubts))


def _options(contacts: Contacts) -> tuple[bool, int, dict[str, Any]]:
    """Whether all shapes touch each other, how many vertices hulls of meshes have, and the laws that are given."""
    laws = dict(contacts) if isinstance(contacts, Mapping) else {}
    every = bool(laws.pop("all", False)) or contacts == "all"
    words = "a number of vertices, at least 4"
    vertices = whole_number(laws.pop("vertices", _VERTICES), words, least=4, place="contacts")
    if not (every or contacts is True or isinstance(contacts, Mapping)) or not laws.keys() <= {*_LAWS}:
        cure = f'Give True, "all", or a mapping with {", ".join(_LAWS)}, vertices or all.'
        raise PolhodeError(f"contacts={shown(contacts)} is not a choice.", cure=cure, code="E-ROBOT-NAME")
    return every, vertices, laws


def _add_friction(system: System, facts: Iterable[JointFacts]) -> None:
    for fact in facts:
        joint = system.model().joints.get(fact.name)
        if joint is not None and fact.friction and fact.friction > 0:
            for index in range(len(joint.u)):
                system.friction(joint, fact.friction, index=index)


def _add_contacts(system: System, links: bool, every: bool, vertices: int, laws: Mapping[str, Any]) -> list[str]:
    """Add surfaces and contacts of the recorded geoms; return sentences on those left out."""
    lacking: Counter[str] = Counter()
    records = {table: system.equipment.get(table, {}) for table in ("geoms", "pairs", "excludes")}
    geoms: list[Geom] = [*records["geoms"].values()]
    excluded = {frozenset(record.bodies) for record in records["excludes"].values()}
    rigid, parents = _rigid(system)
    if not any(g.shape in ("plane", "hfield") for g in geoms):
        geoms.append(_FLOOR)
    number = {g.name: k for k, g in enumerate(geoms)}
    chosen: dict[frozenset[int], Sequence[Geom | ContactPair]] = {
        frozenset(number[name] for name in pair.geoms): (pair,) for pair in records["pairs"].values()
    }

    def joined(a: Geom, b: Geom) -> bool:
        """Whether a joint carries the body of b on that of a, and its parent may not touch what it carries."""
        parent = parents.get(rigid[b.body], GROUND)
        moves = rigid[parent] != rigid[GROUND] and rigid[parent] == rigid[a.body]
        return moves or (links and GROUND != parent == a.body)

    for i, j in combinations(range(len(geoms)), 2):
        a, b = (rigid[geoms[k].body] for k in (i, j))
        still = rigid[GROUND] in (a, b)
        apart = a != b and frozenset((geoms[i].body, geoms[j].body)) not in excluded
        related = joined(geoms[i], geoms[j]) or joined(geoms[j], geoms[i])
        if apart and not related and (still or every) and _fit(geoms[i], geoms[j]):
            chosen.setdefault(frozenset((i, j)), _deciding(geoms[i], geoms[j]))
    surfaces: dict[int, Any] = {}
    notes: dict[str, None] = {}
    moving: Any = None  # of the bodies; surfaces change nothing in it
    left_out: Counter[str] = Counter()
    for pair, deciding in chosen.items():
        i, j = sorted(pair, key=lambda k: (rigid[geoms[k].body] == rigid[GROUND], k))  # what stands still is second
        kinds = tuple("hull" if geoms[k].shape == "mesh" else geoms[k].shape for k in (i, j))
        if not any(b in PAIRS.get(a, ()) for a, b in (kinds, kinds[::-1])):
            lacking[" and ".join(sorted(kinds))] += 1
            continue
        for k in (i, j):
            if k not in surfaces:
                geom, taken = geoms[k], {*system.surfaces, *system.bodies, *system.frames}
                name = geom.name if geom.name not in taken else free_name(f"{geom.name} surface", taken)
                shape = _touching(geom, vertices, notes)
                surfaces[k] = shape and system.surface(name, geom.body, shape)
        if not (surfaces[i] and surfaces[j]):
            continue
        slides = any(float(each.dimension) > 1 for each in deciding)
        mu = max((each.friction[0] for each in deciding), key=float) if slides else as_expr(0)
        bounce = max((g.restitution for g in _deciding(geoms[i], geoms[j])), key=float)
        taken = {*system.contacts, *system.constraints, *(load.name for load in system.loads)}
        name = free_name(f"{surfaces[i].name} on {surfaces[j].name}", taken)
        given = {"friction": mu} if "stiffness" in laws else {"friction": mu, "restitution": bounce}
        try:
            if surfaces[j].kind == "plane":
                moving = moving or registered("Model.moving")(system.model())
                Contact(name=name, a=surfaces[i], b=surfaces[j]).groups(moving)
            system.contact(name, surfaces[i], surfaces[j], **{**given, **laws})
            left_out.update({*_not_modelled(deciding)})
        except ModelError as error:
            cures = {"E-MODEL-SIZE": ' Give contacts={"vertices": 10}.', "E-CONSTRAINT-SINGULAR": ""}
            if error.problems[0].code not in cures:
                raise
            cure = cures[error.problems[0].code]
            notes[f"'{name}' is left out: {error.problems[0].message}{cure}"] = None
    sentences = [
        f"contacts of a {pair} are not modelled ({counted(count, 'pair')})." for pair, count in lacking.items()
    ]
    return [
        *notes,
        *sentences,
        *(f"{what} of contacts is left out ({counted(n, 'contact')})." for what, n in left_out.items()),
    ]


def _touching(geom: Geom, vertices: int, notes: dict[str, None]) -> Shape | None:
    """The shape of a geom; of a mesh its convex hull, None where it cannot be read, with a sentence."""
    seat: dict[str, Any] = {"at": tuple(geom.at), "rotation": geom.rotation}
    if geom.shape != "mesh":
        size = [d / 2 for d in geom.size] if geom.shape == "ellipsoid" else geom.size  # half axes
        return Shape(geom.shape, tuple(size), **seat)
    try:
        points = [geom.points[k : k + 3] for k in range(0, len(geom.points), 3)]
        full_hull = Shape.hull(points) if points else Shape.mesh(geom.file, geom.size or 1, hull=True)
    except PolhodeError as error:
        notes[f"the mesh of '{geom.name}' does not touch: {error.problems[0].message}"] = None
        return None
    corners = np.array(full_hull.size, dtype=float).reshape(-1, 3)
    if len(corners) <= vertices:
        return replace(full_hull, **seat)
    hull = Shape.hull(corners, vertices)
    lost = convex_hull(tuple(map(tuple, np.array(hull.size, dtype=float).reshape(-1, 3).tolist()))).beyond(corners)
    notes[f"the hull of '{geom.name}' has {vertices} of {len(corners)} vertices, which cuts off {lost:.2g} m."] = None
    return replace(hull, **seat)


def _fit(a: Geom, b: Geom) -> bool:
    """Whether the types and affinities of two geoms allow them to touch."""
    types, affinities = zip(*((int(float(g.contype)), int(float(g.conaffinity))) for g in (a, b)), strict=True)
    return bool(types[0] & affinities[1] or types[1] & affinities[0])


def _deciding(a: Geom, b: Geom) -> Sequence[Geom]:
    """The geoms whose laws hold between two: that of the higher priority, else both."""
    first, second = sorted((a, b), key=lambda g: -float(g.priority))
    return (first,) if float(first.priority) > float(second.priority) else (a, b)


def _not_modelled(deciding: Iterable[Geom | ContactPair]) -> Iterator[str]:
    """What MuJoCo's contacts have beyond a friction and a restitution."""
    for each in deciding:
        axes = len(each.friction) // 2  # a geom has one coefficient of sliding and of rolling, a pair two
        slide, (spin, *roll) = [*map(float, each.friction[:axes])], map(float, each.friction[axes:])
        dimension = float(each.dimension)
        if dimension > 1 and len({*slide}) > 1:
            yield "friction that differs between two axes (the first is taken)"
        if dimension > 3 and spin:
            yield "torsional friction"
        if dimension > 4 and any(roll):
            yield "rolling friction"
        for key, usual in _SOFTNESS.items():
            given = getattr(each, key)
            if (tuple(map(float, given)) if isinstance(given, tuple) else float(given)) != usual:
                yield key


def _rigid(system: System) -> tuple[dict[str, str], dict[str, str]]:
    """For each body the first of those welded to it, and for each such first body the parent of its joint."""
    joints = system.model().joints.values()
    carried = {joint.child: joint for joint in joints}
    first: dict[str, str] = {}
    for name in system.model().bodies:
        at = name
        while at in carried and not carried[at].q:
            at = carried[at].parent
        first[name] = at
    return first, {at: carried[at].parent for at in set(first.values()) if at in carried}
