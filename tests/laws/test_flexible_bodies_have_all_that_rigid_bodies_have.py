"""Reactions, loads, closures, audits, code, linear equations, sweeps, sensitivities, batches, controllers of an arm
that bends, each beside statics, finite differences or another way to the same number."""

import ctypes
import pickle
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.control import PDGravity
from polhode.expr import evaluate


def arm(stay: bool = True) -> ph.System:
    """A flexible arm on a hub with a load at its tip; under gravity with a spring and damper at a station."""
    s = ph.System("arm", gravity=(0, 0, "-9.81" if stay else 0))
    L, EI = s.parameter("L", 2), s.parameter("EI", 400)
    hub = s.body("hub", 5, inertia=(1, 1, 1))
    s.joint("hub", s.ground, hub, ph.Revolute("y"))
    rod = s.beam("rod", length=L, mass=s.parameter("m", 3), EI=EI, modes=2, stiffening=True, damping="0.01")
    s.joint("root", hub, rod, "fixed", at=("0.1", 0, 0))
    s.joint("load", rod.at(L), s.body("load", "0.5", inertia=("0.01", "0.01", "0.01")), "fixed")
    if stay:
        s.spring(s.ground, rod.at(L / 2, static=False), 20, 1, damping=2, at_a=(1, 0, 2), name="stay")
    return s


def numbers(e: ph.Equations) -> dict[ph.Expr, float]:
    return {parameter.symbol: float(parameter.value) for parameter in e.system.parameters.values()}


def test_the_wall_carries_the_weight_and_its_moment() -> None:
    s = ph.System("cantilever", gravity=(0, 0, -10))
    rod = s.beam("rod", length=2, mass=3, EI=4000, modes=2, load_shapes=1)
    s.joint("wall", s.ground, rod, "fixed")
    s.joint("load", rod.at(2), s.body("load", "0.5"), "fixed")
    e = s.derive()
    rest = e.equilibrium()
    run = e.simulate(0.01, start=rest, samples=2)
    wall = run.reaction("wall", frame="ground")
    load = run.reaction("load", frame="ground")
    assert wall.force[0] == pytest.approx([0, 0, 35], abs=1e-7)
    assert load.force[0] == pytest.approx([0, 0, 5], abs=1e-7)
    assert wall.torque[0] == pytest.approx([0, -(30 * 1 + 5 * 2), 0], rel=1e-4, abs=1e-7)  # arms of the straight beam


def test_powers_of_all_ports_are_the_rate_of_energy() -> None:
    run = arm().derive().simulate(1, start={"hub": 0.3}, tau={"hub": "20*sin(3*t)"}, rtol=1e-11, atol=1e-11, rate=2000)
    audit = run.power_audit()
    books = [part.residual for part in audit.parts if part.name != "the run"]
    assert max(books) < 1e-10
    assert audit.residual < 1e-6


def test_a_closed_loop_by_multipliers_and_by_fewer_speeds_is_one_motion() -> None:
    s = ph.System("propped", gravity=(0, 0, -10))
    rod = s.beam("rod", length=2, mass=3, EI=40, modes=2)
    s.joint("hinge", s.ground, rod, ph.Revolute("y"))
    s.close("roller", s.ground, rod.at(2), ph.Compound(ph.Prismatic("x"), ph.Revolute("y")), at_a=(2, 0, 0))
    free, embedded = s.derive(), s.derive(constraints="embedded")
    assert len(embedded.speeds) == len(free.speeds) - 1 and embedded.agrees_with(free)
    one, other = (e.simulate(0.5, samples=11, rtol=1e-10, atol=1e-10) for e in (free, embedded))
    assert one["rod_z1"] == pytest.approx(other["rod_z1"], abs=1e-8)
    assert s.diagnose().freedom == len(embedded.speeds)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_exported_c_computes_what_native_code_does(tmp_path: Path) -> None:
    e = arm().derive()
    written = e.export("c", tmp_path, "forward_dynamics")
    source = next(path for path in written if path.suffix == ".c")
    library = tmp_path / "arm.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    compiled = ctypes.CDLL(str(library))
    rng = np.random.default_rng(1)
    q, u, tau = (0.1 * rng.normal(size=len(e.q)) for _ in range(3))
    p, work, out = np.array([2.0, 400.0, 3.0]), np.zeros(10_000), np.zeros(len(e.u))
    pointers = [array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for array in (p, q, u, tau, work, out)]
    compiled.arm_forward_dynamics_setup(pointers[0], pointers[4])
    compiled.arm_forward_dynamics(*pointers[1:])
    assert list(e.system.parameters) == ["L", "EI", "m"]
    here = numbers(e) | dict(zip([*e.q, *e.u, *e.tau], [*q, *u, *tau], strict=True))
    expected = np.array(evaluate(list(e.forward_dynamics), here), dtype=float)
    assert out == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())
    native = e.compile().forward_dynamics(q, u, tau)
    assert out == pytest.approx(np.asarray(native), abs=1e-12 * np.abs(expected).max())


def test_sensitivity_to_the_stiffness_is_that_of_finite_differences() -> None:
    e = arm().derive()
    options = {"start": {"hub": 0.3}, "samples": 11, "rtol": 1e-12, "atol": 1e-13}
    run = e.sensitivities(0.3, by=["EI"], **options)
    up, down = (e.simulate(0.3, parameters={"EI": 400 + step}, **options)["rod_z1"] for step in (0.05, -0.05))
    difference = (up - down) / 0.1
    assert run["rod_z1", "EI"] == pytest.approx(difference, abs=1e-5 * np.abs(difference).max())


