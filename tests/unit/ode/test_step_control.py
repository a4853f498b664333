"""Detection of stiffness: where it begins, where it ends, and where there is none."""

from typing import Any

import numpy as np
import pytest
from tests.fixed_run import native_run, plain_run

from polhode.codegen.fixed_steps import METHODS
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.native.compiled import compile_program
from polhode.ode import loop
from polhode.ode.native_code import inlined_code
from polhode.ode.native_lanes import LaneRuns, lane_code
from polhode.ode.native_members import MemberRows
from polhode.ode.native_run import NativeRun, WatchedLimits
from polhode.ode.record import Reason, Run
from polhode.ode.step_control import cubic_state_at


def begun(method: str, rates: object, x: list[float], tolerance: float = 1e-7) -> NativeRun:
    run = NativeRun(method, np.array(x), rtol=tolerance, atol=tolerance)
    run.use(run.python(rates))  # type: ignore[arg-type]
    run.record.stiffness_limit = 15
    run.begin(10.0)
    return run


def following(t: float, x: np.ndarray) -> np.ndarray:
    """A swing, and something that follows it fast."""
    return np.array([x[1], -x[0], -1e4 * (x[2] - x[0])])


@pytest.mark.parametrize("method", ["TP86", "DOP853", "RK45"])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-7])
def test_an_explicit_method_stops_after_a_few_dozen_steps(method: str, tolerance: float) -> None:
    run = begun(method, following, [1.0, 0.0, 1.0], tolerance)
    assert run.advance(10.0, 10**6) == Reason.STIFF and run.record.steps < 200


@pytest.mark.parametrize("method", ["TP86", "DOP853", "RK45"])
def test_a_swing_is_not_stiff_at_any_tolerance(method: str) -> None:
    for tolerance in (1e-3, 1e-6, 1e-9):
        run = begun(method, lambda t, x: np.array([x[1], -4 * x[0]]), [1.0, 0.0], tolerance)
        assert run.advance(10.0, 10**6) == Reason.DONE


@pytest.mark.parametrize("method", ["Rodas5P", "Radau"])
def test_an_implicit_method_has_the_spectral_radius_and_goes_on(method: str) -> None:
    run = begun(method, following, [1.0, 0.0, 1.0])
    assert run.advance(10.0, 10**6) == Reason.DONE
    assert run.implicit is not None and run.implicit.record.spectral_radius == pytest.approx(1e4, rel=1e-3)


@pytest.mark.parametrize("method", ["Rodas5P", "Radau"])
@pytest.mark.parametrize("stiffness", [4.0, 1e8])
def test_an_implicit_method_stops_where_an_explicit_one_would_do(method: str, stiffness: float) -> None:
    # undamped: what is fast must be followed, in coordinates and speeds of very different size
    run = begun(method, lambda t, x: np.array([x[1], -stiffness * x[0]]), [1e-3, 0.0])
    assert run.advance(10.0, 10**6) == Reason.STIFF and run.implicit is not None
    assert run.implicit.record.spectral_radius == pytest.approx(stiffness**0.5, rel=0.01)


