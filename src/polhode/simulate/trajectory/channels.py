"""The quantities of a run that a page draws over time: by kind, by name, or any expression.

    "coordinates", "speeds", "states", "efforts", "inputs", "energy", "momentum", "reactions"     all of a kind
    "references", "errors"                            what a controller was to follow, and by how much that was missed
    "hip", "hip'", "tau_hip", "kinetic energy"                                                    one by its name
    "force(hinge)", "torque(hinge)"                                 the components that a joint or constraint carries
    "l*sin(hip)", an expression of the system                                                     what it comes to

Text is read by the grammar of model files: it becomes an expression and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...errors import PolhodeError, shown, suggestion, understood, warn
from ...expr import Expr
from ...expr.spelling import spelled
from ...view.page import is_rounding, sizes_of
from ...view.scene import Channel
from ..initial_state import Floats
from .units import units_of

if TYPE_CHECKING:
    from .trajectory import Trajectory

#: What a user may ask for.
Channels: TypeAlias = "str | Expr | Sequence[str | Expr] | Mapping[str, str | Expr]"

KINDS = (
    "coordinates",
    "speeds",
    "states",
    "efforts",
    "inputs",
    "energy",
    "momentum",
    "reactions",
    "references",
    "errors",
)
ENERGIES = ("kinetic energy", "potential energy", "total energy")
MOST = 40
"""As many as are drawn unasked."""
_CARRIED = re.compile(r"(force|torque)\((.+)\)", re.DOTALL)
_LABELLED = re.compile(r"(.*\S)\s*\[([^\[\]]*)\]", re.DOTALL)
_CURE = 'Give names or expressions, such as ["hip", "force(knee)", "l*sin(hip)"]; of a vector its components.'


class ChannelWarning(UserWarning):
    """A quantity that was to be drawn over time cannot be."""


@dataclass(frozen=True, eq=False)
class _Column:
    """A quantity over a run's samples: its name, its unit and its values."""

    label: str
    unit: str
    values: Floats

    def channel(self, beside: Sequence[Floats] = ()) -> Channel:
        """What a chart draws of it, with the same of other runs."""
        return Channel(self.label, self.unit, _gaps(self.values), beside)


def channels_of(
    run: Trajectory, wanted: Channels | None = None, others: Sequence[Trajectory] = ()
) -> tuple[list[Channel], list[str]]:
    """What is drawn over time, with the same of other runs beside it; and a sentence for each that cannot be drawn."""
    columns, told = _Quantities(run).chosen(wanted)
    beside: list[dict[str, Floats]] = []
    for other in others:
        found, _ = _Quantities(other).chosen(wanted, limited=False)
        beside.append({each.label: _at(run.t, other.t, each.values) for each in found})
    nothing = np.full(len(run.t), np.nan)
    return [each.channel([table.get(each.label, nothing) for table in beside]) for each in columns], told


def tell(missing: Sequence[str]) -> None:
    """Warn of what cannot be drawn."""
    if missing:
        warn(" ".join(missing), ChannelWarning, code="W-PICTURE-MISSING")


def _at(wanted: Floats, time: Floats, values: Floats) -> Floats:
    """Values at other times; none beyond the ends."""
    return np.interp(wanted, time, _gaps(values), left=np.nan, right=np.nan)


def _gaps(values: Floats) -> Floats:
    """Values with gaps where they are not finite."""
    return np.where(np.isfinite(values), values, np.nan)


