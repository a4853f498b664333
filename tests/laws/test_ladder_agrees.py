"""Every rung of the ladder from Uicker and Kahn to Newton-Euler gives the same equations, by fingerprint."""

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from tests.refusals import refused
from tests.seeds import seeds

import polhode as ph
from polhode.dynamics.equations import EquationsOfMotion
from polhode.expr import as_expr, evaluate, free_symbols, same
from polhode.formalisms import (
    hollerbach_3x3,
    hollerbach_4x4,
    newton_euler,
    orin,
    silver,
    stepanenko_vukobratovic,
    uicker_kahn,
)
from polhode.kinematics.passes import PASSES, USUAL, apply
from polhode.kinematics.tree import build_tree
from polhode.model.samples.random_system import random_state, random_system

LAGRANGIAN = (uicker_kahn, hollerbach_4x4, hollerbach_3x3)
#: Newton-Euler in fixed coordinates, with forces in link coordinates, and all in link coordinates.
BY_MASS_CENTRES = (stepanenko_vukobratovic, orin, silver)
SINGLE = ("revolute", "prismatic", "screw")
#: Uicker and Kahn's sum is not asked for more joints than this.
MOST_JOINTS = 3


def name_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def derive(system: ph.System, module: ModuleType, passes: tuple[str, ...] = ()) -> EquationsOfMotion:
    tree = build_tree(system)
    recipe = module.recipe(system, apply(tree, passes))
    return EquationsOfMotion(system, tree, name_of(module), tuple(passes), lambda: recipe)


def assert_agrees(made: EquationsOfMotion, judge: EquationsOfMotion | ph.Equations) -> None:
    pair = f"{made.formalism} and {judge.formalism} on {made.system.name!r}"
    assert same(made.inverse_dynamics, judge.inverse_dynamics), f"inverse dynamics of {pair}"
    assert same(made.mass_matrix.entries(), judge.mass_matrix.entries()), f"mass matrices of {pair}"
    assert same(made.bias, judge.bias), f"bias of {pair}"


@pytest.mark.parametrize("joints", range(1, 6))
@pytest.mark.parametrize("seed", seeds(2, of=4))
def test_every_rung_agrees_on_trees_of_single_joints(seed: int, joints: int) -> None:
    system = random_system(100 * joints + seed, bodies=joints, joints=SINGLE, symbolic=0.8)
    judges = system.derive("newton_euler"), system.derive("poincare")
    for module in (*LAGRANGIAN, *BY_MASS_CENTRES):
        if module is not uicker_kahn or joints <= MOST_JOINTS:
            made = derive(system, module)
            for judge in judges:
                assert_agrees(made, judge)


@pytest.mark.parametrize("seed", seeds(4, of=8))
def test_a_compound_joint_is_a_chain_of_single_ones(seed: int) -> None:
    system = random_system(seed, bodies=2, joints=("universal",), symbolic=0.8)
    judge = system.derive("newton_euler")
    assert len(judge.u) == 4
    for module in (hollerbach_4x4, hollerbach_3x3, *BY_MASS_CENTRES):
        assert_agrees(derive(system, module), judge)


@pytest.mark.parametrize("module", BY_MASS_CENTRES, ids=name_of)
@pytest.mark.parametrize("seed", seeds(4, of=12))
def test_sums_over_links_hold_for_any_joint(seed: int, module: ModuleType) -> None:
    system = random_system(seed, bodies=(2, 4), max_speeds=12)
    assert_agrees(derive(system, module), system.derive("newton_euler"))


@pytest.mark.parametrize("module", LAGRANGIAN, ids=name_of)
def test_a_tree_that_was_rewritten_gives_the_same_equations(module: ModuleType) -> None:
    system = random_system(302, bodies=3, joints=SINGLE, symbolic=0.8)
    assert_agrees(derive(system, module, tuple(PASSES)), derive(system, module))


def on_a_driven_base(seed: int) -> ph.System:
    """A random tree of single joints; what carries it moves as it is told, and on some a joint follows another."""
    system = random_system(seed, bodies=3, joints=SINGLE, symbolic=0.6)
    carriers = {joint.parent for joint in system.joints.values()}
    base = next(name for name, joint in system.joints.items() if joint.child in carriers)
    others = [name for name in system.joints if name != base]
    system.prescribe(base, system.parameter("amplitude", 1) * ph.sin(2 * system.time) + system.time**2 / 3)
    if seed % 2:
        system.couple(others[1], others[0], 2, 1)
    return system