def test_a_run_without_a_limit_goes_on() -> None:
    run = begun("DOP853", following, [1.0, 0.0, 1.0])
    run.record.stiffness_limit = 0
    assert run.advance(0.1, 10**6) == Reason.DONE


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
# x' = x² has x0/(1 - x0 t)
BLOW_UP = Program("blow", (Array("x", 1),), 0, (), (), (Instruction("mul", (0, 0)),), (Output("xdot", (1,), (1,)),))
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
def test_plain_python_equals_native_code_and_samples_inside_of_steps_are_exact(method: str) -> None:
    times = [0.02, 0.1, 0.11, 0.25]
    options: dict[str, Any] = {"h": 0.02, "end": 0.3, "times": times, "groups": [(0, 4)], "positions": 4}
    native, plain = (take(method, turning, SPUN, **options) for take in (native_run, plain_run))
    assert native[2] == plain[2] == Reason.DONE and native[0].record.steps == plain[0].steps == 15
    np.testing.assert_allclose(native[1], plain[1], rtol=1e-13, atol=1e-14)
    options: dict[str, Any] = {"h": 0.02, "end": 1.0, "groups": [(0, 4)], "positions": 4}
    few = native_run(method, turning, SPUN, times=[1.0], **options)[1]
    times = np.linspace(0.0, 1.0, 173)
    many = native_run(method, turning, SPUN, times=times, **options)[1]
    np.testing.assert_array_equal(many[-1], few[-1])
    exact = native_run("gauss6", turning, SPUN, h=0.005, end=1.0, times=times, groups=[(0, 4)])[1]
    at_steps = native_run(method, turning, SPUN, times=np.arange(51) * 0.02, **options)[1]
    np.testing.assert_array_equal(many[86], at_steps[25])
    assert np.abs(many - exact).max() <= 2.0 * np.abs(many[-1] - exact[-1]).max() + 1e-11


@pytest.mark.parametrize(("step", "count"), [(0.01, 1000), (1e-4, 50)])
@pytest.mark.parametrize("method", ["rk4", "gauss4"])
def test_rows_are_those_that_were_asked_for(method: str, step: float, count: int) -> None:
    times = np.linspace(0.0, 0.3, count)
    run, states, why = native_run(method, compile_program(DRIVEN, cache=False), [1.0], h=step, end=0.3, times=times)
    assert why == Reason.DONE and run.record.next_sample == count and run.record.steps == round(0.3 / step)
    np.testing.assert_allclose(states[:, 0], np.exp(np.sin(times)), rtol=1e-9)


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("program", [DRIVEN, PENDULUM], ids=["driven", "pendulum"])
def test_steps_with_the_kernel_inlined_have_the_same_bits(method: str, program: Program) -> None:
    side = compile_program(program, cache=False)
    x = [1.0] if program is DRIVEN else [1.0, 0.5]
    for times in ([], np.arange(101) * 0.01, np.linspace(0.0, 1.0, 37), [0.5, 0.5, 1.0]):
        (one, states, why), (two, others, also) = (
            native_run(each, side, x, h=0.01, end=1.0, times=times) for each in (method, inlined_code(side, method))
        )
        assert why == also == Reason.DONE and one.record.t == two.record.t == 1.0
        for field in ("steps", "number", "next_sample", "budget"):
            assert getattr(one.record, field) == getattr(two.record, field)
        np.testing.assert_array_equal(states, others)
        np.testing.assert_array_equal(one.x, two.x)


def test_a_run_cut_in_pieces_gives_the_same_bits() -> None:
    side = compile_program(DRIVEN, cache=False)
    for method in ("rk4", inlined_code(side, "rk4")):
        whole, _, _ = native_run(method, side, [0.7], h=0.013, end=13.0)
        part, _, why = native_run(method, side, [0.7], h=0.013, end=13.0, budget=137)
        while why == Reason.BUDGET:
            why = part.advance(13.0, 137)
        assert part.record.steps == whole.record.steps == 1000 and part.x[0] == whole.x[0]


@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize("count", [20, 33])
def test_a_member_in_lanes_has_the_bits_that_it_has_alone(method: str, count: int) -> None:
    """Some of them blow up, x' = x² from 1/2 to 3, and leave their lane to another."""
    side = compile_program(BLOW_UP, cache=False)
    starts, times = np.linspace(-1.0, 3.0, 37)[:, None], np.linspace(0.0, 1.0, count)
    like = NativeRun(method, starts[0], rtol=1e-9, atol=1e-9)
    like.use(like.compiled(side, {}))
    like.sample(times, np.zeros((count, 1)))
    like.record.h = 0.01
    code = lane_code(method, side)
    assert code is not None
    members = MemberRows.of(starts, {}, count, WatchedLimits.of([], np.zeros((len(starts), 0, 2))))
    runs = LaneRuns(code, like, side, {}, members)
    while runs.advance_members(1.0, 10**9, 50):
        pass
    assert {Reason(reason) for reason in members.reasons} >= {Reason.DONE}
    for number in np.flatnonzero(members.reasons == Reason.DONE):
        for each in (method, inlined_code(side, method)):
            run, states, why = native_run(each, side, starts[number], h=0.01, end=1.0, times=times)
            assert why == Reason.DONE and members.steps[number] == run.record.steps == 100
            assert members.evaluations[number] == run.record.evaluations
            np.testing.assert_array_equal(members.states[number, 1:], states)


