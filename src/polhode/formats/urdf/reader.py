"""`load_urdf` and `read_urdf`: from a robot file to a System, and to a report of what the System does not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path

from ...errors import ModelError, PolhodeError, Problem, path_of, shown, understood
from ...files.mesh_paths import locate_mesh
from ...files.reading import Located
from ...model import System
from ..findings import Findings, MeshFacts, Report, system_alone
from ..markup import Limits, limits_of, parse_xml, read_bytes
from ..numbers import tolerance
from .assemble import Assembly
from .grammar import parse_robot
from .inertia import check_inertials, check_moving_masses
from .joints import Locked, check_limits, check_mimics, lock_joints
from .parts import JointPart, LinkPart
from .topology import check_parents, check_references, find_root, reached_from
from .transmissions import add_motors, parse_transmissions
from .unmodelled import list_unmodelled

_CHOICES = {
    "base": ("fixed", "floating"),
    "mimic": ("couple", "independent", "refuse"),
    "inertia": ("lenient", "strict", "any"),
    "massless": ("refuse", "report"),
}


def read_urdf(
    path: str | PathLike[str],
    *,
    base: str = "fixed",
    symbolic: Sequence[str] = (),
    packages: Mapping[str, str | PathLike[str]] | None = None,
    root: str | None = None,
    dynamics: bool = False,
    mimic: str = "couple",
    locked: Locked = (),
    inertia: str = "lenient",
    massless: str = "refuse",
    snap: float | str = "1e-6",
    limits: Limits | None = None,
    content: bytes | None = None,
) -> tuple[System, Report]:
    """Read a URDF file: the System, and a report of warnings, notices, joint limits and meshes.

    Links become bodies and joints keep their names; a joint of one freedom gives its name to its coordinate.

    - base: "fixed" welds the root link to the ground, "floating" lets it move freely (quaternion and position).
    - symbolic: patterns of numbers that become parameters: "mass:forearm", "com:*", "inertia:*", "length:*", "gravity".
    - packages: folders that `package://name/…` may point into; without them it is looked for in the folders above the
      file. Meshes are opened when they are drawn.
    - root: the root link, if the file has several trees.
    - dynamics: add each joint's damping as a force; dry friction is recorded only.
    - mimic: "couple" a joint that follows another, so that it has no coordinate of its own, make it "independent", or
      "refuse" it.
    - locked: names of joints to weld at zero, or a mapping from names to where (in radians or metres). What is coupled
      to a locked joint is locked with it.
    - inertia: what to do with inertias that no body can have: "strict" refuses them, "lenient" uses them with a
      warning unless a principal moment is negative, "any" uses even those.
    - massless: "refuse" joints that move no mass, or "report" them (the mass matrix is then singular).
    - snap: angles this close to a multiple of π/2, and axes this close to x, y or z, are taken to be exact.
    - limits: of the file's size and nesting.
    - content: what is in the file, if it was read before; the path then only names it.
    """
    _check_choices({"base": base, "mimic": mimic, "inertia": inertia, "massless": massless})
    path = path_of(path)
    findings = Findings(path.name)
    limits = limits_of(limits)
    document = parse_xml(read_bytes(path, limits) if content is None else content, path.name, limits)
    robot = parse_robot(document, findings)
    list_unmodelled(document, findings)
    transmissions = parse_transmissions(document, findings)
    check_references(robot, findings)
    check_parents(robot, findings)
    findings.raise_problems()
    top = find_root(robot, root, findings)
    findings.raise_problems()
    links, joints = reached_from(robot, top, findings)
    joints = lock_joints(joints, locked, mimic != "independent", findings)
    coupled = check_mimics(joints, mimic, findings)
    check_limits(joints, dynamics, findings)
    accepted = check_inertials(links, inertia, findings)
    check_moving_masses(top, links, joints, coupled, massless, findings)
    findings.raise_problems()
    with understood("a mapping from packages to folders", packages, place="packages", cure="Give {'name': folder}."):
        folders = {str(name): Path(folder) for name, folder in dict(packages or {}).items()}
    named = dict.fromkeys(part.filename for link in links for part in link.geometry if part.kind == "mesh")
    places = {filename: locate_mesh(filename, path.parent, folders) for filename in named}
    assembly = Assembly(robot.name, symbolic, tolerance(snap, "E-URDF-062"), findings, places)
    _assemble(assembly, links, joints, coupled, accepted, base, dynamics, findings)
    add_motors(assembly.system, transmissions, joints, findings)
    assembly.numbers.refuse_unused(path.name)
    meshes = mesh_facts(links, places, findings)
    return assembly.system, Report(
        path.name,
        robot.name,
        top,
        notices=tuple(findings.notices),
        warnings=tuple(findings.warnings),
        joints=tuple(joint.facts for joint in joints),
        meshes=meshes,
    )


load_urdf = system_alone(read_urdf)


def _check_choices(given: Mapping[str, str]) -> None:
    for option, value in given.items():
        if not isinstance(value, str) or value not in _CHOICES[option]:
            allowed = " or ".join(repr(choice) for choice in _CHOICES[option])
            raise PolhodeError(f"{option}={shown(value)} is not a choice.", cure=f"Use {allowed}.", code="E-URDF-061")


def _assemble(
    assembly: Assembly,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    coupled: Sequence[JointPart],
    accepted: set[str],
    base: str,
    dynamics: bool,
    findings: Findings,
) -> None:
    """Add all parts; what the model refuses is told with the line it came from."""
    line = links[0].line
    try:
        for link in links:
            line = link.line
            assembly.add_link(link, accepted)
        assembly.add_root(links[0].name, base, [joint.name for joint in joints])
        for joint in joints:
            line = joint.line
            assembly.add_joint(joint, dynamics)
        for joint in coupled:
            line = joint.mimic_line
            assembly.add_coupling(joint)
    except ModelError as error:
        found = [
            Problem(problem.message, findings.place(line, problem.place), problem.cure, problem.code)
            for problem in error.problems
        ]
        raise ModelError(problems=found) from None


def mesh_facts(links: Sequence[LinkPart], places: Mapping[str, Located], findings: Findings) -> tuple[MeshFacts, ...]:
    """The meshes with the files that were found; those that were not are one warning for each reason."""
    made: list[MeshFacts] = []
    lacking: dict[str, list[tuple[int, str]]] = {}
    for link in links:
        for part in link.geometry:
            if part.kind != "mesh":
                continue
            status, found, reason = places[part.filename]
            made.append(
                MeshFacts(
                    link.name,
                    part.role,
                    part.filename,
                    _floats(part.at.xyz),
                    _floats(part.at.rpy),
                    _floats(part.size),
                    str(found) if found else None,
                    status,
                )
            )
            if found is None:
                lacking.setdefault(f"{status}: {reason}", []).append((part.line, part.filename))
    for reason, cases in lacking.items():
        names = ", ".join(dict.fromkeys(name for _, name in cases))
        shown = names if len(names) <= 200 else names[:199] + "…"
        said = f"{len(cases)} {'mesh is' if len(cases) == 1 else 'meshes are'} {reason}: {shown}."
        cure = "They are not drawn; the equations need no mesh. Name folders with packages={…}."
        findings.warn(findings.place(cases[0][0], "<mesh>"), said, cure, "W-URDF-008")
    return tuple(made)


def _floats(values: Sequence[Fraction]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
