"""Bodies on three and four feet: the pushed tripod, and tables that slip when no admissible forces hold them."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from tests.contact.scenes import EXACT, SLIP, STICK, G, modes

import polhode as ph

HEIGHT = 0.5
TRIPOD = ((0.6, 0.0), (-0.3, 0.5), (-0.3, -0.5))
TABLE = ((0.5, 0.4), (0.5, -0.4), (-0.5, -0.4), (-0.5, 0.4))


@cache
def body_on_feet(feet: tuple[tuple[float, float], ...], inertia: tuple[float, ...] = (0.5, 0.6, 0.7)) -> ph.Equations:
    """A free body of 2 kg on feet, friction 3/10, pushed at the level of its feet at (`px`, `py`) by `fx`, `fy`."""
    s = ph.System("feet")
    body = s.body("body", 2, inertia=inertia)
    s.joint("f", s.ground, body, ph.Free())
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    for k, (x, y) in enumerate(feet):
        s.contact(f"foot {k}", s.point(body, (x, y, -HEIGHT)), floor, friction="3/10")
    push = (s.input("fx"), s.input("fy"), 0)
    s.force(body, push, at=(s.parameter("px", 0), s.parameter("py", 0), -HEIGHT))
    s.force(body, (0, 0, -s.input("load")), at=(s.parameter("lx", 0), s.parameter("ly", 0), 0))
    return s.derive()


def one_step_problem(push: Any, at: Any) -> tuple[np.ndarray, np.ndarray]:
    """G and b of the accelerations of the tripod's feet, each along x, y and z."""
    # v + ω × p
    W = np.vstack([np.hstack([np.eye(3), np.cross(np.eye(3), [*foot, -HEIGHT]).T]) for foot in TRIPOD])
    inverse = np.diag([0.5, 0.5, 0.5, 1 / 0.5, 1 / 0.6, 1 / 0.7])
    load = np.concatenate([[*push, -2 * G], np.cross([*at, -HEIGHT], [*push, 0])])
    return W @ inverse @ W.T, W @ inverse @ load


