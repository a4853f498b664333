"""The public surface: which names there are, on which page of the reference each stands, and what methods they have.

The tests of docstrings and of keywords read it too.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import polhode


@dataclass(frozen=True)
class Page:
    """A page: the names of `import polhode` from some rooms, or classes by their paths."""

    stem: str
    title: str
    lead: str
    rooms: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """The paths of what is on the page."""
        own = [f"polhode.{name}" for name in all_names() if room_page(room_of(name)) is self and name not in ALONE]
        return [*self.paths, *own]


#: Classes of `import polhode` that have a page of their own.
ALONE = ("System", "Equations")
SIMULATE, COMPILED = "polhode.simulate", "polhode.compiled"

PAGES = (
    Page("system", "System", "What a user writes: bodies, joints, loads, constraints.", paths=("polhode.System",)),
    Page("equations", "Equations", "What ``System.derive`` gives.", paths=("polhode.Equations",)),
    Page("functions", "Functions", "What ``Equations.compile`` gives.", paths=(f"{COMPILED}.functions.Functions",)),
    Page(
        "runs", "Runs", "What ``Equations.simulate``, ``sweep``, ``sensitivities``, ``gradient`` and ``stepper`` give.",
        paths=(
            f"{SIMULATE}.trajectory.trajectory.Trajectory", f"{SIMULATE}.batch.batch.Batch",
            f"{SIMULATE}.sweep.results.Sweep", f"{SIMULATE}.gradients.sensitivities.Sensitivities",
            f"{SIMULATE}.gradients.sensitivities.Gradient", f"{SIMULATE}.stepper.Stepper",
            f"{SIMULATE}.trajectory.power_audit.PowerAudit", f"{SIMULATE}.constraints.assembly.Assembly",
        ), rooms=("polhode.simulate",),
    ),
    Page(
        "analysis", "Analysis", "What the methods of ``Equations`` that ask questions give.",
        paths=(
            "polhode.linear.linear.Linear", "polhode.linear.linear_along.LinearAlong",
            "polhode.equilibria.equilibrium.Equilibrium", "polhode.identification.fit.Fit",
        ), rooms=("polhode.compare", "polhode.papers"),
    ),
    Page(
        "control", "Control",
        "Controllers and observers, and the problems and solutions of ``Equations.collocation``.",
        paths=(
            *(f"polhode.control.{name}" for name in polhode.control.__all__),
            *(f"polhode.optimize.{path}" for path in ("problem.Collocation", "solution.Solution")),
            f"{SIMULATE}.control.under_control.ControllerLog",
        ),
    ),
    Page("files", "Readers", "From files to a ``System``.", rooms=("polhode.formats", "polhode")),
    Page("joints", "Joints", "Types of joints.", rooms=("polhode.model.joints",)),
    Page("bodies", "Bodies, frames, shapes", "Records of a model, and inertias.", rooms=("polhode.model",),
         paths=("polhode.model.flexible.mounting.FlexibleBody",)),
    Page("vectors", "Vectors without bases", "Arrows, dyadics and points.", rooms=("polhode.kinematics",)),
    Page("expressions", "Expressions", "Exact symbols and functions.", rooms=("polhode.expr", "polhode.errors")),
    Page("geometry", "Rotations, poses, screws", "Rigid motions in all their forms.", rooms=("polhode.geometry",)),
    Page("planning", "Planning", "Motions through given orientations and poses.", rooms=("polhode.planning",)),
    Page("quantities", "Quantities to compile", "What ``Functions.evaluate`` and ``export`` take besides names.",
         rooms=("polhode.compiled", "polhode.inverse_kinematics")),
    Page("notebooks", "Notebooks and reports", "What cells and pages show.", rooms=("polhode.surface",)),
)  # fmt: skip


def all_names() -> list[str]:
    """What `import polhode` offers."""
    names = [name for name in polhode.__getattr__("__all__") if not inspect.ismodule(getattr(polhode, name))]
    return sorted(names, key=lambda name: (not isinstance(getattr(polhode, name), type), name))


def room_of(name: str) -> str:
    """The module that a public name comes from."""
    thing = getattr(polhode, name)
    return str(getattr(thing, "__module__", None) or type(thing).__module__)


@cache
def room_page(module: str) -> Page:
    """The page of a room: that which names it most closely."""
    fits = [
        (len(room), k) for k, page in enumerate(PAGES) for room in page.rooms if f"{module}.".startswith(f"{room}.")
    ]
    return PAGES[max(fits)[1]]


def thing_at(path: str) -> Any:
    """What a path leads to."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def is_polhodes(base: type) -> bool:
    return base.__module__.partition(".")[0] == "polhode"


def bases_left_out(owner: type) -> str:
    """Bases of other libraries, whose members are not told."""
    return ", ".join(base.__name__ for base in owner.__mro__ if not is_polhodes(base))


def doc_of(owner: type, name: str) -> str:
    """A member's docstring, its own or that of the nearest base that has one."""
    told = (inspect.getdoc(vars(base)[name]) for base in owner.__mro__ if name in vars(base))
    return next(filter(None, told), "")


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class, its own and inherited from polhode."""
    for name in sorted({name for base in owner.__mro__ if is_polhodes(base) for name in vars(base)}):
        held = inspect.getattr_static(owner, name)
        if name.startswith("_") or inspect.isclass(held):
            continue
        if isinstance(held, classmethod | staticmethod):
            held = held.__func__
        if inspect.isfunction(held) or isinstance(held, property | cached_property):
            yield name, held
