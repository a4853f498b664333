"""The formalisms by name, and as plain data what `derive` and `compare` must know of each.

A new formalism is its file and one entry of FORMALISMS. The file provides `recipe(system, tree)`; with `embeds` its
recipe takes the dependent speeds too, and with `own_rows` it provides `row_source(system, tree)` (a `RowSource`); with
`any_tree` both take `chosen` as well, the edges of a formulation tree. For each of its `speeds` it provides a function
of that name: from a model and constraints, which are none, to the speeds (`PseudoSpeeds`) and the recipe in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from ..errors import PolhodeError, suggestion
from ..files.version import source_digest


@dataclass(frozen=True)
class Formalism:
    """A method, where its file is, and what it can do."""

    name: str
    passes: Literal["usual", "none", "refused", "several"] = "usual"  # of the tree, where `derive` names none
    module: str = ""  # the file, if it is not the one of this name beside this one
    shortened: str = ""  # the file that saves operations, taken where passes rewrite the tree
    historical: bool = False  # kept for what it teaches: slower to derive, longer to run, joints of one kind
    free_joints: bool = False  # joints that follow others or are driven are projected out of its equations afterwards
    embeds: bool = False  # constraints are among its speeds
    own_rows: bool = False  # it comes to the constraints' rows by itself
    speeds: tuple[str, ...] = ()  # choices of speeds that it brings, beside the system's own
    any_tree: bool = False  # its recipe and rows take `chosen`, the edges of a formulation tree
    flexible: bool = False  # it takes flexible bodies
    few_speeds: int | None = None  # `compare` tries it unasked up to this many
    elsewhere: Mapping[str, str] = field(default_factory=dict)  # other names, in small letters, and what they stand for

    @property
    def digest(self) -> str:
        """What tells one state of a user's own formalism from another; nothing for those of polhode."""
        return "".join(source_digest(self.load(shortened=each)) for each in (False, True)) if self.module else ""

    def load(self, attribute: str = "recipe", shortened: bool = False) -> Callable[..., Any]:
        """A function that the file provides, or the one that saves operations, if there is one."""
        module = (shortened and self.shortened) or self.module or f"{__package__}.{self.name}"
        made: Callable[..., Any] = getattr(import_module(module), attribute)
        return made


_LISTED = (
    Formalism(
        "auto", passes="several", flexible=True
    ),  # its recipe takes the tree as each variant of the passes writes it
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
    Formalism("hamel", passes="none", embeds=True, flexible=True, few_speeds=12, elsewhere={"boltzmannhamel": "It"}),
    Formalism("routh", passes="none", flexible=True, few_speeds=12),
    Formalism("screw", passes="none", elsewhere=dict.fromkeys(("screwform", "screwtheory", "dualnumber"), "It")),
    Formalism(
        "network",
        passes="refused",
        own_rows=True,
        any_tree=True,
        elsewhere=dict.fromkeys(("tokad", "lineargraph"), "It"),
    ),
    Formalism("uicker_kahn", passes="none", historical=True),
    Formalism("hollerbach_4x4", passes="none", historical=True),
    Formalism("hollerbach_3x3", passes="none", historical=True),
    Formalism("silver", passes="none", historical=True),
    Formalism(
        "vector_parameter", passes="refused", historical=True, free_joints=True, elsewhere={"mladenova": "Her method"}
    ),
)

#: Each by its name, in the order in which they are compared.
FORMALISMS: dict[str, Formalism] = {each.name: each for each in _LISTED}

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
    listed = (each for each in FORMALISMS.values() if each.passes != "several")
    return [each.name for each in listed if historical or not each.historical]


def formalism_of(name: str) -> Formalism:
    """A formalism by its name.

    >>> formalism_of("network").passes
    'refused'
    """
    if not isinstance(name, str) or name not in FORMALISMS:
        raise PolhodeError(f"there is no formalism {name!r}.", "formalism", _cure_for(name), "E-DERIVE-NAME")
    return FORMALISMS[name]


def _cure_for(name: object) -> str:
    """What to write in place of a name that is not known here."""
    word = "".join(letter for letter in str(name).lower() if letter.isalpha()).removesuffix("s")
    if word in _NOT_HERE:
        return _NOT_HERE[word]
    for each in FORMALISMS.values():
        if word in each.elsewhere:
            return f"{each.elsewhere[word]} is called '{each.name}' here."
    return suggestion(name, list(FORMALISMS), f"Choose auto, {', '.join(names())}.")
