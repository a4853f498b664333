"""Forces that jump: where a sign in the rates changes, a run goes on anew, or ends if it cannot.

Between jumps all signs are held still (`codegen.passes`), so that what is integrated is smooth, and a jump is a zero
of a value g that a sign is of, located as events are. There the run goes on with signs s that the motion
itself keeps: each g that is zero moves to its own side, s dg/dt > 0 (Filippov 1988). Where no choice does, the motion
would stay on the jump, as dry friction that sticks does: that is not modelled, and the run ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..codegen.ir.program import Program
from ..codegen.passes.switches import Divided, Switched, divided, jumping_tables, switched
from ..compiled.functions import Functions
from ..compiled.quantities import FunctionKey
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import JUMPING
from ..expr import Expr, evaluate, substitute, topological
from ..expr.node import CALL
from ..model.expressions import acting_parts, expressions_in, expressions_of
from ..native.compiled import Compiled
from ..ode.native_events import Effect
from .guard import Guard, Stop
from .initial_state import Floats
from .rates import Rates
from .trajectory.record import Record

#: A value this small, of the largest seen, is zero; none counts as smaller than `_LEAST` at its largest.
_ZERO, _LEAST = 1e-13, 1e-2
#: The same for a value that is near a jump of another one.
_NEAR = 1e-12
#: The time, in seconds, over which it is looked where a value goes; and what part of its largest rate is none.
_AHEAD, _STILL = 1e-6, 1e-9
#: So many jumps in so small a part of the run are too many.
_MANY, _SHORT = 30, 1e-6
#: As many values may be zero at once for all their signs to be tried.
_TRIED = 5


class Discontinuities:
    """The jumps of one run."""

    def __init__(self, rates: Rates, guard: Guard, record: Record, end: float) -> None:
        self.rates, self.guard, self.record, self.end = rates, guard, record, end
        self.signs = rates.signs
        self.sources = sources(rates.functions)
        self.times: list[float] = []
        self.first = ""
        self.largest: Floats = np.zeros(0)
        self.leaving: list[int] = []
        self.turning: list[int] = []

    @property
    def modes(self) -> Floats:
        """The signs that are held at present."""
        return np.zeros(0) if self.signs is None else self.signs.modes

    def start(self, t: float, x: Floats) -> None:
        """Take the signs of a first state."""
        self.signs = self.rates.signs
        values = self.rates.switches(t, x)
        self.largest = np.maximum(np.abs(values), _LEAST)
        self.modes[:] = np.sign(values)
        if not self.times:
            self.first = self._words(t, x)
        self._choose(t, x, np.flatnonzero(np.abs(values) <= _ZERO * self.largest).tolist())

    @property
    def is_old(self) -> bool:
        """True if the rates have new signs since these were taken."""
        return self.signs is not self.rates.signs

    def leave(self, state_at: Callable[[float], Floats], t_old: float, t: float) -> float | None:
        """The time in a step at which the first of the values that are held at zero leaves it; None where none does."""
        from scipy.optimize import brentq

        def size(k: int, s: float) -> float:
            return float(abs(self.rates.switches(s, state_at(s))[k]) - _ZERO * self.largest[k])

        values = np.abs(self.rates.switches(t, state_at(t)))
        self.largest = np.maximum(self.largest, values)
        gone = np.flatnonzero((self.modes == 0.0) & (values > _ZERO * self.largest)).tolist()
        times = {
            k: t_old if size(k, t_old) >= 0.0 else float(brentq(partial(size, k), t_old, t, xtol=1e-15, rtol=1e-14))
            for k in gone
        }
        first = min(times.values(), default=None)
        self.turning, self.leaving = [], [k for k, time in times.items() if time == first]
        return first

    # ---- how to go on ----------------------------------------------------------------------------------------

    def switch(self, t: float, x: Floats) -> None:
        """Change the signs at a time returned by `locate`; raise Stop if the motion cannot go on with any signs."""
        if self.is_old:
            self.start(t, x)
            return
        values = self.rates.switches(t, x)
        near = np.flatnonzero(np.abs(values) <= _NEAR * self.largest).tolist()
        self._choose(t, x, sorted({*self.turning, *near, *self.leaving}), self.leaving)

    def count(self, t: float, x: Floats) -> None:
        """Count a jump; raise Stop where they follow each other without end."""
        if not self.times:
            self.first = self._words(t, x)
        self.times.append(t)
        if len(self.times) > _MANY and t - self.times[-_MANY] <= _SHORT * self.end:
            span = t - self.times[-_MANY]
            raise self._stop("chatters", t, x, f"has jumped {_MANY} times in the last {span:.1g} s, and would go on so")

    def _choose(self, t: float, x: Floats, which: Sequence[int], leaving: Sequence[int] = ()) -> None:
        """Signs for values that are zero, such that each moves to its own side, or nothing moves it."""
        if not which:
            return
        held = np.array(which)
        stays = np.where(np.isin(held, leaving), np.sign(self.rates.switches(t, x)[held]), 0.0)
        tried = (
            list(product((1.0, -1.0, 0.0), repeat=len(which))) if len(which) <= _TRIED else self._guesses(t, x, held)
        )
        rates = [self._value_rates(t, x, held, np.array(signs)) for signs in tried]
        still = _STILL * np.abs(rates).max(axis=0)
        for signs, rate in zip(tried, rates, strict=True):
            if ((signs * rate > still) | (np.equal(signs, stays) & (np.abs(rate) <= still))).all():
                self.modes[held] = signs
                return
        raise self._stop("sticks", t, x, "jumps and pushes back from both sides: the motion sticks there")

    def _guesses(self, t: float, x: Floats, held: Any) -> list[tuple[float, ...]]:
        """Signs that follow from where values go without them, and from where they go then."""
        guesses: list[tuple[float, ...]] = [(0.0,) * len(held)]
        for _ in range(len(held)):
            guesses.append(tuple(np.sign(self._value_rates(t, x, held, np.array(guesses[-1]))).tolist()))
        return guesses

    def _value_rates(self, t: float, x: Floats, held: Any, signs: Floats) -> Floats:
        """Rates of the values, by a difference quotient, for given signs of these values."""
        self.modes[held] = signs
        ahead = self.rates.switches(t + _AHEAD, x + _AHEAD * self.rates(t, x))
        return np.asarray((ahead - self.rates.switches(t, x))[held] / _AHEAD)

    # ---- in words --------------------------------------------------------------------------------------------

    def _words(self, t: float, x: Floats) -> str:
        return at_the_jump(self.sources, self.guard.equations, self.guard.known(t, x))

    def _stop(self, status: str, t: float, x: Floats, what: str) -> Stop:
        seen = float(self.largest.max())
        small = float(f"{1e-3 * (seen if seen > _LEAST else 1.0):.0e}")
        return Stop(
            status,
            f"at t = {t:.6g} s {self._words(t, x)} {what}. Dry friction that sticks is not modelled.",
            f"Make the jump smooth, as tanh(v/{small:g}) or v/sqrt(v**2 + {small:g}**2) instead of sign(v), and take "
            'method="Radau"; or end the run there by an event.',
        )

    def summary(self) -> str:
        """A sentence about the jumps of a run; empty if there were none."""
        if not self.times:
            rests = bool(self.sources) and not self.modes.all()
            return f"{self.first} stands at its jump, where a sign is taken as 0." if rests else ""
        count = len(self.times)
        often = "once" if count == 1 else f"{count} times, first"
        return (
            f"{self.first} jumped {often} at t = {self.times[0]:.6g} s, which was found, and the run began anew there."
        )


# ---- tables --------------------------------------------------------------------------------------------------


def table_jumps(rates: Rates, times: Floats, states: Floats, driven: Floats) -> list[str]:
    """A sentence for each table that jumped between the samples of a run."""
    functions = rates.functions
    jumping = jumping_tables(functions.program(rates.of)) if has_tables(functions) else None
    if jumping is None or len(times) < 2:
        return []
    program, tables = jumping
    efforts = rates.drive.efforts
    by_name: dict[str, Any] = {"x": states, "t": times[:, None], "alpha": rates.alpha}
    by_name |= {"tau": driven[:, :efforts], "inputs": driven[:, efforts:]}
    native = functions.compiled(program).with_parameters(functions.parameter_values(rates.of, rates.given))
    arguments = np.asarray(native(*(by_name[name] for name in native.arrays)))
    messages = {}
    for (name, jumps), values in zip(tables, arguments.T, strict=True):
        met = np.flatnonzero(np.diff(np.searchsorted(jumps, values)))
        if len(met):
            often = "once" if len(met) == 1 else f"{len(met)} times or more"
            where = "where a step ended" if rates.locates_corners else "inside a step"
            messages[name] = (
                f"{name} jumped {often}, first before t = {times[met[0] + 1]:.6g} s, {where}; the kinds cubic and "
                "pchip do not, but at their ends."
            )
    return list(messages.values())


# ---- switching -----------------------------------------------------------------------------------------------
# Rates that jump: what in a mechanism makes them, in words, and native code in which their signs are fixed.

#: A value this near to zero is at its jump.
_AT_JUMP = 1e-6


@dataclass(frozen=True, eq=False)
class Source:
    """A part of the model, in words, and an expression at whose zeros it jumps."""

    words: str
    argument: Expr


def sources(functions: Functions) -> list[Source]:
    """All parts of a system, and all laws, that can make its rates jump."""
    return [
        Source(words, argument)
        for words, part in (*acting_parts(functions.equations.system), *_laws(functions))
        for argument in dict.fromkeys(_arguments(expressions_in(part)))
    ]


def has_tables(functions: Functions) -> bool:
    """Whether some part of a system, or a law, reads a table or calls a function of a user's own."""
    laws = [law for _, law in _laws(functions)]
    return any(node.op == CALL for node in topological([*expressions_of(functions.equations.system), *laws]))


