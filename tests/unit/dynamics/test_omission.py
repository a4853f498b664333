import pickle
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import same


def car() -> ph.System:
    """A block that glides on a plane, pushed along itself, with a mast that swings on it."""
    s = ph.System("car")
    flat = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    s.joint("plane", s.ground, s.body("block", 2, inertia=(1, 1, 1)), flat, coordinates=["x", "y", "yaw"])
    s.joint("swing", "block", s.body("mast", 1, (0, 0, -1)), ph.Revolute("x"))
    return s


def test_the_state_is_without_it_and_the_motion_is_the_same() -> None:
    s = car()
    whole, made = s.derive(), s.derive(omit=["x", "y"])
    assert made.coordinates == ["yaw", "swing"] and made.speeds == whole.speeds
    assert same(made.forward_dynamics, whole.forward_dynamics)
    functions = made.compile()
    assert functions.coordinate_rates([0.1, 0.2], [1.0, 2.0, 3.0, 4.0]).tolist() == [3.0, 4.0]
    start = {"start": {"swing": 0.3}, "speeds": {"yaw": 1.0}, "method": "rk4", "step": 0.01}
    long, short = (each.simulate(0.2, **start) for each in (whole, made))
    np.testing.assert_allclose(short["swing"], long["swing"], rtol=0, atol=1e-14)
    assert short.q.shape[1] == 2


def test_what_needs_the_coordinate_says_that_it_is_omitted() -> None:
    made = car().derive(omit=["x", "y"])
    run = made.simulate(0.1, method="rk4", step=0.05)
    for ask, sentence in (
        (lambda: run["x"], "the trajectory has no coordinate 'x': it was omitted"),
        (lambda: run.pose("block"), "depends on the coordinate 'x', which these equations omit"),
        (lambda: made.simulate(1, start={"x": 1}), "the coordinate 'x' is omitted from these equations"),
        (made.power, "these equations are without 'x' and 'y'"),
        (lambda: made.workspace("mast"), "a workspace is that of all coordinates"),
        (lambda: made.singular_configurations("mast"), "a singular configuration is that of all coordinates"),
    ):
        with pytest.raises(ph.PolhodeError, match=sentence):
            ask()


def test_a_speed_of_its_name_is_not_taken_for_it_nor_for_its_limits() -> None:
    s = ph.System("stone")
    s.joint("fall", s.ground, s.body("stone", 2), ph.Prismatic("z"), limits=(0, 1))
    run = s.derive(omit=["fall"]).simulate(0.2, speeds={"fall": 3}, method="rk4", step=0.1)
    assert run.speed("fall")[0] == 3
    refused("the trajectory has no coordinate 'fall'", lambda: run["fall"])
    with pytest.raises(ph.PolhodeError, match="the coordinate 'fall' is omitted from these equations"):
        s.derive(omit=["fall"]).simulate(0.2, start={"fall": 3})
    assert run.passed_limits == () and run.notices == ("the limits of 'fall' were not watched: it is omitted.",)


def test_what_depends_on_a_coordinate_keeps_it_and_is_named() -> None:
    s = car()
    refused("'swing' cannot be omitted: the equation of 'x' depends on it", lambda: s.derive(omit=["swing"]))
    refused("there is no coordinate or joint 'q'", lambda: s.derive(omit=["q"]))
    s.joint_force("swing", -s.joints["plane"].q[0], name="wind")
    with pytest.raises(
        ph.PolhodeError, match=r"'x' cannot be omitted: the equation of 'swing' depends on it, through .*wind"
    ):
        s.derive(omit=["x"])
    s = car()
    x, y, yaw = s.joints["plane"].q
    s.state("way", rate=y * 2)
    refused("the rate of state 'way' depends on it", lambda: s.derive(omit=["y"]))
    s.constrain("track", ph.sin(x) + yaw)
    refused("depends on it, through the constraint 'track'", lambda: s.derive(omit=["x"]))


