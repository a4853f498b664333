"""Loaded native code: the stepping loop, the methods, and the Taylor coefficients of one right-hand side."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from ..errors import PolhodeError
from ..files.cache import default_cache
from ..files.version import key_of
from ..native.compiled import Compiled
from ..native.language import Module
from ..native.stored_code import Code, CodeStore, Entry, count
from .methods.registry import MOST_ORDER, method_named
from .record import padded


def stored(name: str, write: Callable[[bool], str]) -> Code:
    """Code that serves every right-hand side, from the disk where it is known; OSError where LLVM does not work."""

    def make() -> Entry:
        from ..native import engine

        return Entry().with_object_code(engine.object_code(write(engine.host().fused)))

    return CodeStore(default_cache(), key_of("ode", name)).code(name, make)


class LoopCode:
    """The stepping loop, loaded."""

    def __init__(self) -> None:
        self.code = code = stored("loop", _loop_text)
        pointer, real, whole = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64

        def function(name: str, *kinds: Any) -> Any:
            return ctypes.CFUNCTYPE(whole, pointer, *kinds)(code.address(f"ph_{name}"))

        self.begin, self.begin_behind_event, self.advance = map(function, ("begin", "begin_behind_event", "advance"))
        self.members, self.step_members = function("members", pointer), function("step_members", real)
        self.write_samples, self.continue_after_event = function("write_samples", real), function("continue", whole)
        self.rates_at = function("rates", real, pointer, pointer)
        self.projection, self.move_to_branch = (function(name, real, pointer) for name in ("project", "move_to_branch"))
        self.rates, self.project, self.rates_as_given, self.cubic_state_at = (
            code.address(f"ph_{name}") for name in ("rates", "project", "rates_as_given", "cubic_state_at")
        )


def _loop_text(fused: bool) -> str:
    from .event_handling import begin, begin_behind_event, continue_after_event, write_samples
    from .loop import advance
    from .members import run_members, step_members
    from .right_side import checked_projection, checked_rates, move_to_branch, rates_as_given
    from .step_control import cubic_state_at

    made = Module(fused=fused)
    for function, name in (
        (begin, "begin"), (begin_behind_event, "begin_behind_event"), (advance, "advance"), (run_members, "members"),
        (step_members, "step_members"),
        (write_samples, "write_samples"), (continue_after_event, "continue"), (checked_rates, "rates"),
        (checked_projection, "project"), (move_to_branch, "move_to_branch"), (rates_as_given, "rates_as_given"),
        (cubic_state_at, "cubic_state_at"),
    ):  # fmt: skip
        made.add(function, name=f"ph_{name}")
    return made.text


@cache
def loop_code() -> LoopCode:
    """The stepping loop."""
    return LoopCode()


class MethodCode:
    """The functions of a method, loaded, and the memory that they need; `jet` for Taylor series."""

    def __init__(self, name: str, jet: Code | None = None, jet_rows: int = 0, inlined: Code | None = None) -> None:
        self.name, self.method, self.jet, self.inlined = name, method_named(name), jet, inlined
        self.code = _functions_of(name)
        self.dense_rows = jet_rows or self.method.dense_rows
        fields = {name: self.code.address(f"ph_{name}") for name in self.method.functions}
        fields |= {f"has_{name}": int(name in fields) for name in ("prepare", "defect")}
        fields |= {"begin_method": fields.pop("begin"), "is_fixed": int(self.method.is_fixed)}
        if inlined is not None:
            fields |= {"rates": inlined.address("ph_rates"), "prepare": inlined.address("ph_prepare"), "has_prepare": 1}
        if jet is not None:
            fields["jet"] = jet.address("ph_jet")
        self._fields = fields

    def connect(self, record: Any) -> None:
        """Let a run step by this method."""
        for name, value in self._fields.items():
            setattr(record, name, value)


@cache
def _functions_of(name: str) -> Code:
    """The functions of a method, loaded once."""
    return stored(f"method {name}", method_named(name).text)


@cache
def method_code(name: str) -> MethodCode:
    """The code of a method that serves every right-hand side."""
    return MethodCode(name)


class Traits(NamedTuple):
    """What a right-hand side is made of."""

    has_series: bool
    may_hide: bool


_SLOW = frozenset(("add", "sub", "mul", "div", "neg", "sqrt", "sin", "cos"))


def _once(function: Compiled, part: str, make: Callable[[], Entry], read: Callable[[Entry], Any]) -> Any:
    """What `read` makes of a stored part of a function; kept as long as the function's code."""
    loaded = function.native.loaded
    if part not in loaded:
        loaded[part] = function.store.read_or_make(part, make, read)
    return loaded[part]


def traits_of(function: Compiled) -> Traits:
    """The traits of a function."""

    def make() -> Entry:
        from ..codegen.taylor.recurrences import has_recurrences

        program = function.program
        is_slow = all(step.op in _SLOW for step in program.run) and "t" not in function.arrays
        return Entry({"series": has_recurrences(program), "hides": not is_slow})

    def read(entry: Entry) -> Traits:
        return Traits(entry.facts["series"] is True, entry.facts["hides"] is not False)

    found: Traits = _once(function, "traits", make, read)
    return found


def taylor_code(function: Compiled) -> MethodCode:
    """Taylor steps of x' = f(t, x), the function's first output; raises OSError where LLVM does not work."""

    def make() -> Entry:
        from ..codegen.taylor.jets import jet_layout, jet_module
        from ..codegen.taylor.recurrences import has_recurrences, series_program
        from ..native import engine

        program = function.program
        if not has_recurrences(program):
            raise PolhodeError(
                "the method 'taylor' needs equations of motion without sign, abs, min, max, tables and functions of"
                " your own: these have no Taylor series.",
                cure="Take method='DOP853'.",
                code="E-RUN-UNSUPPORTED",
            )
        host = engine.host()
        series = series_program(program)
        text = jet_module(series, fused=host.fused)
        scratch = jet_layout(series).scratch_size(MOST_ORDER)
        return Entry({"scratch": scratch}).with_object_code(engine.object_code(text))

    def read(entry: Entry) -> MethodCode:
        width = padded(next(array.size for array in function.outline.arrays if array.name == "x"))
        return MethodCode("taylor", entry.load(), -(-count(entry.facts["scratch"]) // width))

    found: MethodCode = _once(function, "jet", make, read)
    return found


def inlined_code(function: Compiled, name: str, groups: tuple[tuple[int, int], ...] = ()) -> MethodCode:
    """Explicit fixed steps of x' = f(t, x), the output of a function, with its kernel inlined where it is short."""
    return MethodCode(name, inlined=inlined_steps(function, name, groups))


def inlined_steps(
    function: Compiled, name: str, groups: tuple[tuple[int, int], ...], lanes: int = 1, rows: bool = False
) -> Code:
    """The code of such steps, of one run or in lanes, or of rows (`methods.inlined_steps`)."""

    def make() -> Entry:
        from ..native import engine
        from .methods.inlined_steps import INLINE, inlined_module

        (tableau,), program, host = method_named(name).static, function.program, engine.host()
        text = inlined_module(program, tableau, groups, fused=host.fused, lanes=lanes, rows=rows)
        return Entry().with_object_code(engine.object_code(text, thorough=len(program.run) <= INLINE))

    of = "steps of rows" if rows else "steps"
    found: Code = _once(function, f"{of} of {name} {groups} in {lanes} lanes", make, Entry.load)
    return found