def pinocchio(matrix: np.ndarray, free: np.ndarray, is_exact: bool) -> np.ndarray:
    """Accelerations of the feet by Pinocchio's ADMM."""
    pin = pytest.importorskip("pinocchio")
    carrier = pin.Model()
    joint = carrier.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
    settings.solve_ncp, settings.max_iterations = is_exact, 20000
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = 1e-11
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0
    models, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for _ in range(len(free) // 3):
        cone = pin.PointContactConstraintModel(carrier, joint, pin.SE3.Identity(), 0, pin.SE3.Identity())
        cone.setFriction(0.3)
        models.append(pin.ConstraintModel(cone))
        data.append(models[-1].createData())
    operator = pin.DelassusOperatorDense(matrix)
    pin.ADMMConstraintSolver(len(free)).solve(operator, free, models, data, settings, result)
    return np.asarray(matrix @ result.retrieveConstraintImpulses() + free)


@pytest.mark.parametrize(("push", "at"), [((9.0, 3.0), (0.1, 0.4)), ((4.0, 0.0), (0.0, 0.9)), ((1.0, 1.0), (0.0, 0.0))])
def test_a_pushed_tripod_moves_by_the_exact_one_step_problem(push: Any, at: Any) -> None:
    matrix, free = one_step_problem(push, at)
    exact, relaxed = (pinocchio(matrix, free, is_exact) for is_exact in (True, False))
    inputs, parameters = dict(zip(("fx", "fy"), push, strict=True)), dict(zip(("px", "py"), at, strict=True))
    run = body_on_feet(TRIPOD).simulate(1e-3, start={"f_z": HEIGHT}, samples=2, inputs=inputs, parameters=parameters)
    forces = []
    for k in range(3):
        foot = run.contact(f"foot {k}")
        forces += [*foot.tangential[0], foot.normal[0]]
    ours = matrix @ forces + free
    assert ours == pytest.approx(exact, abs=1e-7)
    assert ours[2::3] == pytest.approx(0, abs=1e-9)
    slips = np.abs(exact).max() > 1e-6
    assert (np.abs(relaxed - exact).max() > 0.1) == slips
    assert modes(run)[1][0] == [SLIP if slips else STICK] * 3


def breaking_load(load: float, at: tuple[float, float], push: tuple[float, float]) -> float:
    """The greatest force along y at (px, py) that forces in the cones of the table's feet hold.

    Normal forces are one family, N + s (1, -1, 1, -1); for each the force is the least μ Σ N |p - c|/|p_x - c_x| over
    centres c of rotation; the best of the family holds it.
    """
    feet = np.array(TABLE)
    balance = np.vstack([np.ones(4), feet.T])
    normal = np.linalg.lstsq(balance, [2 * G + load, load * at[0], load * at[1]], rcond=None)[0]
    share = np.array([1.0, -1.0, 1.0, -1.0])

    def held(s: float) -> float:
        N = normal + s * share

        def bound(c: np.ndarray) -> float:
            return 0.3 * float(N @ np.hypot(*(feet - c).T)) / abs(push[0] - c[0])

        starts = [(-0.3, 0.1), (-1.0, 0.0), (-0.1, -0.1), (-3.0, 0.0)]
        fine = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}
        found = [minimize(bound, c, method="Nelder-Mead", options=fine) for c in starts]
        return min(float(each.fun) for each in found)

    low, high = max(-normal[share > 0]), min(normal[share < 0])
    best = minimize_scalar(lambda s: -held(s), bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    return float(-best.fun)


@pytest.mark.parametrize(("load", "at", "push"), [(0.0, (0.0, 0.0), (0.0, 0.0)), (30.0, (0.2, 0.1), (0.35, 0.0))])
def test_a_table_on_four_legs_slips_when_no_forces_hold_it(load: float, at: Any, push: Any) -> None:
    onset = 0.3 * 2 * G if not load else breaking_load(load, at, push)
    names = dict(zip(("lx", "ly", "px", "py"), (*at, *push), strict=True))
    run = body_on_feet(TABLE).simulate(
        onset * 1.05, start={"f_z": HEIGHT}, inputs={"fy": "t", "load": load}, parameters=names, samples=3, **EXACT
    )
    times, after = modes(run)
    assert after[0] == [STICK] * 4
    assert times[1] == pytest.approx(onset, abs=1e-9)


def test_a_table_breaks_away_at_static_friction_and_slides_with_kinetic() -> None:
    """Pushed by F = t: it slips at μ_s m g, then m a = F - μ_k m g."""
    s = ph.System("table")
    body = s.body("body", 2, inertia=(0.5, 0.6, 0.7))
    s.joint("f", s.ground, body, ph.Free())
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    for k, (x, y) in enumerate(TABLE):
        s.contact(f"foot {k}", s.point(body, (x, y, -HEIGHT)), floor, friction="3/10", static="1/2")
    s.force(body, (s.time, 0, 0), at=(0, 0, -HEIGHT))
    run = s.derive().simulate(11, start={"f_z": HEIGHT}, samples=3, **EXACT)
    slips, kinetic = 0.5 * 2 * G, 0.3 * 2 * G
    times, after = modes(run)
    assert after == [[STICK] * 4, [SLIP] * 4]
    assert times[1] == pytest.approx(slips, abs=1e-9)
    left = 11 - slips
    assert run["f_x"][-1] == pytest.approx((left**3 / 6 + (slips - kinetic) * left**2 / 2) / 2, abs=1e-8)


@pytest.mark.parametrize("supports", [(0.9, 0.995, 0.999), (0.9, 0.95, 0.999), (0.9, 0.999)])
def test_a_beam_that_slides_off_supports_in_a_row_tips_about_the_last(supports: tuple[float, ...]) -> None:
    """Least forces pull before there are none that push; it tips where its weight is beyond the last, at 0.049 s."""
    s = ph.System("beam")
    beam = s.body("b", 1, inertia=(0.004, 0.004, 0.004))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("p", s.ground, beam, plane, coordinates=["x", "z", "a"], speeds=["vx", "vz", "w"])
    under = s.surface("m", beam, ph.Shape.plane("-z"), at=(0, 0, -0.1))
    for i, x in enumerate(supports):
        s.contact(f"p{i}", s.ground.point((x, 0, 1)), under, friction=0)
    run = s.derive().simulate(0.5, start={"x": 0.95, "z": 1.1}, speeds={"vx": 1})
    opens = {event.name: event.t for event in run.contact_events if event.what == "opens"}
    assert opens.pop("p0") == pytest.approx(0.049, abs=1e-9)
    assert opens.pop(f"p{len(supports) - 1}") == pytest.approx(0.1969551, abs=1e-6)  # as of two
    assert all(t == pytest.approx(0.049, abs=1e-9) for t in opens.values())
    assert min(run.contact(f"p{i}").normal.min() for i in range(len(supports))) > -1e-9


def test_a_body_on_three_points_in_a_row_tips_under_a_load_that_grows() -> None:
    s = ph.System("tip")
    body = s.body("b", 1, inertia=(0.01, 0.01, 0.01))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("p", s.ground, body, plane, coordinates=["x", "z", "a"])
    floor = s.surface("f", s.ground, ph.Shape.plane())
    for i, x in enumerate((-0.1, 0.05, 0.1)):
        s.contact(f"p{i}", body.point((x, 0, -0.1)), floor, friction=0.3)
    s.force(body, (0, 0, -10 * s.time), at=(0.3, 0, 0))
    run = s.derive().simulate(0.6, start={"z": 0.1})
    opens = [event.t for event in run.contact_events if event.what == "opens"]
    assert opens == pytest.approx([9.81 * 0.1 / (10 * 0.2)] * 2, abs=1e-9)