def test_a_rate_keeps_what_it_depends_on_and_small_motions_are_without_it() -> None:
    s = ph.System("puck", gravity=(0, 0, 0))
    s.joint("ice", s.ground, s.body("puck", 1, inertia=(1, 1, 1)), ph.Planar("z"), coordinates=["yaw", "x", "y"])
    refused("the rate of the coordinate 'x' depends on it", lambda: s.derive(omit=["yaw"]))
    assert s.derive(omit=["ice"]).coordinates == []
    made = car().derive(omit=["x", "y"]).linearize()
    assert made.states[:3] == ["yaw", "swing", "x'"] and len(made.eigenvalues()) == 6


def test_an_orientation_is_omitted_whole() -> None:
    s = ph.System("stone", gravity=(0, 0, 0))
    s.joint("turn", s.ground, s.body("stone", 1, inertia=(1, 2, 3)), ph.Spherical())
    names = s.derive().coordinates
    refused("one of the four components of a quaternion", lambda: s.derive(omit=names[:1]))
    made = s.derive(omit=["turn"])
    run = made.simulate(1, speeds={made.speeds[0]: 1.0}, method="rk4", step=0.1)
    assert run.q.shape[1] == 0
    s.gravity = (0, 0, -1)
    s.joint("arm", "stone", s.body("weight", 1, (1, 0, 0)), ph.Revolute("z"))
    refused("cannot be omitted: the equation of", lambda: s.derive(omit=["turn"]))


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_constraints_that_do_not_depend_on_it_are_kept_without_it(constraints: str) -> None:
    s = ph.System("sleigh", gravity=(0, 0, 0))
    body = s.body("sleigh", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    s.joint("ice", s.ground, body, ph.Planar(), coordinates=["angle", "x", "y"], speeds=["w", "v", "side"])
    s.knife_edge("runner", body)
    whole, made = (s.derive(constraints=constraints, omit=omit) for omit in ([], ["ice"]))
    start = {"speeds": dict(zip(made.speeds, (1.0, 0.5), strict=False)), "method": "rk4", "step": 0.05}
    long, short = (each.simulate(0.2, **start) for each in (whole, made))
    np.testing.assert_allclose(short.u, long.u, atol=1e-12)
    assert short.q.shape[1] == 0 and abs(short.drift.velocity) < 1e-12


def test_it_is_another_entry_of_the_store_and_pickles(tmp_path: Path) -> None:
    s = car()
    made = s.derive(omit=["x"])
    keys = {each.derivation.key for each in (made, s.derive(), s.derive(small=["swing"]), s.derive(small=[]))}
    assert len(keys) == 4
    assert pickle.loads(pickle.dumps(made)).coordinates == made.coordinates
    written = made.export("c", tmp_path, of="coordinate_rates")
    assert any("i < 3" in path.read_text() for path in written if path.suffix == ".c")  # four rates without x


def falling() -> ph.Equations:
    s = ph.System("falling", gravity=(0, 0, "-9.81"))
    s.joint("p", s.ground, s.body("b", 2, (0.1, 0.2, 0.3), (1, 2, 2.5)), ph.Free(storage="321"))
    return s.derive(omit=["p_x", "p_y", "p_z"])


def test_an_energy_that_needs_an_omitted_coordinate_is_left_out(tmp_path: Path) -> None:
    run = falling().simulate(0.1, speeds={"p_wx": 1.0}, samples=3)
    assert not run.has_energy
    run.plot(tmp_path / "fall.png")
    refused("depends on the coordinate 'p_z'", lambda: run.energy)


def test_a_program_tells_the_energies_that_the_state_tells(tmp_path: Path) -> None:
    for target, ending in (("c", "c"), ("fortran", "f90")):
        written = falling().export(target, tmp_path, program=True)
        (main,) = [path for path in written if path.name.endswith(f"simulation.{ending}")]
        source = main.read_text(encoding="utf-8")
        assert "energy.kinetic" in source and "potential" not in source