class _Quantities:
    """What can be asked of a run, by name."""

    def __init__(self, run: Trajectory) -> None:
        self.run, self.equations = run, run.mechanism.equations
        self.units = units_of(self.equations)

    def chosen(self, wanted: Channels | None, limited: bool = True) -> tuple[list[_Column], list[str]]:
        if wanted is None:
            return self._unasked(limited)
        columns: list[_Column] = []
        told: list[str] = []
        for label, given in _asked(wanted):
            try:
                columns += self._resolved(label, given)
            except PolhodeError as error:
                problem = error.problems[0]
                name = label or (given if isinstance(given, str) else str(given))
                told.append(" ".join([f"Channel {shown(name)} is not drawn: {problem.message}", problem.cure]).strip())
        return list({each.label: each for each in columns}.values()), told

    def _unasked(self, limited: bool) -> tuple[list[_Column], list[str]]:
        """Coordinates, speeds, states, what acts and energy; where these are too many, what moves of the first."""
        acting = [each for kind in ("efforts", "inputs") for each in self._kind(kind) if np.any(each.values)]
        energy = [each for each in self._kind("energy") if each.label != "potential energy"]
        base = [*self._kind("coordinates"), *self._kind("states")]
        columns = [*base, *self._kind("speeds"), *acting, *energy]
        if not limited or len(columns) <= MOST:
            return columns, []
        sizes = sizes_of([each.channel() for each in base])
        moving = [each for each in base if not is_rounding(each.channel(), sizes[each.unit])]
        drawn = [*moving[: MOST - len(energy)], *energy]
        told = f"{len(drawn)} of {len(columns)} quantities are drawn over time: choose others by channels=[…]."
        return drawn, [told]

    def _resolved(self, label: str, given: str | Expr) -> list[_Column]:
        """The columns of one thing that was asked for."""
        text, unit = _labelled(label)
        if isinstance(given, str):
            if given in self.makers:
                found = self._kind(given)
            elif given in ENERGIES and self.run.has_energy:
                found = [each for each in self._kind("energy") if each.label == given]
            elif given in self.followed:
                found = [self.followed[given]]
            elif carried := _CARRIED.fullmatch(given):
                found = self._carried(carried[1], carried[2].strip(" `"))
            else:
                found = [self._expression(given, self._meant(given))]
        else:
            found = [self._expression(str(given), given)]
        if text and len(found) == 1:
            return [_Column(text, unit or found[0].unit, found[0].values)]
        return found

    def _meant(self, text: str) -> Expr:
        """The symbol of a name, else the expression that the text spells."""
        from ...formats.texts import expression_of

        if text in self.named:
            return self.named[text]
        try:
            return expression_of(text, self.equations.system)
        except PolhodeError as error:
            problem = error.problems[0]
            close = suggestion(text, [*self.named, *self.followed, *self.makers, *ENERGIES], problem.cure)
            raise PolhodeError(problem.message, cure=close, code=problem.code) from None

    @cached_property
    def named(self) -> dict[str, Expr]:
        """Symbols by what they are called: coordinates and states first, then inputs, speeds and efforts."""
        system = self.equations.system
        joints = system.joints.values()
        coordinates = [q for joint in joints for q in joint.q]
        symbols = [*coordinates, *(each.symbol for table in (system.states, system.inputs) for each in table.values())]
        speeds = [*self.equations.u, *(u for joint in joints for u in joint.u)]
        efforts = [tau for joint in joints for tau in joint.tau]
        made: dict[str, Expr] = {}
        for each in (*self.equations.q, *symbols, *speeds):
            made.setdefault(each.name, each)
        for each in (*symbols, *speeds, *efforts):
            made.setdefault(spelled(each), each)
        return made

    def _expression(self, label: str, given: Expr) -> _Column:
        return _Column(label, self.units.get(given, ""), self.run.values(given)[0])

    # ---- kinds -------------------------------------------------------------------------------------------------

    @cached_property
    def makers(self) -> dict[str, Callable[[], Iterable[_Column]]]:
        """What makes each kind."""
        run, equations = self.run, self.equations
        return {
            "coordinates": lambda: self._table(equations.q, run.q, named=True),
            "speeds": lambda: self._table(equations.u, run.u),
            "states": lambda: self._table(equations.z, run.z, named=True),
            "efforts": lambda: self._table(equations.tau, run.tau),
            "inputs": lambda: self._table([each.symbol for each in equations.system.inputs.values()], run.inputs),
            "energy": self._energy,
            "momentum": self._momentum,
            "reactions": self._reactions,
            "references": lambda: self._followed("ref_"),
            "errors": lambda: self._followed("e_"),
        }

    def _kind(self, kind: str) -> list[_Column]:
        return list(self.makers[kind]())

    def _table(self, symbols: Iterable[Expr], values: Floats | None, named: bool = False) -> Iterable[_Column]:
        for k, symbol in enumerate(symbols if values is not None else ()):
            label = symbol.name if named else spelled(symbol)
            yield _Column(label, self.units.get(symbol, ""), np.asarray(values)[:, k])

    def _energy(self) -> Iterable[_Column]:
        if self.run.has_energy:
            energy = self.run.energy
            for label, values in zip(ENERGIES, (energy.kinetic, energy.potential, energy.total), strict=True):
                yield _Column(label, "J", values)

    def _momentum(self) -> Iterable[_Column]:
        turning, moving = self.run.momentum
        for name, unit, values in (("angular momentum", "kg·m²/s", turning), ("momentum", "kg·m/s", moving)):
            yield from _components(name, unit, values)

    def _reactions(self) -> Iterable[_Column]:
        """How large the force and the torque are that each joint and constraint carries."""
        for name in (*self.equations.system.joints, *self.equations.system.constraints):
            try:
                made = self.run.reaction(name)
            except PolhodeError:  # a condition on coordinates acts on no body
                continue
            for word, unit, values in (("force", "N", made.force), ("torque", "N·m", made.torque)):
                yield _Column(f"|{word}({name})|", unit, np.linalg.norm(values, axis=1))

    def _followed(self, letter: str) -> Iterable[_Column]:
        found = [each for label, each in self.followed.items() if label.startswith(letter)]
        if not found:
            cure = "Run with controller=… and reference=…, whose quantities the mechanism has."
            raise PolhodeError("this run follows nothing.", cure=cure, code="E-PICTURE-MISSING")
        return found

    @cached_property
    def followed(self) -> dict[str, _Column]:
        """What a controller was to follow, `ref_x`, and what was lacking, `e_x`, as laws call them."""
        run = self.run
        if run.loop is None:
            return {}
        units = {
            each.name: (each.quantity and self.units.get(each.quantity)) or each.unit for each in run.loop.law.reference
        }
        made = [
            _Column(f"{letter}{name}", units.get(name, ""), values)
            for letter, table in (("ref_", run.reference), ("e_", run.tracking_error))
            for name, values in table.items()
        ]
        return {each.label: each for each in made}

    def _carried(self, word: str, name: str) -> list[_Column]:
        made = self.run.reaction(name)
        values, unit = (made.force, "N") if word == "force" else (made.torque, "N·m")
        return list(_components(f"{word}({name})", unit, values))


def _components(name: str, unit: str, values: Floats) -> Iterable[_Column]:
    return (_Column(f"{name} {axis}", unit, values[:, k]) for k, axis in enumerate("xyz"))


def _labelled(label: str) -> tuple[str, str]:
    """A label without its unit, and the unit in brackets at its end: `slip [°]`."""
    found = _LABELLED.fullmatch(label)
    return (found[1], found[2]) if found else (label, "")


def _asked(wanted: Channels) -> list[tuple[str, str | Expr]]:
    """What was asked for as labels, if they were given, and names or expressions."""
    with understood("a list of channels", wanted, place="channels", cure=_CURE):
        if isinstance(wanted, str | Expr):
            pairs: list[tuple[str, str | Expr]] = [("", wanted)]
        elif isinstance(wanted, Mapping):
            pairs = list(wanted.items())
        else:
            pairs = [("", each) for each in wanted]
    for label, given in pairs:
        with understood("a channel", given, place="channels", cure=_CURE):
            if not isinstance(label, str) or not isinstance(given, str | Expr):
                raise TypeError
    return pairs
