"""Fixed steps on the one loop: their order, the rows that were asked for, and the same run in plain Python."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from tests.fixed_run import fixed_run

from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.steppers.fixed_tableaux import METHODS
from polhode.compiled.native import engine
from polhode.compiled.native.compiled import compile_program
from polhode.ode import loop
from polhode.ode.methods.inlined_steps import inlined_module
from polhode.ode.record import Reason

ORDERS = {name: tableau.order for name, tableau in METHODS.items()} | {
    "semi_implicit_euler": 1, "gauss4": 4, "gauss6": 6, "lie4": 4,
}  # fmt: skip
EXPLICIT = tuple(METHODS)
# x' = (cos t) x has x0 exp(sin t)
DRIVEN = Program(
    "driven", (Array("t", 1), Array("x", 1)), 0, (), (), (Instruction("cos", (0,)), Instruction("mul", (2, 1))),
    (Output("xdot", (1,), (3,)),),
)  # fmt: skip
# (q, u) with q'' = -sin q
PENDULUM = Program(
    "pendulum", (Array("x", 2),), 0, (), (), (Instruction("sin", (0,)), Instruction("neg", (2,))),
    (Output("xdot", (2,), (1, 3)),),
)  # fmt: skip
INERTIA = np.array([1.0, 2.0, 3.5])


def driven(t: float, x: Any) -> Any:
    return np.cos(t) * x


def pendulum(t: float, x: Any) -> Any:
    return np.array([x[1], -np.sin(x[0])])


def turning(t: float, x: Any) -> Any:
    """A free body: a unit quaternion, which turns with ω, and ω itself (Euler's equations)."""
    (a, b, c, d), w = x[:4], x[4:]
    turn = np.array([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]])
    return np.concatenate([turn @ w / 2, np.cross(INERTIA * w, w) / INERTIA])


SPUN = np.concatenate([np.array([1.0, 2.0, -1.0, 0.5]) / 2.5, [0.3, 1.1, -0.7]])


@pytest.mark.parametrize("method", ORDERS)
def test_the_error_falls_with_the_stated_order(method: str) -> None:
    if method == "semi_implicit_euler":
        side, x, options = compile_program(PENDULUM, cache=False), [1.0, 0.0], {"positions": 1}
    else:
        side, x, options = compile_program(DRIVEN, cache=False), [1.0], {}
    steps = (16, 32) if method == "gauss6" else (64, 128)
    exact = fixed_run("gauss6", side, x, h=2.0 / 256, end=2.0, times=[2.0])[1][0]
    ends = (fixed_run(method, side, x, h=2.0 / n, end=2.0, times=[2.0], **options)[1][0] for n in steps)
    errors = [np.abs(end - exact).max() for end in ends]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[method], abs=0.25)