@pytest.mark.parametrize("module", (*LAGRANGIAN, *BY_MASS_CENTRES), ids=name_of)
@pytest.mark.parametrize("seed", seeds(2, of=6))
def test_a_base_whose_motion_is_known_is_no_other_thing_to_any_rung(module: ModuleType, seed: int) -> None:
    """Silver, section 1.3: 'the base of the chain is either fixed or its motion is known'."""
    system = on_a_driven_base(500 + seed)
    judge = derive(system, newton_euler)
    assert 0 < len(judge.u) < len(system.joints)
    assert "amplitude" in {x.name for x in free_symbols(judge.inverse_dynamics)}
    assert_agrees(derive(system, module), judge)


@pytest.mark.parametrize("module", (*LAGRANGIAN, *BY_MASS_CENTRES), ids=name_of)
@pytest.mark.parametrize("passes", [("slide", "merge", "rest"), ("spread", "hold"), ("spread", "lend", "rest"), USUAL])
def test_a_driven_tree_that_was_rewritten_gives_the_same_equations(module: ModuleType, passes: tuple[str, ...]) -> None:
    system = on_a_driven_base(501)
    takes_mass_away = {"regroup", "lend"} & {*passes}
    if module in BY_MASS_CENTRES and takes_mass_away:
        with pytest.raises(ph.PolhodeError, match="no mass centre"):
            derive(system, module, passes)
    else:
        assert_agrees(derive(system, module, passes), derive(system, newton_euler))


def test_regrouped_masses_without_a_centre_are_refused_by_what_needs_mass_centres() -> None:
    system = random_system(302, bodies=3, joints=("revolute",), symbolic=0.8)
    for module in BY_MASS_CENTRES:
        with pytest.raises(ph.PolhodeError, match="no mass centre") as refusal:
            derive(system, module, ("regroup",))
        assert "passes=()" in str(refusal.value)


@pytest.mark.parametrize("module", LAGRANGIAN, ids=name_of)
@pytest.mark.parametrize("kind", [ph.Spherical(), ph.Free(), ph.Planar("z")], ids=lambda kind: type(kind).__name__)
def test_a_joint_that_moves_in_several_ways_at_once_is_refused_by_name(module: ModuleType, kind: object) -> None:
    system = ph.System("ball")
    system.joint("socket", system.ground, system.body("ball", 1, (0, 0, 1)), kind)
    message = refused("joint 'socket'", lambda: derive(system, module))
    assert f"'{name_of(module)}'" in message and "newton_euler" in message


@pytest.mark.parametrize("module", (*LAGRANGIAN, *BY_MASS_CENTRES), ids=name_of)
def test_a_changed_mass_is_seen(module: ModuleType) -> None:
    """The agreement above is no accident of comparing nothing."""
    heavy, light = (random_system(201, bodies=2, joints=("revolute",), symbolic=0, loads=False) for _ in range(2))
    light._add("bodies", "b2", replace(light.bodies["b2"], mass=light.bodies["b2"].mass + 1))
    assert not same(derive(heavy, module).inverse_dynamics, derive(light, module).inverse_dynamics)


@pytest.mark.parametrize("seed", range(6))
def test_the_ladder_runs_on_floats_as_on_graphs(seed: int) -> None:
    system = random_system(seed, bodies=3, joints=SINGLE, loads=False)
    made = derive(system, hollerbach_3x3)
    values = random_state(system, seed)
    tree = made.tree.at(values)
    udot = [evaluate([entry], values)[0] for entry in made.udot]
    wanted = np.array(evaluate([as_expr(entry) for entry in made.inverse_dynamics], values), float)
    links = uicker_kahn.segments(tree, "uicker_kahn")
    free = [(ph.Vector([0, 0, 0]), ph.Vector([0, 0, 0]))] * len(tree.links)
    inertias = [silver.central_inertia(link) for link in tree.links]
    for efforts in (
        uicker_kahn.inverse_dynamics(links, tree.u, udot, tree.gravity),
        hollerbach_4x4.inverse_dynamics(links, tree.u, udot, tree.gravity),
        hollerbach_3x3.inverse_dynamics(hollerbach_3x3.segments(tree), tree.u, udot, tree.gravity),
        *(each.inverse_dynamics(tree, inertias, tree.u, udot, free, tree.gravity) for each in BY_MASS_CENTRES),
    ):
        np.testing.assert_allclose(np.array(efforts, float), wanted, rtol=0, atol=1e-9 * max(1, abs(wanted).max()))