def _laws(functions: Functions) -> list[tuple[str, Expr]]:
    """The laws that functions were given, in words."""
    laws = functions.laws.given.items() if functions.laws else ()
    return [(f"the law of {symbol.data[0]} '{symbol.name}'", law) for symbol, law in laws]


def _arguments(expressions: Iterable[Expr]) -> Iterator[Expr]:
    """Arguments whose zeros are jumps: that of a sign or step, the difference of two compared values."""
    for node in topological(list(expressions)):
        if node.op in JUMPING:
            yield node.args[0] if len(node.args) == 1 else node.args[0] - node.args[1]


def at_the_jump(jumps: Iterable[Source], equations: EquationsOfMotion, values: Mapping[Expr, float]) -> str:
    """The sources, in words, whose arguments are zero at these values; all sources if none can be evaluated to zero."""
    near, rest = [], []
    for source in jumps:
        (argument,) = substitute([source.argument], equations.tree.followed)
        (argument,) = equations.in_independent_speeds([argument])
        try:
            (value,) = evaluate([argument], values)
        except (KeyError, ArithmeticError, ValueError):
            rest.append(source)
        else:
            if abs(value) <= _AT_JUMP:
                near.append(source)
    named = dict.fromkeys(source.words for source in near or rest or jumps)
    return " or ".join(named)