def test_a_batch_and_a_sweep_have_the_members_of_single_runs() -> None:
    e = arm().derive()
    stiffness = [200.0, 400.0, 800.0]
    batch = e.simulate(0.3, parameters={"EI": stiffness}, start={"hub": [0.3] * 3}, samples=5)
    for k, EI in enumerate(stiffness):
        alone = e.simulate(0.3, parameters={"EI": EI}, start={"hub": 0.3}, samples=5)
        assert batch["rod_s1_z"][k] == pytest.approx(alone["rod_s1_z"], abs=1e-9)
    sweep = e.sweep({"EI": stiffness}, 0.3, measure="min:rod_s1_z", start={"hub": 0.3}, workers=1)
    found = np.asarray(sweep["min:rod_s1_z"]).ravel()
    assert found[0] < found[1] < found[2] < 0


def test_linear_equations_are_the_slopes_of_the_rates() -> None:
    e = arm().derive()
    at = {"hub": 0.3, "rod_z1": 0.01, "rod_s1_z": 0.02}
    A = np.array(e.linearize(at).state_space()[0], dtype=float)
    values = {**numbers(e), **dict.fromkeys(e.tau, 0.0)}

    def rates(x: np.ndarray) -> np.ndarray:
        n = len(e.q)
        here = values | dict(zip(e.q, x[:n], strict=True)) | dict(zip(e.u, x[n:], strict=True))
        return np.array([*x[n:], *evaluate(list(e.forward_dynamics), here)], dtype=float)

    x = np.array([at.get(name, 0.0) for name in e.coordinates] + [0.0] * len(e.u))
    steps = 1e-6 * np.eye(len(x))
    slopes = np.column_stack([(rates(x + step) - rates(x - step)) / 2e-6 for step in steps])
    assert pytest.approx(slopes, abs=1e-6 * np.abs(slopes).max()) == A


def test_a_hub_under_collocated_control_brings_the_bending_arm_to_rest() -> None:
    """PD on the hub alone; the load at the tip is seen by nobody."""
    s = arm(stay=False)
    e = s.derive()
    hub = s.joints["hub"]
    law = {"hub": 200 * (ph.expr.as_expr("0.5") - hub.q[0]) - 60 * hub.u[0]}
    run = e.simulate(8, tau=law, samples=81)
    assert abs(float(run["hub"][-1]) - 0.5) < 0.05 and np.abs(run.speed("hub")[-1]) < 1e-2
    assert np.abs(run["rod_s1_z"]).max() > 1e-3


def test_a_controller_of_the_rigid_arm_runs_on_the_flexible_one() -> None:
    rigid = ph.System("rigid arm", gravity=(0, 0, 0))
    rigid.joint("hub", rigid.ground, rigid.body("arm", 8, ("0.5", 0, 0), (3, 3, 3)), ph.Revolute("y"))
    run = (
        arm(stay=False)
        .derive()
        .simulate(6, controller=PDGravity(rigid.derive(), kp=200, kd=60), reference={"hub": 0.5}, samples=61)
    )
    assert abs(float(run["hub"][-1]) - 0.5) < 0.05


def test_a_model_with_flexible_bodies_goes_through_pickle() -> None:
    s = arm()
    again = pickle.loads(pickle.dumps(s))
    assert again.derive().agrees_with(s.derive())
    e = pickle.loads(pickle.dumps(s.derive()))
    assert e.simulate(0.1, start={"hub": 0.1}, samples=3)["rod_z1"].shape == (3,)
    assert again.bodies["rod"].at(again.parameters["L"].symbol).name == "rod at L"
    assert s.diagnose().freedom == len(s.derive().speeds)


def test_assembly_bends_a_body_only_where_nothing_else_closes_the_loop() -> None:
    s = ph.System("slider-crank")
    crank, block = s.body("crank", 1), s.body("block", 1)
    s.joint("crank", s.ground, crank, ph.Revolute("-y"))
    rod = s.beam("rod", length=1, mass=1, EI=10, modes=2, ends=("pinned", "pinned"))
    s.joint("pin", crank, rod, ph.Revolute("-y"), at=("0.3", 0, 0))
    s.joint("slide", s.ground, block, ph.Prismatic("x"))
    s.close("wrist", rod.at(1, static=False), block, ph.Revolute("y"))
    e = s.derive()
    straight = dict(zip(e.coordinates, e.assemble({"crank": 1.0}).q, strict=True))
    assert (straight["rod_z1"], straight["rod_z2"]) == (0, 0)
    assert straight["slide"] == pytest.approx(0.3 * np.cos(1) + np.sqrt(1 - (0.3 * np.sin(1)) ** 2))
    start = {"crank": 1.0, "pin": -1.2, "slide": 1.1, "rod_z1": 0.02}
    held = dict(zip(e.coordinates, e.assemble(start, hold=["crank", "rod_z1"]).q, strict=True))
    assert (held["crank"], held["rod_z1"]) == (1.0, 0.02)


def test_a_support_that_lifts_bends_the_beam_and_its_start_varies_with_it() -> None:
    s = ph.System("propped", gravity=(0, 0, 0))
    height = s.parameter("height", 0)
    rod = s.beam("rod", length=2, mass=3, EI=40, modes=1)
    s.joint("wall", s.ground, rod, "fixed")
    s.close("prop", s.ground, rod.at(2), ph.Compound(ph.Prismatic("x"), ph.Revolute("y")), at_a=(2, 0, height))
    e = s.derive()
    lifted = dict(zip(e.coordinates, e.assemble(parameters={"height": 0.1}).q, strict=True))
    assert lifted["rod_s1_z"] == pytest.approx(0.1)
    run = e.sensitivities(0.05, by=["height"], samples=6)
    assert run["rod_s1_z", "height"] == pytest.approx(1)
