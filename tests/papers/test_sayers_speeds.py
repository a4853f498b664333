"""Sayers (1991): his formalism as a user runs it, `derive("kane", speeds="sayers")`: Table 5, (20) to (46)."""

import pickle
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Matrix, as_expr, evaluate, same
from polhode.formalisms.kane.bodies import parts_of
from polhode.formalisms.kane.literal import SayersSpeeds
from polhode.kinematics.tree import build_tree
from polhode.model.samples.random_system import random_system
from polhode.model.system import System
from polhode.papers.sayers.tables import kinematical_equations
from polhode.simulate.trajectory.units import speed_units

FULL = [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]
NON, REC = "nonrecursive", "recursive"


def assert_the_same_in_his_speeds(system: System) -> ph.Equations:
    """Composite bodies, brought to u* = P u + p by the inverse of P, are the judge of all that the sums give."""
    made = system.derive("kane", speeds="sayers")
    chosen = made.dependent_speeds
    assert isinstance(chosen, SayersSpeeds)
    judge = system.derive("composite_body", pseudo=dict(zip(made.speeds, chosen.values, strict=True)))
    known = judge.dependent_speeds
    assert judge.speeds == made.speeds and known is not None
    assert same(chosen.E.entries(), known.E.entries())
    assert same([*chosen.e, *chosen.gamma], [*known.e, *known.gamma])
    assert same(made.coordinate_rates, judge.coordinate_rates)
    S, v = kinematical_equations(chosen.literal)
    assert same([as_expr(entry) for entry in S @ made.coordinate_rates], v)
    assert made.agrees_with(judge)
    assert made.agrees_with(system.derive("newton_euler"))
    return made


@pytest.mark.parametrize("seed", seeds(3, of=24))
def test_the_sums_in_his_speeds_agree_on_random_systems(seed: int) -> None:
    joints = ("free", "spherical", "planar", "compound", "revolute", "prismatic")
    assert_the_same_in_his_speeds(random_system(seed, bodies=3, max_speeds=8, joints=joints))


def block(rotations: tuple[int, ...], translations: Any, carried: bool = False, weight: float = 9.81) -> System:
    """A body with an offset mass centre on a building block, on the ground or on a swing."""
    system = ph.System("block", gravity=(0, 0, -weight))
    body = system.body("body", 2, (system.parameter("a", 0.3), 0.2, 0.1), FULL)
    parent = system.ground
    if carried:
        parent = system.body("swing", 1, (0, 0, -1), FULL)
        system.joint("hinge", system.ground, parent, ph.Revolute("x"))
    system.joint("block", parent, body, ph.BuildingBlock(translations, rotations), at=(0, 1, 0.5))
    return system


@pytest.mark.parametrize(("translations", "rotations", "translation", "rotation"), [
    ("x", (3,), REC, REC), ("xy", (3,), NON, REC), ([(0.6, 0.8, 0), (0, 1, 0)], (3,), NON, REC),
    ("xy", (1,), REC, REC), ("xz", (), NON, "rotor"), ("xyz", (2,), NON, REC), ("xyz", (), NON, "rotor"),
    ("xy", (1, 2, 3), REC, NON), *((order, (1, 2, 3), NON, NON) for order in permutations("xyz")),
])  # fmt: skip
def test_table_5_takes_a_building_block_as_the_joint_of_one_body(
    translations: Any, rotations: tuple[int, ...], translation: str, rotation: str
) -> None:
    system = block(rotations, translations)
    system.joint("elbow", "body", system.body("arm", 1, (0.4, 0, 0), FULL), ph.Revolute("y"), at=(1, 0, 0))
    parts = parts_of(system, build_tree(system))
    assert [part.link.name for part in parts] == ["body", "arm"]
    assert (parts[0].translation, parts[0].rotation) == (translation, rotation)
    assert_the_same_in_his_speeds(system)


def test_table_2_tells_of_a_block_as_of_one_body() -> None:
    report = block((3,), "xy", carried=True).derive("kane").sayers_tables
    flat = block((3,), "xy").derive("kane").sayers_tables
    rows = {
        "Joint point (in parent)": ("0, 1, 1/2", "0, 1, 1/2"),
        "Translational coordinates": ("q2, q3", "q1, q2"),
        "Translational speeds": ("u2, u3", "u1, u2"),
        "Translational directions": ("n1, s2", "n1, n2"),
        "Direction of translational speeds": ("n1, s2", "b1, b2"),
        "Rotational coordinates": ("q4", "q3"),
    }
    for row, expected in rows.items():
        assert tuple(each.cell_text(each.table_2.cell(row, "B")) for each in (report, flat)) == expected


