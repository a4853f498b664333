"""All formalisms give equal functions, by fingerprint, on 200 random trees, forced and in part driven in time.

Outside of a trial each tree is derived by six of them and `auto`, others from tree to tree.
"""

from dataclasses import replace

import pytest
from tests.seeds import TREES, in_turn, seeds

from polhode.expr import same, sin
from polhode.formalisms.registry import names
from polhode.model.samples.random_system import random_system
from polhode.model.system import System


def sometimes_driven(seed: int) -> System:
    """A random tree under loads; of every third one a joint moves as prescribed, if something else is left to move."""
    system = random_system(seed, max_speeds=10)
    able = [joint for joint in system.joints.values() if joint.type.kind in ("revolute", "prismatic", "screw")]
    if seed % 3 == 0 and able and sum(len(joint.u) for joint in system.joints.values()) > 1:
        system.prescribe(able[0], sin(2 * system.time) / 3 + system.time**2 / 5)
    return system


def assert_all_agree(system: System, formalisms: list[str]) -> None:
    first, *others = (system.derive(formalism) for formalism in [*formalisms, "auto"])
    for other in others:
        pair = f"{first.formalism} and {other.formalism} on {system.name!r}"
        assert same(first.mass_matrix.entries(), other.mass_matrix.entries()), f"mass matrices of {pair}"
        assert same(first.inverse_dynamics, other.inverse_dynamics), f"inverse dynamics of {pair}"
        assert same(first.forward_dynamics, other.forward_dynamics), f"forward dynamics of {pair}"
        assert first.agrees_with(other)


@pytest.mark.parametrize("seed", seeds(TREES, of=200))
def test_formalisms_agree_exactly_on_a_random_tree(seed: int) -> None:
    assert_all_agree(sometimes_driven(seed), in_turn(names(), 6, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds((200,), of=range(200, 205)))
def test_formalisms_agree_exactly_on_a_large_random_tree(seed: int) -> None:
    assert_all_agree(random_system(seed, bodies=12, max_speeds=24), names())


@pytest.mark.parametrize("seed", seeds(4, of=10))
def test_a_different_mass_is_a_different_function(seed: int) -> None:
    one, other = (random_system(seed, bodies=(1, 4), symbolic=0, max_speeds=8) for _ in range(2))
    name, body = next((name, body) for name, body in other.bodies.items() if body.mass)
    other._add("bodies", name, replace(body, mass=body.mass + 1))
    one_equations, other_equations = one.derive(), other.derive()
    on_the_ground = one_equations.tree.bodies[name][0] < 0
    assert one_equations.agrees_with(other_equations) == on_the_ground
