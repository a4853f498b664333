"""Along q̇ = Γ u:  Ṙ = ω̂ R and ṗ = v, with (ω, v) = J u, for every body; and Γ has a left inverse."""

import pytest
from tests.seeds import seeds

from polhode.expr import Matrix, Vector, as_expr, directional, same, skew
from polhode.model.samples.random_system import JOINTS, random_system
from polhode.model.system import System


def assert_poses_move(system: System) -> None:
    made = system.derive()
    flow = dict(zip(made.q, made.coordinate_rates, strict=True))
    for name in [*system.bodies, *system.frames]:
        X, twist = made.pose(name), made.jacobian(name) @ made.u
        w, v = Vector(twist[:3]), Vector(twist[3:])
        X_entries = [*X.R.map(as_expr).entries(), *map(as_expr, X.p)]
        assert same(directional(X_entries, flow), [*(skew(w) @ X.R).entries(), *v]), name


@pytest.mark.parametrize("seed", seeds(5, of=25))
def test_poses_move_as_their_jacobians_say_on_a_random_tree(seed: int) -> None:
    assert_poses_move(random_system(seed, bodies=(1, 6), max_speeds=10))


@pytest.mark.parametrize("kind", JOINTS)
def test_poses_move_as_their_jacobians_say_through_every_kind_of_joint(kind: str) -> None:
    for seed in range(3):
        assert_poses_move(random_system(seed, bodies=2, joints=(kind,)))


@pytest.mark.parametrize("seed", seeds(5, of=25))
def test_link_velocities_are_the_rates_of_link_poses(seed: int) -> None:
    tree = random_system(seed, max_speeds=10).derive().tree
    flow = dict(zip(tree.q, tree.coordinate_rates(), strict=True))
    for link in tree.links:
        w, v = link.relative_velocity(tree.u)
        R, p = link.X.R.map(as_expr), [as_expr(entry) for entry in link.X.p]
        assert same(directional(R.entries(), flow), (R @ skew(w)).entries()) and same(directional(p, flow), R @ v)


@pytest.mark.parametrize("seed", seeds(5, of=25))
def test_speeds_can_be_had_back_from_coordinate_rates(seed: int) -> None:
    tree = random_system(seed, max_speeds=16).derive().tree
    for gamma, back in tree.stage_kinematics:
        assert same((back @ gamma).entries(), Matrix.identity(back.shape[0]).entries())