@pytest.mark.parametrize(("translations", "expected"), [("xyz", NON), ("xy", REC), ("yz", NON), ("zy", NON)])
def test_table_5_on_a_swing_asks_whether_the_plane_keeps_its_place(translations: str, expected: str) -> None:
    """The swing turns about x: planes across x stay what they are, others do not."""
    system = block((1,), translations, carried=True)
    assert parts_of(system, build_tree(system))[1].translation == expected
    assert_the_same_in_his_speeds(system)


@pytest.mark.parametrize(("turned", "slides"), [(1, "yz"), (2, "zx"), (3, "xy"), (3, "yx")])
def test_two_translations_go_along_the_axes_of_their_plane(turned: int, slides: str) -> None:
    """Not along b_(i-o) of Table 9, which are b_1 and b_2 whatever the plane."""
    system = block((turned,), slides)
    part = parts_of(system, build_tree(system))[0]
    across = [axis for k, axis in enumerate(Matrix.identity(3), start=1) if k != turned]
    assert [*part.absolute.values()] == across
    made = assert_the_same_in_his_speeds(system)
    names = [f"block_1{k}_star" for k in (1, 2)]
    assert made.speeds == [*names, "block_2"]


@pytest.mark.parametrize("slides", ["x", "yx"])
def test_a_block_that_is_turned_in_its_parent_carries_a_free_body(slides: str) -> None:
    """Nominal orientation of Table 3, and a joint that is placed askew; what it carries takes its velocity off."""
    system = ph.System("tower")
    cart = system.body("cart", 1, (0.1, 0.2, 0.3), FULL)
    joint = ph.BuildingBlock(slides, (3,), axis="y", reference="z")
    system.joint("rail", system.ground, cart, joint, at=(0, 1, 0), rotation=("x", 0.4))
    system.joint("toss", cart, system.body("ball", 2, (0, 0.3, 0), FULL), ph.BuildingBlock("xyz", (2,)), at=(1, 0, 0))
    assert_the_same_in_his_speeds(system)


def test_two_rotations_after_translations_are_two_bodies_the_first_without_mass() -> None:
    system = block((3, 1), "xyz")
    parts = parts_of(system, build_tree(system))
    assert [(part.translation, part.rotation) for part in parts] == [(NON, "rotor"), (REC, REC)]
    assert_the_same_in_his_speeds(system)


def test_prismatic_joints_before_a_hinge_are_the_same_block() -> None:
    """What a joint is called does not matter: translations, then a turn."""
    system = ph.System("skate")
    slide = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    skate = system.body("skate", 2, (0.3, 0, 0), (1, 1, 1))
    system.joint("ice", system.ground, skate, slide, coordinates=["x", "y", "turn"], speeds=["vx", "vy", "w"])
    made = assert_the_same_in_his_speeds(system)
    assert made.speeds == ["vx_star", "vy_star", "w"]
    assert made.mass_matrix == Matrix([[2, 0, 0], [0, 2, 0], [0, 0, 1]])


def flyer() -> System:
    system = ph.System("flyer")
    c = [system.parameter(f"c{k}", k / 10) for k in (1, 2, 3)]
    inertia = [system.parameter(f"I{k}", k) for k in (1, 2, 3)]
    body = system.body("body", system.parameter("m", 2), c, inertia)
    system.joint("fly", system.ground, body, ph.BuildingBlock("xyz", (1, 2, 3)))
    return system


def test_an_offset_mass_centre_leaves_the_mass_matrix_of_a_free_body_diagonal() -> None:
    """As the sums add it up, with nothing to cancel: Euler's and Newton's equations."""
    made = assert_the_same_in_his_speeds(flyer())
    p = {name: entry.symbol for name, entry in made.system.parameters.items()}
    diagonal = [p["m"]] * 3 + [p["I1"], p["I2"], p["I3"]]
    rows = [[entry if i == j else 0 for j in range(6)] for i, entry in enumerate(diagonal)]
    assert [[*row] for row in made.mass_matrix] == rows
    assert made.speeds == [*(f"fly_v{x}_star" for x in "xyz"), *(f"fly_w{x}" for x in "xyz")]


