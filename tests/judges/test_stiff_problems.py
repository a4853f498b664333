"""Stiff problems whose solutions are known: the test set for initial value problems, SciPy's Radau, SUNDIALS."""

from importlib.util import find_spec

import numpy as np
import pytest

import polhode as ph
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Reason

STIFF = ["Rodas5P", "Radau"]


def hires(t: float, y: np.ndarray) -> np.ndarray:
    made = 280 * y[5] * y[7]
    return np.array([
        -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007,
        1.71 * y[0] - 8.75 * y[1],
        -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
        8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
        -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
        -made + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
        made - 1.81 * y[6],
        -made + 1.81 * y[6],
    ])  # fmt: skip


def robertson(t: float, y: np.ndarray) -> np.ndarray:
    first, second, third = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return np.array([second - first, first - second - third, third])


@pytest.mark.parametrize("method", STIFF)
def test_hires_ends_where_the_test_set_says(method: str) -> None:
    end, tolerance = 321.8122, 1e-9
    run = NativeRun(method, np.array([1.0, 0, 0, 0, 0, 0, 0, 0.0057]), rtol=tolerance, atol=tolerance)
    run.use(run.python(hires))
    run.begin(end)
    assert run.advance(end, 10**5) == Reason.DONE
    expected = [
        0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
        0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2,
    ]  # fmt: skip
    assert run.x == pytest.approx(expected, abs=100 * tolerance) and run.record.steps < 1000


@pytest.mark.parametrize("method", STIFF)
def test_robertson_goes_over_eleven_decades_of_time(method: str) -> None:
    end = 1e11
    run = NativeRun(method, np.array([1.0, 0, 0]), rtol=1e-8, atol=1e-14)
    run.use(run.python(robertson))
    run.record.growth = 10.0
    run.begin(end)
    assert run.advance(end, 10**5) == Reason.DONE
    assert run.x == pytest.approx([0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050], rel=1e-4)


@pytest.fixture(scope="module")
def oscillator() -> ph.Equations:
    """Van der Pol's oscillator, as a block under a force."""
    s = ph.System("oscillator")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    j = s.joints["x"]
    s.joint_force("x", 10**6 * ((1 - j.q[0] ** 2) * j.u[0] - j.q[0]))
    return s.derive()


@pytest.mark.parametrize("method", [*STIFF, "auto"])
def test_van_der_pols_oscillator_ends_where_the_test_set_says(method: str, oscillator: ph.Equations) -> None:
    options = {"method": method, "rtol": 1e-7, "atol": 1e-7, "samples": 3, "watch_energy": False}
    run = oscillator.simulate(2, start=([2.0], [0.0]), **options)  # type: ignore[arg-type]
    assert run.q[-1, 0] == pytest.approx(1.706167732170483, abs=1e-5)
    assert run.u[-1, 0] == pytest.approx(-0.8928097010247975, abs=1e-5)


def stiff_chain(links: int) -> ph.Equations:
    """A chain of links with stiff, damped springs in its joints."""
    s = ph.System("chain")
    parent = s.ground
    for k in range(links):
        link = s.body(f"link{k}", 0.1, (0, 0, -0.05), (1e-4, 1e-4, 1e-5))
        place = (0, 0, -0.1) if k else (0, 0, 0)
        joint = s.joint(f"j{k}", parent, link, ph.Revolute("y"), at=place)
        s.joint_force(joint, -200 * joint.q[0] - 20 * joint.u[0] if k else 0)
        parent = link
    return s.derive()


def test_scipy_and_sundials_take_a_stiff_chain_the_same_way() -> None:
    chain = stiff_chain(4)
    start = {"j0": 1.0}
    theirs = ["scipy.Radau"] + (["ida"] if find_spec("sksundae") else [])
    runs = [
        chain.simulate(1, start=start, method=method, rtol=1e-8, atol=1e-8, samples=11, watch_energy=False)
        for method in [*STIFF, "auto", *theirs]
    ]
    for run in runs[1:]:
        assert np.abs(run.q - runs[0].q).max() < 1e-6
