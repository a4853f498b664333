"""Deriving by every formalism: whether the results are the same functions, and what each costs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias, TypedDict

import numpy as np

from ..codegen.ir.count import Operations, count
from ..compiled.catalogue import catalogued
from ..compiled.functions import Functions
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, check_kind, listed
from ..expr import Expr
from ..formalisms.derivation import Derivation
from ..formalisms.deriving import derive
from ..formalisms.registry import FORMALISMS, formalism_of, names
from ..formalisms.speeds import check_speeds
from ..model.model import Model
from ..model.reading import checked_name, list_of
from ..model.system import System
from ..notebook import Cell, Shown, Table
from .agreement import Agreement, agreement

#: The functions that are compared.
FUNCTIONS = ("mass_matrix", "inverse_dynamics", "forward_dynamics")
_STATES = 256
#: What one graph costs, by its nodes (which are kept, so that their ids last), and who derived it: methods often write
#: the same one.
_Known: TypeAlias = "dict[tuple[object, ...], tuple[list[Expr], Operations, float | None, list[str]]]"
_TIMING_SECONDS = 0.01  # some hundred rounds over the states, of which the best counts
#: What a verdict calls the functions that are compared.
_LETTERS = {"mass_matrix": "M", "inverse_dynamics": "τ", "forward_dynamics": "u̇"}


@dataclass(frozen=True)
class Row:
    """What one function costs as derived by one formalism; `nanoseconds` is None where it was not run."""

    formalism: str
    function: str
    multiplications: int
    additions: int
    divisions: int
    sine_cosine_pairs: int
    derivation_ms: float
    nanoseconds: float | None = None


@dataclass(frozen=True)
class Comparison(Shown):
    """Rows for each formalism and function, and what their agreement is worth.

    `alike` says whether the formalisms give the same functions; `derivations`, for each function, which of them came to
    it by one and the same graph and so count once; `reference` what the reference derivation says of all of them.
    `states` are those without mass: their rates stand in the model, and no formalism derives them. `speeds` names the
    formalisms that are in speeds of their own, with these: they are compared by the accelerations of all joints.
    """

    system: str
    formalisms: tuple[str, ...]
    alike: bool
    derivations: Mapping[str, tuple[tuple[str, ...], ...]]
    reference: Agreement
    rows: tuple[Row, ...]
    refused: tuple[tuple[str, str], ...] = ()
    states: tuple[str, ...] = ()
    speeds: Mapping[str, str] = field(default_factory=dict)

    @property
    def agree(self) -> bool:
        """Whether all formalisms, and the reference derivation, give the same functions."""
        return self.alike and bool(self.reference)

    @property
    def verdict(self) -> str:
        """One sentence: how many distinct derivations agree, what the reference says, and what none derives."""
        which = listed([repr(name) for name in self.states])
        stated = f"; the rates of {which} are the model's own, the same in all" if self.states else ""
        own = [f"{name} is in the speeds {chosen!r} and compared by u̇" for name, chosen in self.speeds.items()]
        return "; ".join([self._derived, *own]) + stated

    @property
    def _derived(self) -> str:
        number = len(self.formalisms)
        said = "one formalism" if number == 1 else f"{number} formalisms agree exactly"
        if not self.alike:
            said = "the formalisms DISAGREE"
        elif number > 1 and self.derivations:
            counts = [(len(by), _LETTERS.get(function, function)) for function, by in self.derivations.items()]
            own, letter = counts[0]
            each = [f"{own} distinct derivation{'s' * (own != 1)} of {letter}"]
            each += [f"{own} of {letter}" for own, letter in counts[1:]]
            said += f", by {listed(each)}"
        if not self.reference or self.reference.not_covered:
            return f"{said}; {self.reference}"
        agrees = (
            "and so does the reference derivation" if self.alike and number > 1 else "the reference derivation agrees"
        )
        return f"{said}; {agrees}"

    def cheapest(self, function: str) -> Row:
        """The row with the fewest multiplications and additions."""
        return min(
            (row for row in self.rows if row.function == function), key=lambda row: row.multiplications + row.additions
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return asdict(self) | {"agree": self.agree, "verdict": self.verdict}

    def table(self) -> list[tuple[str, ...]]:
        """Header and rows as text."""
        head = ("formalism", "function", "mul", "add", "div", "sincos", "derive ms", "ns/call")
        body = [
            (
                row.formalism,
                row.function,
                str(row.multiplications),
                str(row.additions),
                str(row.divisions),
                str(row.sine_cosine_pairs),
                f"{row.derivation_ms:.1f}",
                "–" if row.nanoseconds is None else f"{row.nanoseconds:.0f}",
            )
            for row in self.rows
        ]
        return [head, *body]

    def _cell(self) -> Cell:
        head, *rows = self.table()
        refused = [f"{name}: {reason}" for name, reason in self.refused]
        return Cell(self.system, [Table(head, rows, numbers_from=2), *refused, self.verdict])

    def __str__(self) -> str:
        return self._cell().text()

    __repr__ = __str__


class CompareOptions(TypedDict, total=False):
    """What `System.compare` takes besides formalisms."""

    run: bool
    functions: Sequence[str] | str
    speeds: str | None


def compare(
    model: Model,
    /,
    formalisms: Sequence[str] | str | None = None,
    *,
    run: bool = True,
    functions: Sequence[str] | str = FUNCTIONS,
    speeds: str | None = None,
) -> Comparison:
    """Derive a model by every formalism, prove that they agree, and count operations; with `run`, time native code.

    The reference derivation, which starts anew at the model (`reference`), judges them all. What `auto` picks
    for each function comes last. A single name stands for a list of one. `speeds="sayers"` takes Kane's method in the
    speeds of Sayers, the others in the system's own, and compares the accelerations after the change of speeds.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> compare(s.model(), run=False).agree
    True
    """
    check_kind(Model, "a model", model, "compare", "Give system.model(), or call system.compare().")
    functions = _names(functions, "function")
    for function in functions:
        catalogued(function)
    asked = names() if formalisms is None else _names(formalisms, "formalism")
    if not asked:
        cure = f"Name some of {', '.join(names())}, or leave them out to have all."
        raise PolhodeError("no formalism is named.", place="compare", cure=cure, code="E-COMPARE-001")
    chosen = _speeds_of(model, asked, speeds)
    made: dict[str, EquationsOfMotion] = {}
    rows: list[Row] = []
    refused: list[tuple[str, str]] = []
    known: _Known = {}
    size = len(derive(model).u)
    for formalism in asked:
        few = FORMALISMS[formalism].few_speeds if formalisms is None else None
        if few is not None and size > few:
            refused.append((formalism, f"left out, since it takes long on {size} speeds; name it to have it"))
            continue
        _warm_up(formalism, functions)
        try:
            made[formalism], own = _rows(model, formalism, functions, run, known, chosen.get(formalism))
            rows += own
        except PolhodeError as error:
            refused.append((formalism, str(error)))
    if not made:
        raise PolhodeError(
            "no formalism accepts this system.",
            place=f"system '{model.name}'",
            cure=refused[0][1],
            code="E-COMPARE-002",
        )
    first, *others = made.values()
    if formalisms is None:
        picked, own = _rows(model, "auto", functions, run, known)
        rows += own
        others.append(picked)
    alike = all(first.agrees_with(other) for other in others)
    derivations = {
        function: tuple(
            tuple(name for name in by if name in made) for (of, *_), (*_, by) in known.items() if of == function
        )
        for function in functions
    }
    derivations = {function: tuple(filter(None, groups)) for function, groups in derivations.items()}
    judged = agreement(made)
    states = tuple(model.states)
    return Comparison(model.name, tuple(made), alike, derivations, judged, tuple(rows), tuple(refused), states, chosen)


def _names(given: Sequence[str] | str, kind: str) -> list[str]:
    """Names that a user gave, each once; a text is one name."""
    entries = [given] if isinstance(given, str) else list_of(given, f"a list of {kind}s", f"compare {kind}s")
    return list(dict.fromkeys(checked_name(entry, kind) for entry in entries))


def _speeds_of(model: Model, formalisms: Sequence[str], speeds: str | None) -> dict[str, str]:
    """The formalisms that are to be derived in speeds of their own, with these."""
    if speeds is None:
        return {}
    bring = [name for name in formalisms if speeds in formalism_of(name).speeds]
    for name in bring or formalisms[:1]:
        check_speeds(model, name, speeds)
    return dict.fromkeys(bring, speeds)


def _warm_up(formalism: str, functions: Sequence[str]) -> None:
    """Load what a formalism needs, so that the first function is not charged for it."""
    slider = System("slider")
    slider.joint("slide", slider.ground, slider.body("block", 1), "prismatic")
    equations = derive(slider.model(), formalism)
    for function in functions:
        with suppress(PolhodeError):  # a slider has no constraints
            catalogued(function)[1](equations)


def _rows(
    model: Model, formalism: str, functions: Sequence[str], run: bool, known: _Known, speeds: str | None = None
) -> tuple[EquationsOfMotion, list[Row]]:
    """What each function costs, derived afresh so that none is charged for another; and the last one's equations."""
    equations, rows = derive(model, formalism, speeds=speeds), []
    for function in functions:
        began = time.perf_counter()
        derivation = Derivation(model, formalism, speeds=speeds)
        equations = derivation.equations
        roots = [root for _, _, entries in catalogued(function)[1](equations) for root in entries]
        took = time.perf_counter() - began
        key = (function, *map(id, roots))
        if key not in known:
            compiled = Functions(derivation)
            ns = nanoseconds_per_call(compiled, function) if run else None
            known[key] = roots, count(compiled.program(function)), ns, []
        _, cost, ns, by = known[key]
        by.append(formalism)
        operations = cost.multiplications, cost.additions, cost.divisions, cost.sincos
        rows.append(Row(formalism, function, *operations, took * 1e3, ns))
    return equations, rows


def nanoseconds_per_call(functions: Functions, function: str, seconds: float = _TIMING_SECONDS) -> float | None:
    """Time of one evaluation in a native loop over random states; None where a parameter has no value."""
    try:
        parameters = functions.parameter_values(function)
    except PolhodeError:
        return None
    native = functions.native(function)
    random = np.random.default_rng(1)
    arrays = {array.name: random.uniform(-1.0, 1.0, (_STATES, array.size)) for array in native.program.arrays}
    for name in arrays.keys() & {"q", "x"}:
        for start in functions.equations.tree.quaternions:
            part = arrays[name][:, start : start + 4]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    return float(native.time_per_call(parameters=parameters, seconds=seconds, **arrays))