def test_a_speed_that_is_the_system_s_own_keeps_its_name() -> None:
    """Where the mass centre is the origin the velocities are one and the same, and derivations literally alike."""
    system = ph.System("ball")
    system.joint("fly", system.ground, system.body("ball", 2, inertia=FULL), ph.Free())
    made, other = system.derive("kane", speeds="sayers"), system.derive("kane")
    assert made.speeds == other.speeds
    assert same(made.mass_matrix.entries(), other.mass_matrix.entries()) and made.agrees_with(other)


@pytest.mark.parametrize(("translations", "rotations", "starred"), [
    ("x", (1, 2, 3), []), ("xyz", (), []), ("xyz", (3,), ["block_11_star", "block_12_star"]),
    ([(1, 0, 0), (0.6, 0.8, 0), (0, 0, 1)], (), ["block_1_star", "block_2_star"]),
])  # fmt: skip
def test_a_speed_has_a_star_where_it_is_another_alone(
    translations: Any, rotations: tuple[int, ...], starred: list[str]
) -> None:
    system = block(rotations, translations)
    made = assert_the_same_in_his_speeds(system)
    assert [name for name in made.speeds if name.endswith("_star")] == starred
    if not starred:
        assert made.dependent_speeds is not None
        assert same(made.dependent_speeds.E.entries(), Matrix.identity(len(made.u)).entries())
        name = made.speeds[-1]
        assert made.simulate(0.01, speeds={name: 2}).speed(name)[0] == 2


def test_prescribed_motion_is_part_of_what_his_speeds_mean() -> None:
    system = block((1, 2, 3), "xyz", carried=True)
    system.prescribe("hinge", ph.sin(2 * system.time))
    made = assert_the_same_in_his_speeds(system)
    assert made.dependent_speeds is not None and any(made.dependent_speeds.e)


@pytest.mark.parametrize("stiffness", [None, 40], ids=["stiff", "elastic"])
def test_motors_on_joints_of_a_free_body_agree(stiffness: float | None) -> None:
    system = flyer()
    system.joint("elbow", "body", system.body("arm", 1, (0.4, 0, 0), FULL), ph.Revolute("y"), at=(1, 0, 0))
    system.motor("elbow", 20, inertia=0.01, stiffness=stiffness)
    made = system.derive("kane", speeds="sayers")
    assert made.agrees_with(system.derive("composite_body"))


# ---- run, compiled, written --------------------------------------------------------------------------------------


def tumbling() -> System:
    """A free body with an arm on a spring, thrown."""
    system = block((1, 2, 3), "xyz", weight=0)
    system.joint("elbow", "body", system.body("arm", 1, (0.4, 0, 0), FULL), ph.Revolute("y"), at=(1, 0, 0))
    system.joint_spring("elbow", 30)
    speeds = {"block_vx": 1, "block_vz": 3, "block_wx": 0.5, "block_wy": 2, "elbow": 1}
    system.pose("thrown", {"block_a2": 0.3, "elbow": 0.2}, speeds)
    return system


OURS, OTHERS = (tumbling().derive(*given) for given in (("kane",), ("articulated_body",)))
HIS = tumbling().derive("kane", speeds="sayers")


def test_a_run_from_a_pose_is_the_run_in_other_speeds() -> None:
    """The pose has the joints' speeds; from them follow his."""
    options: dict[str, Any] = {"start": "thrown", "rtol": 1e-11, "atol": 1e-11, "samples": np.linspace(0, 1, 6)}
    run, other = HIS.simulate(1, **options), OTHERS.simulate(1, **options)
    assert np.abs(run.q - other.q).max() < 1e-9
    for name in OTHERS.speeds:
        assert np.abs(run.speed(name) - other.speed(name)).max() < 1e-8
    assert np.ptp(run.energy.kinetic + run.energy.potential) < 1e-8
    assert np.abs(run.reaction("elbow").force - other.reaction("elbow").force).max() < 1e-6
    again = HIS.simulate(1, start=(run.q[0], run.u[0]), method="rk4", step=0.001, samples=2)
    assert np.abs(again.q[-1] - run.q[-1]).max() < 1e-6


