"""Mass × k makes efforts × k; without gravity, length × k makes the inertias of rotations × k²."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.seeds import seeds

from polhode.expr import same, substitute
from polhode.geometry import Pose
from polhode.model.body import Body
from polhode.model.records import Joint
from polhode.model.samples.random_system import random_system
from polhode.model.system import System


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_heavier_bodies_need_efforts_in_proportion(seed: int, rewritten: Callable[..., System]) -> None:
    system = random_system(seed, loads=False, max_speeds=10)
    heavy = rewritten(system, body=lambda body: replace(body, mass=body.mass * 7, inertia=body.inertia * 7))
    light, loaded = system.derive("newton_euler"), heavy.derive("newton_euler")
    assert same(loaded.inverse_dynamics, light.inverse_dynamics * 7)
    assert same(loaded.mass_matrix.entries(), (light.mass_matrix * 7).entries())


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_longer_mechanisms_of_hinges_have_inertias_in_square_proportion(
    seed: int, rewritten: Callable[..., System]
) -> None:
    system = random_system(seed, loads=False, joints=("revolute", "universal", "spherical", "fixed"), max_speeds=10)

    def body(old: Body) -> Body:
        return replace(old, com=old.com * 3, inertia=old.inertia * 9)

    def joint(old: Joint) -> Joint:
        far = [Pose(X.R, X.p * 3) for X in (old.in_parent, old.in_child)]
        return replace(old, in_parent=far[0], in_child=far[1])

    short = rewritten(system, gravity=(0, 0, 0)).derive("composite_body")
    long = rewritten(system, gravity=(0, 0, 0), body=body, joint=joint).derive("composite_body")
    assert same(long.inverse_dynamics, short.inverse_dynamics * 9)
    weaker = {effort: effort / 9 for effort in short.tau}
    assert same(long.forward_dynamics, substitute(short.forward_dynamics, weaker))
