"""Which programs have recurrences, and what becomes of their operations."""

from __future__ import annotations

import pytest
from tests.smooth_program import smooth_program

from polhode.codegen.ir.ops import check_program
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.taylor.recurrences import STEADY, SeriesProgram, has_recurrences, series_program


def _program(*run: tuple[str, int, int] | tuple[str, int]) -> Program:
    """x' = the last value; slot 0 is the constant 3, 1 is x, 2 is tau, 3 is t."""
    code = tuple(Instruction(op, args) for op, *args_ in run for args in [tuple(args_)])
    arrays = (Array("x", 1), Array("tau", 1), Array("t", 1))
    return Program("state_rates", arrays, 0, (3.0,), (), code, (Output("xdot", (1,), (3 + len(run),)),))


def _names(series: SeriesProgram) -> list[str]:
    return [rule.name for rule in series.rules]


@pytest.mark.parametrize("op", ["abs", "sign"])
def test_a_corner_of_the_state_has_no_recurrence(op: str) -> None:
    assert not has_recurrences(_program((op, 1)))
    assert not has_recurrences(_program(("sin", 3), (op, 4)))


@pytest.mark.parametrize("op", ["abs", "sign"])
def test_a_corner_of_what_is_steady_does_no_harm(op: str) -> None:
    program = _program((op, 2), ("mul", 4, 1))
    assert has_recurrences(program)
    assert _names(series_program(program)) == ["steady", "scaled"]


def test_a_corner_that_nothing_uses_does_no_harm() -> None:
    program = _program(("abs", 1), ("sin", 1))
    assert has_recurrences(program)
    assert _names(series_program(program)) == ["integral", "integral"]


def test_sine_and_cosine_are_each_other_s_integrals() -> None:
    series = series_program(_program(("cos", 1), ("sin", 1), ("add", 4, 5)))
    first = series.program.first_run
    assert [step.op for step in series.program.run] == ["sin", "cos", "add"]
    assert series.rules[0].args == (1, first + 1)
    assert (series.rules[1].args, series.rules[1].sign) == ((1, first), -1)


def test_sums_with_what_is_steady_cost_nothing() -> None:
    assert _names(series_program(_program(("add", 1, 2), ("sub", 2, 4)))) == ["same", "negation"]


def test_a_product_of_equal_factors_is_a_square() -> None:
    series = series_program(_program(("mul", 1, 1), ("mul", 4, 1)))
    assert _names(series) == ["square", "product"]
    assert series.products == 1.5


def test_division_by_what_is_steady_multiplies() -> None:
    assert _names(series_program(_program(("div", 1, 0)))) == ["steady", "scaled"]
    assert _names(series_program(_program(("div", 0, 1)))) == ["inverse"]
    assert _names(series_program(_program(("div", 3, 1)))) == ["quotient"]


@pytest.mark.parametrize("seed", range(5))
def test_a_series_program_is_legal_and_has_the_work_array_of_its_program(seed: int) -> None:
    program = smooth_program(seed)
    series = series_program(program)
    check_program(series.program)
    assert len(series.rules) == len(series.program.run)
    assert len(series.work) == len(program.saved)
    assert set(series.program.saved) <= set(series.work)
    assert all(series.is_steady(slot) == (series.rule(slot) == STEADY) for slot in range(series.program.first_run))