def test_start_speeds_are_given_by_the_names_that_the_equations_have() -> None:
    run = HIS.simulate(0.1, speeds={"block_vx_star": 1, "block_wz": 2})
    assert run["block_vx_star"][0] == 1
    assert speed_units(HIS.record) == ["m/s"] * 3 + ["rad/s"] * 4
    assert run.speed("block_vx")[0] == pytest.approx(1 + 2 * 0.2)  # u = v* - ω × r, at r_y = 0.2
    with pytest.raises(ph.PolhodeError, match="there is no speed 'block_vx'"):
        HIS.simulate(0.1, speeds={"block_vx": 1})


def test_compiled_functions_and_exports_are_in_his_speeds(tmp_path: Path) -> None:
    """u̇ = D u̇* + γ of what native code gives in both."""
    q, u, tau = np.linspace(0.1, 0.7, 7), np.linspace(1, 2, 7), np.linspace(-1, 1, 7)
    chosen, own = HIS.dependent_speeds, HIS.simulate(0, start=(q, u))
    assert isinstance(chosen, SayersSpeeds)
    known = dict(zip([*HIS.q, *HIS.u], [*q, *u], strict=True)) | {HIS.system.parameters["a"].symbol: 0.3}
    E, gamma = (np.array(evaluate(part, known)) for part in (list(chosen.E.map(as_expr).entries()), chosen.gamma))
    other = OTHERS.compile().forward_dynamics(q, [own.speed(name)[0] for name in OTHERS.speeds], tau)
    assert np.allclose(E.reshape(7, 7) @ HIS.compile().forward_dynamics(q, u, tau) + gamma, other)
    HIS.export("c", tmp_path / "his")
    assert any("block_vx_star" in path.read_text(encoding="utf-8") for path in (tmp_path / "his").iterdir())


def test_small_motions_have_the_same_frequencies() -> None:
    ours, theirs = (each.linearize().eigenvalues() for each in (HIS, OTHERS))
    assert np.allclose(np.sort(np.abs(ours.imag)), np.sort(np.abs(theirs.imag)), atol=1e-9)
    assert ours.imag.max() > 1


def test_a_derivation_pickles_and_is_stored_under_a_key_of_its_own() -> None:
    again = pickle.loads(pickle.dumps(HIS))
    assert again.speeds == HIS.speeds and again.derivation.key == HIS.derivation.key
    assert again.derivation.key != OURS.derivation.key
    assert again.agrees_with(HIS) and again.agrees_with(OURS) and OURS.agrees_with(again)


# ---- beside the others -------------------------------------------------------------------------------------------


def test_the_reference_derivation_judges_his_speeds_beside_other_formalisms() -> None:
    system = block((1,), "yz", carried=True)
    system.prescribe("hinge", ph.sin(system.time))
    found = system.compare(["kane", "composite_body"], run=False, speeds="sayers")
    assert found.agree, found.verdict
    assert "kane is in the speeds 'sayers' and compared by u̇" in found.verdict
    assert [*found.speeds] == ["kane"]


def test_equations_in_two_choices_of_speeds_agree() -> None:
    system = flyer()
    own = system.derive()
    twice = system.derive(pseudo={f"{name} twice": 2 * u for name, u in zip(own.speeds, own.u, strict=True)})
    his = system.derive("kane", speeds="sayers")
    assert his.agrees_with(twice) and twice.agrees_with(his)
    heavier = flyer()
    heavier.torque("body", (1, 0, 0))
    assert not his.agrees_with(heavier.derive()) and not his.agrees_with(heavier.derive("kane", speeds="sayers"))


def test_a_free_body_and_a_plate_cost_less_in_his_speeds() -> None:
    """M and f take fewer operations, q̇ somewhat more, all together fewer."""
    plate = ph.System("plate")
    body = plate.body("plate", plate.parameter("m", 2), (plate.parameter("a", 0.3), 0.2, 0), (1, 1, 1))
    plate.joint("slide", plate.ground, body, ph.BuildingBlock("xy", (3,)))
    for system in (flyer(), plate):
        report = system.derive("kane").sayers_tables
        M, f, q, x = (
            {way: count.total + count.setup for way, count in report.costs_of(function).items()}
            for function in ("mass_matrix", "bias", "coordinate_rates", "state_rates")
        )
        others = ("kane", "composite_body", "articulated_body")
        assert all(costs["sayers"] < min(costs[way] for way in others) for costs in (M, f, x))
        assert q["sayers"] > q["kane"]
