"""The formalisms by name, with the properties that `derive` and `compare` use.

A new formalism is its file and one entry of FORMALISMS. The file provides `recipe(model, tree)`; a recipe that also
takes `dependent_speeds` embeds constraints. It may provide `row_source(model, tree)` (a `RowSource`), its rows of the
constraints; where both take `chosen` too, that is the edges of a formulation tree. For each of its `speeds` it provides
a function of that name: from a model and constraints without rows to the speeds (`PseudoSpeeds`) and their recipe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from ..errors import PolhodeError, shown, suggestion, unknown
from ..files.version import source_digest

if TYPE_CHECKING:
    from ..model.model import Model


@dataclass(frozen=True)
class Formalism:
    """A method, its module and its properties."""

    name: str
    passes: Literal["usual", "none", "refused", "several"] = "usual"  # of the tree, where `derive` names none
    module: str = ""  # the file, if it is not the one of this name beside this one
    shortened: str = ""  # the file that saves operations, taken where passes rewrite the tree
    historical: bool = False  # kept for what it teaches: slower to derive, longer to run, joints of one kind
    speeds: tuple[str, ...] = ()  # choices of speeds that it defines, beside the system's
    flexible: bool = False  # it takes flexible bodies
    few_speeds: int | None = None  # `compare` tries it unasked up to this many
    elsewhere: Mapping[str, str] = field(default_factory=dict)  # other names, in small letters, and what they stand for

    @property
    def digest(self) -> str:
        """Digest of the source of a user's formalism; empty for those of polhode."""
        return "".join(source_digest(self.load(shortened=short)) for short in (False, True)) if self.module else ""

    def load(self, attribute: str = "recipe", shortened: bool = False) -> Callable[..., Any]:
        """A function of the module, or of the one that saves operations, if there is one."""
        function: Callable[..., Any] = getattr(self._module(shortened), attribute)
        return function

    def provides(self, attribute: str) -> bool:
        """Whether the module has an optional function."""
        return hasattr(self._module(), attribute)

    def takes(self, argument: str) -> bool:
        """Whether the recipe has an optional argument."""
        return argument in signature(self.load()).parameters

    def _module(self, shortened: bool = False) -> ModuleType:
        return import_module((shortened and self.shortened) or self.module or f"{__package__}.{self.name}")


_LISTED = (
    Formalism("auto", passes="several", flexible=True),  # its recipe takes the trees of all variants of the passes
    Formalism("poincare", passes="none", flexible=True, elsewhere={"eulerpoincare": "It"}),
    Formalism(
        "newton_euler",
        shortened=f"{__package__}.short.newton_euler",
        flexible=True,
        elsewhere={"newton": "It", "rnea": "The recursive Newton-Euler algorithm"},
    ),
    Formalism(
        "composite_body",
        shortened=f"{__package__}.short.composite_body",
        flexible=True,
        elsewhere={"crba": "The composite-rigid-body algorithm"},
    ),
    Formalism(
        "articulated_body",
        shortened=f"{__package__}.short.articulated_body",
        flexible=True,
        elsewhere=dict.fromkeys(("aba", "featherstone"), "The articulated-body algorithm"),
    ),
    Formalism(
        "kane",
        passes="refused",
        speeds=("sayers",),
        flexible=True,
        elsewhere={"kanelevinson": "It", "sayer": "Sayers' form of Kane's method"},
    ),
    Formalism("hamel", passes="none", flexible=True, few_speeds=12, elsewhere={"boltzmannhamel": "It"}),
    Formalism("routh", passes="none", flexible=True, few_speeds=12),
    Formalism("screw", passes="none", elsewhere=dict.fromkeys(("screwform", "screwtheory", "dualnumber"), "It")),
    Formalism("network", passes="refused", elsewhere=dict.fromkeys(("tokad", "lineargraph"), "It")),
    Formalism("uicker_kahn", passes="none", historical=True),
    Formalism("hollerbach_4x4", passes="none", historical=True),
    Formalism("hollerbach_3x3", passes="none", historical=True),
    Formalism("stepanenko_vukobratovic", passes="none", historical=True),
    Formalism("orin", passes="none", historical=True),
    Formalism("silver", passes="none", historical=True),
    Formalism("vector_parameter", passes="refused", historical=True, elsewhere={"mladenova": "Her method"}),
    Formalism("vector_newton_euler", passes="none", historical=True),
)

