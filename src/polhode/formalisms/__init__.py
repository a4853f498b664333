"""Formalisms: one file a method, each a function from a System to its equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib import import_module

from ..equations import Equations, Recipe
from ..errors import PolhodeError
from ..expr import quiet_collector
from ..kinematics.passes import USUAL, VARIANTS, apply, check
from ..kinematics.tree import Tree, build_tree
from ..model.system import System
from . import auto

#: Name of each formalism, which is also its file's; `auto` picks among them.
FORMALISMS = ("poincare", "newton_euler", "composite_body", "articulated_body")

#: The way that inverse dynamics came, kept for what it teaches; slower to derive and longer to run.
HISTORICAL = ("uicker_kahn", "hollerbach_4x4", "hollerbach_3x3", "silver")


def names(historical: bool = False) -> list[str]:
    """The formalisms there are, on request with the historical ones."""
    return [*FORMALISMS, *(HISTORICAL if historical else ())]


def recipe_of(formalism: str) -> Callable[[System, Tree], Recipe]:
    """The function that a formalism's file provides."""
    if formalism not in names(historical=True):
        close = get_close_matches(str(formalism), names(historical=True), n=1)
        raise PolhodeError(
            f"there is no formalism {formalism!r}.",
            cure=f"Did you mean {close[0]!r}?" if close else f"Choose auto, {', '.join(FORMALISMS)}.",
            code="E-DERIVE-001",
        )
    function: Callable[[System, Tree], Recipe] = import_module(f".{formalism}", __name__).recipe
    return function


def usual_passes(formalism: str) -> tuple[str, ...]:
    """The passes that a formalism is derived with where none are named; `auto` tries several."""
    return () if formalism == "poincare" or formalism in HISTORICAL else USUAL


def derive(system: System, formalism: str = "auto", passes: Iterable[str] | None = None) -> Equations:
    """The equations of motion of a system.

    `passes` names the rewritings of the tree (`kinematics.passes`) to apply first: by default the usual ones, none for
    Poincaré's equations, which thus judge the others from the mechanism as it was written.
    """
    given = None if passes is None else tuple(passes)
    with quiet_collector():
        tree = build_tree(system)
    if formalism == "auto":
        variants = VARIANTS if given is None else (given,)
        return Equations(
            system, tree, formalism, given, lambda: auto.recipe(system, [apply(tree, names) for names in variants])
        )
    make = recipe_of(formalism)
    if tree.followed and formalism in HISTORICAL:
        raise PolhodeError(
            f"the formalism {formalism!r} does not know joints that follow others or are driven.",
            place=f"system '{system.name}'",
            cure="Use auto, poincare, newton_euler, composite_body or articulated_body.",
            code="E-DERIVE-012",
        )
    if given is None:
        given = usual_passes(formalism)
    check(given)
    ready = make(system, apply(tree, given)) if formalism in HISTORICAL else None
    return Equations(system, tree, formalism, given, lambda: ready or make(system, apply(tree, given)))