#: Programs and native code that were made of functions before.
_MADE: WeakKeyDictionary[Functions, dict[Any, Any]] = WeakKeyDictionary()


def _once(functions: Functions, key: Any, make: Callable[[], Any]) -> Any:
    """Call `make` once for these functions and this key; afterwards return the stored result."""
    cache = _MADE.setdefault(functions, {})
    if key not in cache:
        cache[key] = make()
    return cache[key]


def _switched(functions: Functions, name: FunctionKey) -> Switched | None:
    def make() -> Switched | None:
        program = functions.program(name)
        return switched(program, _beside(program))

    program: Switched | None = _once(functions, (name, "signs"), make)
    return program


def _beside(program: Program) -> frozenset[str]:
    """The outputs of a program beside its rates, where these are without contact forces: rows, gaps and laws."""
    names = [output.name for output in program.outputs]
    return frozenset(names[1:]) if "gaps" in names else frozenset()


class FixedSigns:
    """A native function of the catalogue with its signs fixed to `modes`, called like the function itself."""

    def __init__(self, functions: Functions, switches: Switched, parameters: Floats) -> None:
        self.smooth = _compiled(functions, switches.smooth, parameters)
        self.values = _compiled(functions, switches.values, parameters)
        self.arrays = self.smooth.arrays[:-1]
        self.depends_on = switches.depends_on
        self.modes = np.zeros(switches.count)

    def __call__(self, *arrays: Floats) -> Any:
        return self.smooth(*arrays, self.modes)


def _compiled(functions: Functions, program: Program, parameters: Floats) -> Compiled:
    """Native code of a program that is kept."""
    function: Compiled = _once(functions, id(program), lambda: functions.compiled(program))
    return function.with_parameters(parameters)


class Located:
    """Zeros at which native code divides steps: of arguments of signs in the rates, of corners of tables, of kinks."""

    def __init__(self, functions: Functions, name: FunctionKey, parameters: Floats, signs: FixedSigns | None) -> None:
        switch = None if signs is None else _switched(functions, name)
        program = functions.program(name) if switch is None else switch.smooth
        slots = () if switch is None else switch.values.outputs[0].slots
        parts: Divided = _once(
            functions, (name, "divided", signs is None), lambda: divided(program, slots, _beside(program))
        )
        self.signs, self.kinks, self.corners = len(slots), parts.kinks, parts.corners
        self.count = self.signs + len(self.corners) + self.kinks
        self.values = _compiled(functions, parts.values, parameters) if self.count else None
        self.smooth = _compiled(functions, parts.smooth, parameters) if self.corners else None

    @property
    def effects(self) -> list[Effect]:
        """The switches, corners and kinks, as native code locates them."""
        corners = [Effect(corners=c.knots, extent=c.extent, jumps=bool(c.jumping)) for c in self.corners]
        return [*[Effect(is_switch=True)] * self.signs, *corners, *[Effect(is_kink=True)] * self.kinks]


def with_fixed_signs(functions: Functions, name: FunctionKey, parameters: Floats) -> FixedSigns | None:
    """The function with its signs fixed; None where it has none."""
    if not _once(functions, "sources", lambda: bool(sources(functions))):
        return None
    switches = _switched(functions, name)
    return None if switches is None else FixedSigns(functions, switches, parameters)
