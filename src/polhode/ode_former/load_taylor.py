"""Taylor series steps of a compiled right-hand side: the code of its recurrences, made when first wanted and stored.

    run = NativeRun(taylor_code(function), x, rtol=…, atol=…)
    run.use(run.compiled(function, arrays))

Unlike that of other methods, the code belongs to one right-hand side: the method needs its operations, not its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import PolhodeError
from ..native.compiled import Compiled
from ..native.stored_code import Entry, count
from .run_record import padded
from .stepper import StepperCode

if TYPE_CHECKING:
    from .lane_runs import LaneCode


def has_series(function: Compiled) -> bool:
    """Whether the operations of a function have recurrences; looked into once, and stored."""

    def make() -> Entry:
        from ..codegen.taylor.recurrences import has_recurrences

        return Entry({"series": has_recurrences(function.program)})

    return function.store.read_or_make("series", make, lambda entry: entry.facts["series"] is True)


def taylor_code(function: Compiled) -> StepperCode:
    """The steps of x' = f(t, x), the function's first output; raises OSError where LLVM does not work."""

    def make() -> Entry:
        from ..codegen.taylor.jets import jet_layout
        from ..codegen.taylor.recurrences import has_recurrences, series_program
        from ..native import engine
        from .methods.taylor import MOST_ORDER, taylor_module

        program = function.program
        if not has_recurrences(program):
            raise PolhodeError(
                "the method 'taylor' needs equations of motion without sign, abs, min, max, tables and functions of"
                " your own: these have no Taylor series.",
                cure="Take method='DOP853'.",
                code="E-SIM-080",
            )
        series = series_program(program)
        text = taylor_module(series, fused=engine.host().fused)
        scratch = jet_layout(series).scratch_size(MOST_ORDER)
        return Entry({"scratch": scratch, "stages": MOST_ORDER + 1}).with_object_code(engine.object_code(text))

    def read(entry: Entry) -> StepperCode:
        width = padded(next(array.size for array in function.outline.arrays if array.name == "x"))
        rows = -(-count(entry.facts["scratch"]) // width)
        return StepperCode(entry.load(), count(entry.facts["stages"]), rows)

    return function.store.read_or_make("taylor", make, read)


def taylor_lane_code(function: Compiled) -> LaneCode | None:
    """The same steps of several members side by side; None where they would not round alike."""
    from .lane_runs import LaneCode
    from .methods.taylor import MOST_ORDER

    lanes, rows = function.native.lanes, taylor_code(function).dense_rows
    if lanes == 1:
        return None

    def make() -> Entry:
        from ..codegen.taylor.recurrences import series_program
        from ..native import engine
        from .methods.taylor_lanes import taylor_lane_module

        text = taylor_lane_module(series_program(function.program), lanes, fused=engine.host().fused)
        return Entry({"alike": text is not None}).with_object_code(engine.object_code(text or ""))

    def read(entry: Entry) -> LaneCode | None:
        if entry.facts["alike"] is not True:
            return None
        return LaneCode(entry.load(), lanes, MOST_ORDER + 1, rows, calls_right_side=False)

    return function.store.read_or_make(f"taylor in {lanes} lanes", make, read)