@pytest.mark.parametrize("method", ORDERS)
def test_the_run_in_plain_python_equals_the_native_one(method: str) -> None:
    times = [0.02, 0.1, 0.11, 0.25]
    options: dict[str, Any] = {"h": 0.02, "end": 0.3, "times": times, "groups": [(0, 4)], "positions": 4}
    native, plain = (fixed_run(method, turning, SPUN, plain=plain, **options) for plain in (False, True))
    assert native[2] == plain[2] == Reason.DONE and native[0].steps == plain[0].steps == 15
    np.testing.assert_allclose(native[1], plain[1], rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("method", ORDERS)
def test_samples_inside_of_steps_are_exact_and_change_nothing(method: str) -> None:
    options: dict[str, Any] = {"h": 0.02, "end": 1.0, "groups": [(0, 4)], "positions": 4}
    few = fixed_run(method, turning, SPUN, times=[1.0], **options)[1]
    times = np.linspace(0.0, 1.0, 173)
    many = fixed_run(method, turning, SPUN, times=times, **options)[1]
    np.testing.assert_array_equal(many[-1], few[-1])
    exact = fixed_run("gauss6", turning, SPUN, h=0.005, end=1.0, times=times, groups=[(0, 4)])[1]
    at_steps = fixed_run(method, turning, SPUN, times=np.arange(51) * 0.02, **options)[1]
    np.testing.assert_array_equal(many[86], at_steps[25])
    assert np.abs(many - exact).max() <= 2.0 * np.abs(many[-1] - exact[-1]).max() + 1e-11


@pytest.mark.parametrize(("step", "count"), [(0.01, 1000), (1e-4, 50)])
@pytest.mark.parametrize("method", ["rk4", "gauss4"])
def test_rows_are_those_that_were_asked_for(method: str, step: float, count: int) -> None:
    times = np.linspace(0.0, 0.3, count)
    run, states, why = fixed_run(method, compile_program(DRIVEN, cache=False), [1.0], h=step, end=0.3, times=times)
    assert why == Reason.DONE and run.next_sample == count and run.steps == round(0.3 / step)
    np.testing.assert_allclose(states[:, 0], np.exp(np.sin(times)), rtol=1e-9)


def inlined(program: Program, method: str, groups: tuple[tuple[int, int], ...] = ()) -> tuple[Any, Any]:
    """A compiled program, and what lets a record step it by an attempt with its kernel inlined."""
    text = inlined_module(program, METHODS[method], groups, fused=engine.host().fused)
    code = engine.Library(engine.object_code(text, thorough=True))

    def setup(run: Any, kept: dict[str, Any]) -> None:
        kept["code"] = code
        for field in ("rates", "begin_method", "attempt", "state_at"):
            setattr(run, field, code.address(f"ph_{field.removesuffix('_method')}"))

    return compile_program(program, cache=False), setup


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("program", [DRIVEN, PENDULUM], ids=["driven", "pendulum"])
def test_steps_with_the_kernel_inlined_have_the_same_bits(method: str, program: Program) -> None:
    side, setup = inlined(program, method)
    x = [1.0] if program is DRIVEN else [1.0, 0.5]
    for times in ([], np.arange(101) * 0.01, np.linspace(0.0, 1.0, 37), [0.5, 0.5, 1.0]):
        options: dict[str, Any] = {"h": 0.01, "end": 1.0, "times": times, "as_given": True}
        (one, states, why), (two, others, also) = (
            fixed_run(method, side, x, **options, setup=each) for each in (setup, None)
        )
        assert why == also == Reason.DONE and one.t == two.t == 1.0
        assert (one.steps, one.number, one.next_sample) == (two.steps, two.number, two.next_sample)
        np.testing.assert_array_equal(states, others)
        np.testing.assert_array_equal(one.kept["x"], two.kept["x"])


def test_a_run_cut_in_pieces_gives_the_same_bits() -> None:
    for setup in (inlined(DRIVEN, "rk4")[1], None):
        side = compile_program(DRIVEN, cache=False)
        whole, _, _ = fixed_run("rk4", side, [0.7], h=0.013, end=13.0, setup=setup)
        part, _, why = fixed_run("rk4", side, [0.7], h=0.013, end=13.0, budget=137, setup=setup)
        advance = loop_function("advance")
        while why == Reason.BUDGET:
            part.budget = 137
            why = Reason(advance(ctypes.addressof(part)))
        assert part.steps == whole.steps == 1000 and part.kept["x"][0] == whole.kept["x"][0]


def loop_function(name: str) -> Any:
    from tests.fixed_run import _code

    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(_code("loop").address(name))


@pytest.mark.parametrize("is_inlined", [False, True])
def test_a_step_to_a_state_that_is_not_finite_is_not_taken(is_inlined: bool) -> None:
    blow_up = Program("b", (Array("x", 1),), 0, (), (), (Instruction("mul", (0, 0)),), (Output("xdot", (1,), (1,)),))
    side, setup = inlined(blow_up, "euler")
    if not is_inlined:
        setup = None

    def unbounded(run: Any, kept: Any) -> None:
        run.bound = np.inf
        if setup:
            setup(run, kept)

    run, _, why = fixed_run("euler", side, [1.0], h=0.5, end=50.0, setup=unbounded, as_given=True)
    assert why == Reason.NONFINITE and np.isfinite(run.kept["x"]).all() and run.kept["x"][0] > 1e100
    assert run.t == run.number * 0.5 == run.steps * 0.5


def test_stages_that_are_not_found_end_the_run() -> None:
    run, _, why = fixed_run("gauss4", lambda t, x: -50.0 * np.array([np.sin(40 * x[0])]), [0.3], h=1.0, end=5.0)
    assert why in (Reason.NOT_FOUND, Reason.NONFINITE) and run.steps == 0 and run.kept["x"][0] == 0.3


@pytest.mark.parametrize("method", ["rk4", "gauss6"])
def test_a_step_that_is_cut_goes_on_to_the_end_of_its_grid(method: str) -> None:
    run, _, why = fixed_run(method, driven, [1.0], h=0.01, end=0.025, plain=True)
    assert why == Reason.DONE and run.t == 0.025 and run.steps == 3
    run.t_end = 0.05
    assert loop.begin(run) == 0 and loop.advance(run) == Reason.DONE
    assert run.t == 0.05 and run.steps == 6 and run.number == 5
    assert run.x[0] == pytest.approx(np.exp(np.sin(0.05)), rel=1e-9)


def test_the_semi_implicit_euler_method_keeps_the_energy_of_a_pendulum_bounded() -> None:
    side = compile_program(PENDULUM, cache=False)
    times = np.arange(0, 1001)
    ranges = {}
    for method in ("semi_implicit_euler", "euler"):
        run, states, _ = fixed_run(method, side, [1.0, 0.0], h=0.01, end=1000.0, times=times, positions=1)
        energy = states[:, 1] ** 2 / 2 - np.cos(states[:, 0])
        ranges[method] = np.ptp(energy)
        assert run.evaluations <= (2 if method != "euler" else 1) * run.steps + 3
    assert ranges["semi_implicit_euler"] < 0.01 < 1.0 < ranges["euler"]


def test_a_state_on_constraints_is_projected_every_ten_steps_and_at_samples() -> None:
    """A point on the unit circle: x, y and their speeds."""
    seen: list[float] = []

    def setup(run: Any, kept: dict[str, Any]) -> None:
        run.coordinate_count = run.speed_count = 2
        run.displacement, run.change = np.zeros(2), np.zeros(2)
        run.pivots, run.pivot_signs, run.largest_pivots, run.pivot_count = np.ones(1), np.ones(1), np.zeros(1), 1
        run.state_on, run.nodes, run.check_count = np.zeros(4), np.zeros(32), 0

        def at(arguments: Any) -> None:
            place, speed = arguments[0][:2], arguments[0][2:4]
            square = place @ place
            arguments[1][:4] = *speed, *(np.array([0.0, -1.0]) - (speed @ speed - place[1]) / square * place)
            run.displacement[:] = (1.0 - square) / (2.0 * square) * place
            run.change[:] = -(place @ speed) / square * place
            if arguments[1] is run.residual and (not seen or seen[-1] != run.clock):
                seen.append(run.clock)

        run.at = at

    _run, states, why = fixed_run(
        "rk4", driven, [1.0, 0.0, 0.0, 0.0], h=0.01, end=0.5, times=[0.27, 0.5], plain=True, setup=setup
    )
    assert why == Reason.DONE
    assert [round(t, 9) for t in seen] == [0.1, 0.2, 0.27, 0.37, 0.47, 0.5]
    np.testing.assert_allclose(np.hypot(*states[:, :2].T), 1.0, atol=1e-15)
