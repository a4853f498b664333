"""The fixed-step loop: right order, right time, the same bits however it is cut, and an honest stop."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from polhode.codegen.fixed_steps import METHODS
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.errors import PolhodeError, ShapeError
from polhode.ode_former.fixed_step import FixedStep
from polhode.ode_former.step_loop import INLINE


def pendulum(padding: int = 0) -> Program:
    """x = (angle, speed); angle'' = −(p0/p1) sin angle + tau, with `padding` useless but needed operations."""
    code = [Instruction("sin", (0,)), Instruction("mul", (5, 6)), Instruction("sub", (2, 7))]
    for _ in range(padding):
        code.append(Instruction("abs" if len(code) % 2 else "neg", (5 + len(code),)))
    last = 5 + len(code)
    if padding:
        code += [
            Instruction("mul", (last, last)),
            Instruction("mul", (last + 1, 0)),
            Instruction("sub", (last + 2, last + 2)),
        ]
        code.append(Instruction("add", (8, last + 3)))
        last += 4
    return Program(
        "pendulum", (Array("x", 2), Array("tau", 1)), 2, (), (Instruction("div", (3, 4)),), tuple(code),
        (Output("xdot", (2,), (1, last)),),
    )  # fmt: skip


# x' = x² has x0/(1 − x0 t)
BLOW_UP = Program("blow", (Array("x", 1),), 0, (), (), (Instruction("mul", (0, 0)),), (Output("xdot", (1,), (1,)),))
# x' = (cos t) x has x0 exp(sin t)
DRIVEN = Program(
    "driven", (Array("t", 1), Array("x", 1)), 0, (), (), (Instruction("cos", (0,)), Instruction("mul", (2, 1))),
    (Output("xdot", (1,), (3,)),),
)  # fmt: skip
P = [9.81, 1.3]


@pytest.fixture(scope="module")
def swing() -> FixedStep:
    return FixedStep(pendulum(), cache=False)


@pytest.mark.parametrize("method", METHODS)
def test_the_error_falls_with_the_stated_order(method: str) -> None:
    loop = FixedStep(DRIVEN, method, cache=False)
    errors = [abs(loop.run([1.0], h=2.0 / n, steps=n).final[0] - np.exp(np.sin(2.0))) for n in (64, 128)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(METHODS[method].order, abs=0.25)


@pytest.mark.parametrize("method", METHODS)
def test_the_native_loop_equals_the_loop_in_python(method: str) -> None:
    for program, arrays in ((pendulum(), {"tau": [0.3], "parameters": P}), (DRIVEN, {})):
        size = program.arrays[-1].size if program is DRIVEN else 2
        x0 = np.random.default_rng(0).normal(size=(3, size))
        native, slow = (
            FixedStep(program, method, backend=backend, cache=False).run(x0, h=0.01, steps=50, every=7, **arrays)
            for backend in ("llvm", "numpy")
        )
        np.testing.assert_allclose(native.states, slow.states, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(native.final, slow.final, rtol=1e-13, atol=1e-13)
        np.testing.assert_array_equal(native.time, slow.time)


def test_energy_of_the_pendulum_is_kept_to_fourth_order(swing: FixedStep) -> None:
    run = swing.run([2.0, 0.0], h=1e-3, steps=10_000, every=10, tau=[0.0], parameters=P)
    energy = run.states[:, 1] ** 2 / 2 - P[0] / P[1] * np.cos(run.states[:, 0])
    assert run.completed == 10_000 and np.isfinite(run.states[-1]).all() and np.ptp(energy) < 1e-9


def test_a_large_kernel_is_called_and_gives_the_same_motion(swing: FixedStep) -> None:
    large = FixedStep(pendulum(padding=INLINE + 1), cache=False)
    options = {"h": 0.01, "steps": 200, "every": 20, "tau": [0.1], "parameters": P}
    np.testing.assert_allclose(
        large.run([1.0, 0.5], **options).states, swing.run([1.0, 0.5], **options).states, rtol=1e-13
    )
    x0 = np.random.default_rng(2).normal(size=(19, 2))
    np.testing.assert_allclose(large.run(x0, **options).states, swing.run(x0, **options).states, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("count", [1, 5, 16, 37])
def test_a_batch_equals_single_runs(swing: FixedStep, count: int) -> None:
    choose = np.random.default_rng(count)
    x0, tau = choose.normal(size=(count, 2)), choose.normal(size=(count, 1))
    p = choose.uniform(1.0, 2.0, size=(count, 2))
    run = swing.run(x0, h=0.01, steps=60, every=20, tau=tau, parameters=p, threads=2)
    assert run.states.shape == (count, 4, 2) and run.completed.tolist() == [60] * count
    for k in range(count):
        one = swing.run(x0[k], h=0.01, steps=60, every=20, tau=tau[k], parameters=p[k])
        np.testing.assert_allclose(run.states[k], one.states, rtol=1e-13, atol=1e-13)


def test_a_run_cut_in_pieces_gives_the_same_bits() -> None:
    loop = FixedStep(DRIVEN, cache=False)
    whole = loop.run([0.7], h=0.013, steps=5000, every=10, t0=0.1)
    x, states = np.array([0.7]), [[0.7]]
    for start in range(0, 5000, 1250):
        part = loop.run(x, h=0.013, steps=1250, every=10, t0=0.1, start=start)
        x, states = part.final, [*states, *part.states[1:]]
    np.testing.assert_array_equal(whole.states, states)


def test_steps_that_are_no_multiple_of_the_record_are_still_taken(swing: FixedStep) -> None:
    a = swing.run([1.0, 0.0], h=0.01, steps=25, every=10, tau=[0.0], parameters=P)
    b = swing.run([1.0, 0.0], h=0.01, steps=25, tau=[0.0], parameters=P)
    assert a.states.shape == (3, 2) and a.completed == 25
    np.testing.assert_array_equal(a.states, b.states[::10])
    np.testing.assert_array_equal(a.final, b.states[-1])


def test_records_further_apart_than_a_chunk_are_right(swing: FixedStep) -> None:
    heard: list[int] = []
    a = swing.run(
        [1.0, 0.0], h=1e-4, steps=9000, every=3000, tau=[0.0], parameters=P, on_chunk=lambda d, n: heard.append(d)
    )
    b = swing.run([1.0, 0.0], h=1e-4, steps=9000, tau=[0.0], parameters=P)
    np.testing.assert_array_equal(a.states, b.states[::3000])
    assert len(heard) > 3 and heard[-1] == 9000


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_f34_a_state_that_blows_up_stops_alone_and_keeps_its_last_good_value(backend: str) -> None:
    loop = FixedStep(BLOW_UP, backend=backend, cache=False)
    x0 = np.array([[1.0], [0.01], [-1.0], [np.nan]] + [[0.1]] * 20)
    run = loop.run(x0, h=0.05, steps=100, every=5)
    assert run.completed[1] == run.completed[2] == 100 and run.completed[3] == 0 and np.isnan(run.states[3, -1]).all()
    stopped = run.completed[0]
    assert 15 < stopped < 60 and np.isfinite(run.final[0, 0])
    assert np.isfinite(run.states[0, : stopped // 5 + 1]).all() and np.isnan(run.states[0, stopped // 5 + 1 :]).all()
    alone = loop.run(x0[0], h=0.05, steps=100, every=5)
    assert alone.completed == stopped and alone.final[0] == pytest.approx(run.final[0, 0])
    np.testing.assert_allclose(run.states[1, -1], 0.01 / (1 - 0.01 * 5.0), rtol=1e-9)


def test_unit_quaternions_stay_unit_and_turn_right() -> None:
    # q' = ½ q ⊗ (0, 0, 0, 2): a turn about z with speed 2, beside one number that must not be touched
    program = Program(
        "turn", (Array("x", 5),), 0, (0.5,), (), (Instruction("neg", (5,)), Instruction("neg", (3,))),
        (Output("xdot", (5,), (0, 6, 4, 7, 2)),),
    )  # fmt: skip
    x0 = [3.0, 1.0, 0.0, 0.0, 0.0]
    loose = FixedStep(program, "euler", cache=False).run(x0, h=0.01, steps=300)
    tight = FixedStep(program, "euler", normalise=[(1, 4)], cache=False).run(x0, h=0.01, steps=300)
    norms = np.linalg.norm(tight.states[:, 1:], axis=1)
    assert np.linalg.norm(loose.final[1:]) > 1.01 and np.abs(norms - 1.0).max() < 1e-15
    assert tight.final[0] == pytest.approx(3.0 + 0.5 * 3.0)
    exact = FixedStep(program, normalise=[(1, 4)], cache=False).run(np.tile(x0, (17, 1)), h=0.01, steps=300)
    np.testing.assert_allclose(exact.final[16], [4.5, np.cos(3.0), 0.0, 0.0, np.sin(3.0)], atol=1e-8)


def test_an_interrupt_between_chunks_is_heard(swing: FixedStep) -> None:
    def stop(done: int, steps: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swing.run([1.0, 0.0], h=1e-3, steps=10**9, every=10**9, tau=[0.0], parameters=P, on_chunk=stop)


def test_no_steps_give_the_initial_state(swing: FixedStep) -> None:
    run = swing.run([1.0, 2.0], h=0.1, steps=0, tau=[0.0], parameters=P)
    assert run.states.tolist() == [[1.0, 2.0]] and run.completed == 0
    assert swing.run(np.empty((0, 2)), h=0.1, steps=3, tau=[0.0], parameters=P).states.shape == (0, 4, 2)


def test_wrong_calls_are_refused(swing: FixedStep) -> None:
    with pytest.raises(ShapeError, match=r"'x'.*\(3,\)"):
        swing.run([1.0, 2.0, 3.0], h=0.1, steps=1, tau=[0.0], parameters=P)
    with pytest.raises(ShapeError, match="'tau' is missing"):
        swing.run([1.0, 2.0], h=0.1, steps=1, parameters=P)
    for wrong in ({"h": np.nan}, {"h": 0.0}, {"steps": -1}, {"every": 0}, {"t0": np.inf}):
        with pytest.raises(PolhodeError):
            swing.run([1.0, 2.0], **({"h": 0.1, "steps": 1, "tau": [0.0], "parameters": P} | wrong))
    with pytest.raises(PolhodeError, match="rk4"):
        FixedStep(BLOW_UP, "rk5")
    with pytest.raises(ShapeError, match="normalise"):
        FixedStep(BLOW_UP, normalise=[(0, 2)])
    with pytest.raises(ShapeError, match="array x"):
        FixedStep(Program("no", (Array("q", 1),), 0, (), (), (), (Output("xdot", (1,), (0,)),)))


def test_a_pickled_loop_is_made_again(swing: FixedStep) -> None:
    again = pickle.loads(pickle.dumps(swing))
    options = {"h": 0.1, "steps": 3, "tau": [0.0], "parameters": P}
    np.testing.assert_array_equal(again.run([1.0, 2.0], **options).states, swing.run([1.0, 2.0], **options).states)