@pytest.mark.parametrize("is_inlined", [False, True])
def test_a_step_to_a_state_that_is_not_finite_is_not_taken(is_inlined: bool) -> None:
    side = compile_program(BLOW_UP, cache=False)
    method = inlined_code(side, "euler") if is_inlined else "euler"
    run, _, why = native_run(method, side, [1.0], h=0.5, end=50.0, bound=np.inf)
    record = run.record
    assert why == Reason.NONFINITE and np.isfinite(run.x).all() and run.x[0] > 1e100
    assert record.t == record.number * 0.5 == record.steps * 0.5


def test_stages_that_are_not_found_end_the_run() -> None:
    run, _, why = native_run("gauss4", lambda t, x: -50.0 * np.array([np.sin(40 * x[0])]), [0.3], h=1.0, end=5.0)
    assert why in (Reason.NOT_FOUND, Reason.NONFINITE) and run.record.steps == 0 and run.x[0] == 0.3


@pytest.mark.parametrize("method", ["rk4", "gauss6"])
def test_a_step_that_is_cut_goes_on_to_the_end_of_its_grid(method: str) -> None:
    run, _, why = plain_run(method, driven, [1.0], h=0.01, end=0.025)
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
        run, states, _ = native_run(method, side, [1.0, 0.0], h=0.01, end=1000.0, times=times, positions=1)
        energy = states[:, 1] ** 2 / 2 - np.cos(states[:, 0])
        ranges[method] = np.ptp(energy)
        assert run.record.evaluations <= (2 if method != "euler" else 1) * run.record.steps + 3
    assert ranges["semi_implicit_euler"] < 0.01 < 1.0 < ranges["euler"]


def test_a_state_on_constraints_is_projected_every_ten_steps_and_at_samples() -> None:
    """A point on the unit circle: x, y and their speeds."""
    seen: list[float] = []

    def constrained(run: Any) -> None:
        run.is_constrained, run.coordinate_count, run.speed_count = 1, 2, 2
        run.displacement, run.change = np.zeros(2), np.zeros(2)
        run.pivots, run.pivot_signs, run.usual_pivots, run.pivot_count = np.ones(1), np.ones(1), np.zeros(1), 1
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

    _, states, why = plain_run(
        "rk4", driven, [1.0, 0.0, 0.0, 0.0], h=0.01, end=0.5, times=[0.27, 0.5], constrained=constrained
    )
    assert why == Reason.DONE
    assert [round(t, 9) for t in seen] == [0.1, 0.2, 0.27, 0.37, 0.47, 0.5]
    np.testing.assert_allclose(np.hypot(*states[:, :2].T), 1.0, atol=1e-15)


def test_the_cubic_through_the_ends_of_a_step_has_the_states_of_a_cubic() -> None:
    motion = np.polynomial.Polynomial([0.3, -1.0, 0.7, 2.0])
    states = {"x_old": motion(0.5), "x": motion(0.9), "f_old": motion.deriv()(0.5), "f": motion.deriv()(0.9)}
    run = Run(t_old=0.5, taken=0.4, size=1, blocks=1, **{name: np.full(4, value) for name, value in states.items()})
    for t in (0.5, 0.61, 0.83, 0.9):
        cubic_state_at(run, t, out := np.zeros(4))
        np.testing.assert_allclose(out, motion(t), rtol=1e-14)
