"""The quantities of a run that a page draws over time: by kind, by name, or any expression.

    "coordinates", "speeds", "states", "efforts", "inputs", "energy", "momentum", "reactions"     all of a kind
    "references", "errors"                                              of a controller: references, tracking errors
    "hip", "hip'", "tau_hip", "kinetic energy"                                                    one by its name
    "contacts"              normal force and friction of each contact, stop and dry friction, summed over its parts
    "gap(sole)", "normal(sole)", "friction(sole)", "slip(sole)", "mode(sole)"   least gap, fastest slip; 1 stick, 2 slip
    "force(hinge)", "torque(hinge)"                                 the components that a joint or constraint carries
    "l*sin(hip)", an expression of the system                                                     what it comes to

Text is read by the grammar of model files: it becomes an expression and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...errors import PolhodeError, shown, suggestion, understood, warn
from ...expr import Expr
from ...expr.spelling import spelled
from ...view.page import is_rounding, sizes_of
from ...view.scene import Channel
from ..initial_state import Floats
from .trajectory import Trajectory
from .units import units_of

if TYPE_CHECKING:
    from ..contact.results import ContactResult

#: Names, kinds or expressions of channels, with labels if it is a mapping.
Channels: TypeAlias = "str | Expr | Sequence[str | Expr] | Mapping[str, str | Expr]"

ENERGIES = ("kinetic energy", "potential energy", "total energy")
#: As many channels are drawn at most where none are named.
MOST = 40
_NAME = re.compile(r"[\w' ]+")
_CARRIED = re.compile(r"(force|torque)\((.+)\)", re.DOTALL)
_TOUCHING = re.compile(r"(gap|normal|friction|slip|mode)\((.+)\)", re.DOTALL)
_LABELLED = re.compile(r"(.*\S)\s*\[([^\[\]]*)\]", re.DOTALL)
CURE = 'Give names or expressions, such as ["hip", "force(knee)", "l*sin(hip)"]; of a vector its components.'


class ChannelWarning(UserWarning):
    """A quantity that was to be drawn over time cannot be."""


def channels_of(
    run: Trajectory, wanted: Channels | None = None, others: Sequence[Trajectory] = ()
) -> tuple[list[Channel], list[str]]:
    """Channels of a run, with the values of other runs beside them; and a sentence for each that cannot be drawn."""
    channels, missing = _Quantities(run).chosen(wanted)
    beside: list[dict[str, Floats]] = []
    for other in others:
        columns, _ = _Quantities(other).chosen(wanted, limited=False)
        is_outside = (run.t < other.t[0]) | (run.t > other.t[-1])
        beside.append({x.name: np.where(is_outside, np.nan, x.at(other.t, run.t)[0]) for x in columns})
    nothing = np.full(len(run.t), np.nan)
    overlaid = [replace(channel, beside=[table.get(channel.name, nothing) for table in beside]) for channel in channels]
    return overlaid, missing


def _channel(name: str, unit: str, values: Floats) -> Channel:
    """A channel with gaps where values are not finite."""
    return Channel(name, unit, np.where(np.isfinite(values), values, np.nan))


def warn_of_missing(missing: Sequence[str]) -> None:
    """Warn of what cannot be drawn."""
    if missing:
        warn(" ".join(missing), ChannelWarning, code="W-PICTURE-MISSING")


class _Quantities:
    """The quantities of a run that can be drawn, by name."""

    def __init__(self, run: Trajectory) -> None:
        self.run, self.equations = run, run.mechanism.equations
        self.units = units_of(self.equations)
        self._touching: dict[str, ContactResult] = {}

    def chosen(self, wanted: Channels | None, limited: bool = True) -> tuple[list[Channel], list[str]]:
        if wanted is None:
            return self._default(limited)
        columns: list[Channel] = []
        missing: list[str] = []
        for label, quantity in _pairs(wanted):
            try:
                columns += self._resolved(label, quantity)
            except PolhodeError as error:
                problem = error.problems[0]
                name = label or (quantity if isinstance(quantity, str) else str(quantity))
                missing.append(f"Channel {shown(name)} is not drawn: {problem.message} {problem.cure}".strip())
        return list({column.name: column for column in columns}.values()), missing

    def _default(self, limited: bool) -> tuple[list[Channel], list[str]]:
        """Coordinates, speeds, states, what acts and energy; where these are too many, what moves of the first."""
        acting = [column for kind in ("efforts", "inputs") for column in self._kind(kind) if np.any(column.values)]
        energy = [column for column in self._kind("energy") if column.name != "potential energy"]
        base = [*self._kind("coordinates"), *self._kind("states")]
        columns = [*base, *self._kind("speeds"), *acting, *energy]
        if not limited or len(columns) <= MOST:
            return columns, []
        sizes = sizes_of(base)
        moving = [column for column in base if not is_rounding(column, sizes[column.unit])]
        drawn = [*moving[: MOST - len(energy)], *energy]
        return drawn, [f"{len(drawn)} of {len(columns)} quantities are drawn over time: choose others by channels=[…]."]

    def _resolved(self, label: str, quantity: str | Expr) -> list[Channel]:
        """The channels of a name, a kind or an expression; `slip [°]` is a label with its unit."""
        labelled = _LABELLED.fullmatch(label)
        text, unit = (labelled[1], labelled[2]) if labelled else (label, "")
        if isinstance(quantity, str):
            if quantity in self.makers:
                chosen = self._kind(quantity)
            elif quantity in ENERGIES and self.run.has_energy:
                chosen = [column for column in self._kind("energy") if column.name == quantity]
            elif quantity in self.followed:
                chosen = [self.followed[quantity]]
            elif carried := _CARRIED.fullmatch(quantity):
                chosen = self._carried(carried[1], carried[2].strip(" `"))
            elif touching := _TOUCHING.fullmatch(quantity):
                chosen = [self._contact(touching[1], touching[2].strip(" `"))]
            else:
                chosen = [self._expression(quantity, self._meant(quantity))]
        else:
            chosen = [self._expression(str(quantity), quantity)]
        if text and len(chosen) == 1:
            return [_channel(text, unit or chosen[0].unit, chosen[0].values)]
        return chosen

    def _meant(self, text: str) -> Expr:
        """The symbol of a name, else the expression that the text spells."""
        from ...formats.texts import expression_of

        if text in self.named:
            return self.named[text]
        try:
            return expression_of(text, self.equations.system)
        except PolhodeError as error:
            problem, names = error.problems[0], [*self.named, *self.followed, *self.makers, *ENERGIES]
            message = "there is no quantity of this name." if _NAME.fullmatch(text) else problem.message
            raise PolhodeError(message, cure=suggestion(text, names, problem.cure), code=problem.code) from None

    @cached_property
    def named(self) -> dict[str, Expr]:
        """Symbols by what they are called: coordinates and states first, then inputs, speeds and efforts."""
        system = self.equations.system
        joints = system.joints.values()
        coordinates = [q for joint in joints for q in joint.q]
        symbols = [*coordinates, *(x.symbol for table in (system.states, system.inputs) for x in table.values())]
        speeds = [*self.equations.u, *(u for joint in joints for u in joint.u)]
        efforts = [tau for joint in joints for tau in joint.tau]
        by_name: dict[str, Expr] = {}
        for symbol in (*self.equations.q, *symbols, *speeds):
            by_name.setdefault(symbol.name, symbol)
        for symbol in (*symbols, *speeds, *efforts):
            by_name.setdefault(spelled(symbol), symbol)
        return by_name

    def _expression(self, label: str, expression: Expr) -> Channel:
        return _channel(label, self.units.get(expression, ""), self.run.values(expression)[0])

    # ---- kinds -------------------------------------------------------------------------------------------------

    @cached_property
    def makers(self) -> dict[str, Callable[[], Iterable[Channel]]]:
        """Functions that return the channels of each kind."""
        run, equations = self.run, self.equations
        return {
            "coordinates": lambda: self._table(equations.q, run.q, named=True),
            "speeds": lambda: self._table(equations.u, run.u),
            "states": lambda: self._table(equations.z, run.z, named=True),
            "efforts": lambda: self._table(equations.tau, run.tau),
            "inputs": lambda: self._table([entry.symbol for entry in equations.system.inputs.values()], run.inputs),
            "energy": self._energy,
            "momentum": self._momentum,
            "reactions": self._reactions,
            "contacts": self._contacts,
            "references": lambda: self._followed("ref_"),
            "errors": lambda: self._followed("e_"),
        }

    def _kind(self, kind: str) -> list[Channel]:
        return list(self.makers[kind]())

    def _table(self, symbols: Iterable[Expr], values: Floats | None, named: bool = False) -> Iterable[Channel]:
        for k, symbol in enumerate(symbols if values is not None else ()):
            label = symbol.name if named else spelled(symbol)
            yield _channel(label, self.units.get(symbol, ""), np.asarray(values)[:, k])

    def _energy(self) -> Iterable[Channel]:
        if self.run.has_energy:
            energy = self.run.energy
            for label, values in zip(ENERGIES, (energy.kinetic, energy.potential, energy.total), strict=True):
                yield _channel(label, "J", values)

    def _momentum(self) -> Iterable[Channel]:
        turning, moving = self.run.momentum
        for name, unit, values in (("angular momentum", "kg·m²/s", turning), ("momentum", "kg·m/s", moving)):
            yield from _components(name, unit, values)

    def _reactions(self) -> Iterable[Channel]:
        """Magnitudes of the force and the torque of each joint and constraint."""
        for name in (*self.equations.system.joints, *self.equations.system.constraints):
            try:
                reaction = self.run.reaction(name)
            except PolhodeError:  # a condition on coordinates acts on no body
                continue
            for word, unit, values in (("force", "N", reaction.force), ("torque", "N·m", reaction.torque)):
                yield _channel(f"|{word}({name})|", unit, np.linalg.norm(values, axis=1))

    def _contacts(self) -> Iterable[Channel]:
        for name in self.run.contact_names:
            _, _, gap, tangents = next(group for group in self.run.info["contacts"].groups if group[0] == name)
            for word in ["normal"] * bool(gap) + ["friction"] * bool(tangents):
                yield self._contact(word, name)

    def _contact(self, word: str, name: str) -> Channel:
        """A quantity of a contact, stop or dry friction, of all its parts."""
        from ..contact.results import of_all_parts, units_of_contact

        contact = self._touching.get(name) or self.run.contact(name)
        self._touching[name] = contact
        length, force, speed = units_of_contact(self.run, name)
        unit = {"gap": length, "normal": force, "friction": force, "slip": speed, "mode": "mode"}[word]
        return _channel(f"{word}({name})", unit, of_all_parts(contact, word))

    def _followed(self, letter: str) -> Iterable[Channel]:
        columns = [column for label, column in self.followed.items() if label.startswith(letter)]
        if not columns:
            cure = "Run with controller=… and reference=…, whose quantities the mechanism has."
            raise PolhodeError("this run follows nothing.", cure=cure, code="E-PICTURE-MISSING")
        return columns

    @cached_property
    def followed(self) -> dict[str, Channel]:
        """References `ref_x` and tracking errors `e_x` of a controller."""
        run = self.run
        if run.loop is None:
            return {}
        units = {r.name: (r.quantity and self.units.get(r.quantity)) or r.unit for r in run.loop.law.reference}
        columns = [
            _channel(f"{letter}{name}", units.get(name, ""), values)
            for letter, table in (("ref_", run.reference), ("e_", run.tracking_error))
            for name, values in table.items()
        ]
        return {column.name: column for column in columns}

    def _carried(self, word: str, name: str) -> list[Channel]:
        reaction = self.run.reaction(name)
        values, unit = (reaction.force, "N") if word == "force" else (reaction.torque, "N·m")
        return list(_components(f"{word}({name})", unit, values))


def _components(name: str, unit: str, values: Floats) -> Iterable[Channel]:
    return (_channel(f"{name} {axis}", unit, values[:, k]) for k, axis in enumerate("xyz"))


def _pairs(wanted: Channels) -> list[tuple[str, str | Expr]]:
    """Labels, "" where there are none, with names or expressions."""
    with understood("a list of channels", wanted, place="channels", cure=CURE):
        if isinstance(wanted, str | Expr):
            pairs: list[tuple[str, str | Expr]] = [("", wanted)]
        elif isinstance(wanted, Mapping):
            pairs = list(wanted.items())
        else:
            pairs = [("", quantity) for quantity in wanted]
    for label, quantity in pairs:
        with understood("a channel", quantity, place="channels", cure=CURE):
            if not isinstance(label, str) or not isinstance(quantity, str | Expr):
                raise TypeError
    return pairs