#: Each by its name, in the order in which they are compared.
FORMALISMS: dict[str, Formalism] = {formalism.name: formalism for formalism in _LISTED}

#: What to say of methods that have no file here, by their names in small letters.
_LAGRANGE = (
    "Lagrange's equations are 'routh' in coordinates, with multipliers for constraints, and 'poincare' in any speeds."
)
_ENERGY = "It is not there; 'poincare' starts from the same energies, and gives M and the forces in any speeds."
_NOT_HERE = {
    **dict.fromkeys(("lagrange", "lagrangian", "eulerlagrange", "lagrangeeuler"), _LAGRANGE),
    **dict.fromkeys(("hamilton", "hamiltonian", "gibbsappell", "appell"), _ENERGY),
}


def names(historical: bool = False) -> list[str]:
    """The formalisms there are, beside `auto`, which picks among them; on request with the historical ones."""
    listed = (formalism for formalism in FORMALISMS.values() if formalism.passes != "several")
    return [formalism.name for formalism in listed if historical or not formalism.historical]


def formalism_of(name: str) -> Formalism:
    """The formalism of a name; raise if there is none."""
    if not isinstance(name, str) or name not in FORMALISMS:
        raise PolhodeError(f"there is no formalism {name!r}.", "formalism", _cure_for(name), "E-DERIVE-NAME")
    return FORMALISMS[name]


def _cure_for(name: object) -> str:
    """Advice for an unknown name."""
    word = "".join(letter for letter in str(name).lower() if letter.isalpha()).removesuffix("s")
    if word in _NOT_HERE:
        return _NOT_HERE[word]
    for formalism in FORMALISMS.values():
        if word in formalism.elsewhere:
            return f"{formalism.elsewhere[word]} is called '{formalism.name}' here."
    return suggestion(name, list(FORMALISMS), f"Choose auto, {', '.join(names())}.")


_PLACE = "derive speeds"


def check_speeds(
    model: Model, formalism: str, speeds: object, independent: object = None, pseudo: object = None
) -> None:
    """Raise unless a formalism defines these speeds, and no other option or constraint chooses speeds."""
    choices = {name: formalism.speeds for name, formalism in FORMALISMS.items() if formalism.speeds}
    if not isinstance(speeds, str) or not any(speeds in kinds for kinds in choices.values()):
        every = [kind for kinds in choices.values() for kind in kinds]
        raise unknown("choice of speeds", speeds, every, code="E-DERIVE-NAME", place=_PLACE)
    if speeds not in formalism_of(formalism).speeds:
        by = next(name for name, kinds in choices.items() if speeds in kinds)
        message = f"the formalism {formalism!r} has no speeds {speeds!r}."
        cure = f"Write derive({by!r}, speeds={speeds!r}), or give pseudo-velocities."
        raise PolhodeError(message, _PLACE, cure, "E-DERIVE-UNSUPPORTED")
    if independent is not None or pseudo is not None:
        other = "pseudo-velocities" if independent is None else "independent speeds"
        message = f"the speeds {speeds!r} and {other} are two choices of one thing."
        raise PolhodeError(message, _PLACE, "Give one of them.", "E-DERIVE-TWICE")
    if model.constraints:
        first = shown(next(iter(model.constraints)))
        message = f"the speeds {speeds!r} are those of a tree, and {first} ties some of them."
        raise PolhodeError(message, f"system '{model.name}'", "Leave `speeds` out.", "E-DERIVE-UNSUPPORTED")
