"""Runs of fixed steps on the one loop, in native code or in plain Python, from records filled by hand."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from polhode.codegen.steppers.fixed_tableaux import METHODS
from polhode.compiled.native import engine
from polhode.compiled.native.compiled import Compiled
from polhode.native.language import Module
from polhode.ode import loop, rates, right_side
from polhode.ode.methods import gauss, lie
from polhode.ode.methods import runge_kutta_fixed as explicit
from polhode.ode.record import Reason, Run, padded


@dataclass
class Method:
    """Functions of a method, each with its fixed arguments; its stages, and arrays of its own with their rows."""

    begin: tuple[Any, ...]
    attempt: tuple[Any, ...]
    state_at: tuple[Any, ...]
    stages: int
    memory: Any = None
    rows: dict[str, int] = field(default_factory=dict)


def method_named(name: str) -> Method:
    """A method with fixed steps."""
    if name in METHODS:
        tableau = METHODS[name]
        stages = max(2, len(tableau.b))
        return Method((explicit.begin,), (explicit.attempt, tableau), (explicit.state_at, tableau), stages)
    if name == "semi_implicit_euler":
        return Method((explicit.begin,), (explicit.semi_implicit_attempt,), (explicit.semi_implicit_state_at,), 2)
    if name == "lie4":
        return Method(
            (lie.begin,), (lie.attempt,), (lie.state_at,), 4, lie.LieSteps, {"lost": 1, "lost_old": 1, "z": 4}
        )
    made = gauss.gauss(int(name[-1]) // 2)
    rows = dict.fromkeys(("z", "least", "k_old", "k_inside"), made.stages) | {"lost": 1, "lost_old": 1}
    return Method((gauss.begin,), (gauss.attempt, made), (gauss.state_at, made), made.stages, gauss.GaussSteps, rows)


@cache
def _code(name: str) -> Any:
    module = Module(fused=engine.host().fused)
    if name == "loop":
        module.add(loop.begin, name="begin")
        module.add(loop.advance, name="advance")
        module.add(right_side.checked_rates, name="checked_rates")
        module.add(rates.rates_as_given, name="rates_as_given")
    else:
        method = method_named(name)
        for part in ("begin", "attempt", "state_at"):
            function, *fixed = getattr(method, part)
            module.add(function, *fixed, name=part)
    return engine.Library(engine.object_code(module.text))


def fixed_run(
    name: str,
    side: Compiled | Callable[[float, Any], Any],
    x: Sequence[float],
    *,
    h: float,
    end: float,
    times: Any = (),
    given: Any = None,
    groups: Sequence[tuple[int, int]] = (),
    partners: Sequence[int] = (),
    positions: int = 0,
    budget: int = 10**9,
    as_given: bool = False,
    plain: bool = False,
    setup: Any = None,
) -> tuple[Any, Any, Reason]:
    """The record at the end of a run, the samples, and why it ended."""
    method, size = method_named(name), len(x)
    width = padded(size)
    rows = dict.fromkeys(("x", "x_old", "f", "f_old", "y", "unit", "residual"), 1) | {"k": method.stages}
    kept: dict[str, Any] = {key: np.zeros(count * width) for key, count in rows.items()}
    kept["x"][:size] = x
    kept["times"] = np.array(times, dtype=np.float64)
    kept["samples"] = np.full((max(1, len(kept["times"])), size), np.nan)
    kept["groups"] = np.array([each for group in groups for each in group] or [0], dtype=np.int64)
    kept["partners"] = np.array(partners or [-1], dtype=np.int64)
    kept["lengths"] = np.ones(max(1, len(groups)))
    own = {key: np.zeros(count * width) for key, count in method.rows.items()}
    numbers = {
        "t_end": end, "h": h, "origin": 0.0, "is_fixed": 1, "size": size, "blocks": width // 4,
        "budget": budget, "bound": 1e12,
        "h_max": np.inf,
        "sample_count": len(kept["times"]), "group_count": len(groups), "has_partners": int(bool(partners)),
        "position_count": positions,
    }  # fmt: skip
    rates_name = "rates_as_given" if as_given else "checked_rates"
    if plain:
        assert not isinstance(side, Compiled)
        run: Any = Run(**numbers)
        for key, value in kept.items():
            setattr(run, key, value.reshape(-1))
        run.memory = method.memory(**own) if method.memory else None
        run.arguments, run.x_index, run.out_index = [None, None], 0, 1

        def at(arguments: Any) -> None:
            arguments[1][:size] = side(run.clock, arguments[0][:size])

        run.at = at
        run.rates = getattr(rates, rates_name, None) or getattr(right_side, rates_name)
        for part, key in (("begin", "begin_method"), ("attempt", "attempt"), ("state_at", "state_at")):
            function, *fixed = getattr(method, part)
            setattr(run, key, lambda *a, _f=function, _x=fixed: _f(*_x, *a))
        if setup:
            setup(run, kept)
        reason = loop.begin(run) or _advanced(lambda: loop.advance(run))
        return run, kept["samples"], Reason(reason)
    run = Run.structure()()
    for key, value in numbers.items():
        setattr(run, key, value)
    for key, value in kept.items():
        setattr(run, key, value.ctypes.data)
    address = ctypes.addressof(run)
    if method.memory:
        memory = method.memory.structure()()
        for key, value in own.items():
            setattr(memory, key, value.ctypes.data)
        run.memory, kept["memory"] = ctypes.addressof(memory), memory
    common, code = _code("loop"), _code(name)
    for part, key in (("begin", "begin_method"), ("attempt", "attempt"), ("state_at", "state_at")):
        setattr(run, key, code.address(part))
    run.rates = common.address(rates_name)
    kept["own"] = own, side
    _use(run, kept, side, given or {}, size)
    if setup:
        setup(run, kept)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
    advance = kind(common.address("advance"))
    reason = kind(common.address("begin"))(address) or _advanced(lambda: advance(address))
    run.kept = kept
    return run, kept["samples"], Reason(reason)


def _advanced(advance: Callable[[], int]) -> int:
    """Go on where the loop returned only because state or rates are large."""
    while True:
        reason = advance()
        if reason != Reason.LOOK:
            return reason


def _use(run: Any, kept: dict[str, Any], side: Any, given: Any, size: int) -> None:
    """Point the record to a right-hand side."""
    if isinstance(side, Compiled):
        work = side.work(given.get("parameters"))
        pointers, arrays = [], []
        for key, array in zip(side.arrays, side.outline.arrays, strict=True):
            values = np.ascontiguousarray(given.get(key, np.zeros(array.size)), dtype=np.float64)
            arrays.append(values)
            clock = ctypes.addressof(run) + Run.structure().clock.offset
            pointers.append(clock if key == "t" else values.ctypes.data)
        outs = [np.zeros(int(np.prod(shape))) for _, shape in side.outline.outputs]
        pointers += [work.ctypes.data, *(out.ctypes.data for out in outs)]
        table = (ctypes.c_void_p * len(pointers))(*pointers)
        kept["side"] = work, arrays, outs, table
        run.at, run.arguments = side.native.code.address("ph_at"), ctypes.addressof(table)
        state = next(key for key in ("x", "canonical") if key in side.arrays)
        run.x_index, run.out_index = list(side.arrays).index(state), len(arrays) + 1
        return
    table = (ctypes.c_void_p * 2)()

    def at(_: int) -> None:
        x, out = (np.ctypeslib.as_array((ctypes.c_double * size).from_address(each)) for each in table)
        out[:] = side(run.clock, x)

    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(at)
    kept["side"] = callback, table
    run.at, run.arguments = ctypes.cast(callback, ctypes.c_void_p).value, ctypes.addressof(table)
    run.x_index, run.out_index = 0, 1
