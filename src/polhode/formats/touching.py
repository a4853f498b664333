"""What robot files say of touching and sticking: shapes that collide, dry friction in joints, limits as stops.

Two shapes may touch as in MuJoCo: they are on bodies that are not welded to each other, nor parent and child unless the
parent stands still, and the type of one fits the affinity of the other. The coefficient of friction is the larger one,
or that of the higher priority. By default one of the two stands still; `contacts="all"` takes in shapes of a robot that
touch each other. A file without a plane gets the floor z = 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, Problem, collecting, shown
from ..model import Shape, System
from ..model.constraints.pairs import KINDS, PAIRS
from ..model.records import GROUND

if TYPE_CHECKING:
    from .findings import JointFacts, Report

Contacts = bool | str | Mapping[str, Any]
_LAWS = ("friction", "static", "stribeck", "restitution")
#: The coefficient of friction where a file has none, as in SDF.
_USUAL = Fraction(1)


@dataclass(frozen=True)
class Geom:
    """A shape of a body that may touch others, with its laws; those with None are not stated."""

    name: str
    body: str
    shape: Shape
    friction: Fraction | None = None
    restitution: Fraction | None = None
    contype: int = 1
    conaffinity: int = 1
    priority: int = 0

    def fits(self, other: Geom) -> bool:
        """Whether the types of two shapes allow them to touch."""
        return bool(self.contype & other.conaffinity or other.contype & self.conaffinity)


@dataclass(frozen=True)
class Touching:
    """The shapes of a file that may touch, pairs that do, by their numbers and friction, and bodies that do not."""

    geoms: tuple[Geom, ...] = ()
    pairs: tuple[tuple[int, int, Fraction], ...] = ()
    excludes: frozenset[frozenset[str]] = field(default_factory=frozenset)


def touch(system: System, report: Report, touching: Touching, contacts: Contacts, stops: Any, friction: bool) -> Report:
    """Add contacts, stops and dry friction to a system that was read; the report with what was not added."""
    said: list[str] = []
    if friction:
        _add_friction(system, report.joints)
    elif any(each.friction for each in report.joints):
        said.append("dry friction is recorded but does not act.")
    if stops is not None:
        for joint in system.joints.values():
            if any(each.are_given for each in joint.limits):
                system._stop_at_limits(joint, stops)
    if contacts is not False:
        with collecting() as warned:
            said += _add_contacts(system, touching, *_options(contacts))
        said += [f"{message} ({count} contacts)" for message, count in Counter(each.message for each in warned).items()]
    found = tuple(Problem(each, report.file, "", "N-ROBOT-UNSUPPORTED") for each in said)
    return replace(report, notices=(*report.notices, *found)) if found else report


def _options(contacts: Contacts) -> tuple[bool, dict[str, Any]]:
    """Whether all shapes touch each other, and the laws that are given."""
    laws = dict(contacts) if isinstance(contacts, Mapping) else {}
    every = bool(laws.pop("all", False)) or contacts == "all"
    if not (every or contacts is True or isinstance(contacts, Mapping)) or not laws.keys() <= {*_LAWS}:
        cure = f'Give True, "all", or a mapping with {", ".join(_LAWS)} or all.'
        raise PolhodeError(f"contacts={shown(contacts)} is not a choice.", cure=cure, code="E-ROBOT-NAME")
    return every, laws


def _add_friction(system: System, facts: Iterable[JointFacts]) -> None:
    for each in facts:
        joint = system.model().joints.get(each.name)
        if joint is not None and each.friction:
            for index in range(len(joint.u)):
                system.friction(joint, abs(each.friction), index=index)


def _add_contacts(system: System, touching: Touching, every: bool, laws: Mapping[str, Any]) -> list[str]:
    """Add surfaces and contacts; return sentences on what was left out."""
    lacking: Counter[str] = Counter()
    geoms = list(touching.geoms)
    rigid, parents = _rigid(system)
    if not any(each.shape.kind == "plane" for each in geoms):
        geoms.append(Geom("floor", GROUND, Shape.plane(), contype=-1, conaffinity=-1))
    chosen = {frozenset((i, j)): mu for i, j, mu in touching.pairs}
    for i, j in combinations(range(len(geoms)), 2):
        a, b = (rigid[geoms[k].body] for k in (i, j))
        still = rigid[GROUND] in (a, b)
        apart = a != b and frozenset((geoms[i].body, geoms[j].body)) not in touching.excludes
        related = (parents.get(a) == b or parents.get(b) == a) and not still
        if apart and not related and (still or every) and geoms[i].fits(geoms[j]):
            chosen.setdefault(frozenset((i, j)), _shared(geoms[i], geoms[j], "friction", _USUAL))
    surfaces: dict[int, Any] = {}
    for pair, mu in chosen.items():
        i, j = sorted(pair, key=lambda k: (rigid[geoms[k].body] == rigid[GROUND], k))  # what stands still is second
        kinds = geoms[i].shape.kind, geoms[j].shape.kind
        if not any(b in PAIRS.get(a, ()) for a, b in (kinds, kinds[::-1])):
            lacking[" and ".join(sorted(kinds))] += 1
            continue
        for k in (i, j):
            if k not in surfaces:
                taken = {*system.surfaces, *system.bodies, *system.frames}
                name = geoms[k].name if geoms[k].name not in taken else _free_name(f"{geoms[k].name} surface", taken)
                surfaces[k] = system.surface(name, geoms[k].body, geoms[k].shape)
        bounce = _shared(geoms[i], geoms[j], "restitution", Fraction(0))
        name = _free_name(f"{surfaces[i].name} on {surfaces[j].name}", {*system.contacts, *system.constraints})
        system.contact(name, surfaces[i], surfaces[j], **{"friction": mu, "restitution": bounce, **laws})
    made = [f"contacts of a {pair} are not modelled ({count} pairs)." for pair, count in lacking.items()]
    if any("mesh" in pair for pair in lacking):
        made.append("meshes do not touch: put shapes of the kinds " + ", ".join(KINDS) + " in their place.")
    return made


def _free_name(wanted: str, taken: Container[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted


def _shared(a: Geom, b: Geom, law: str, usual: Fraction) -> Fraction:
    """The coefficient of two shapes: that of the higher priority, else the larger one."""
    first, second = sorted((a, b), key=lambda each: -each.priority)
    given = [getattr(each, law) for each in ((first,) if first.priority > second.priority else (a, b))]
    return max((value for value in given if value is not None), default=usual)


def _rigid(system: System) -> tuple[dict[str, str], dict[str, str]]:
    """For each body the first of those welded to it, and for each such first body the one that carries it."""
    joints = system.model().joints.values()
    carried = {joint.child: joint for joint in joints}
    first: dict[str, str] = {}
    for name in system.model().bodies:
        at = name
        while at in carried and not carried[at].q:
            at = carried[at].parent
        first[name] = at
    return first, {at: first[carried[at].parent] for at in set(first.values()) if at in carried}
