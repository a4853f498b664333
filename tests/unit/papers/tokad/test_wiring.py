"""Components wired to each other: what cannot be wired is said."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import Matrix, Vector
from polhode.formalisms.network.graph import Edge
from polhode.papers.tokad.chain import Multiport, RigidBody
from polhode.papers.tokad.wiring import Open, Wiring, wired_system


def rod(name: str, at: str = "b") -> Multiport:
    still = Vector([0, 0, 0])
    ends = {"a": Vector([1, 0, 0]), "b": Vector([-1, 0, 0])}
    return RigidBody(1, Matrix.identity(3), ends, still, still).component(name, at)


def joint(name: str, tail: str, head: str, first: int, speeds: int) -> tuple[Edge, Open]:
    return Edge(name, tail, head, "joint"), Open(first, speeds)


def test_unjoined_circular_and_waiting_components_are_named() -> None:
    with pytest.raises(PolhodeError, match=r"nothing gives the velocities at 'q\.b'"):
        Wiring((rod("p"), rod("q")), (joint("j", "p.b", "O", 0, 6),))
    with pytest.raises(PolhodeError, match="'i', 'j' form a circuit"):
        Wiring((rod("p"),), (joint("i", "p.b", "O", 0, 12), joint("j", "p.b", "O", 6, 12)))
    loop = joint("i", "p.b", "q.a", 0, 12), joint("j", "q.b", "p.a", 6, 12)
    with pytest.raises(PolhodeError, match="'p', 'q' are wired in a circle"):
        Wiring((rod("p"), rod("q")), loop)
    pair = joint("i", "p.b", "O", 0, 12), joint("j", "q.b", "p.a", 6, 12)
    one, other = Wiring((rod("p"), rod("q")), pair), Wiring((rod("q"), rod("p")), pair)
    assert one.mass_matrix() == other.mass_matrix()
    assert [component.name for component in other.order] == ["p", "q"]


def test_chains_that_are_none_are_refused() -> None:
    system = ph.System("arm")
    a, b = (system.body(name, mass=1) for name in "ab")
    system.joint("i", system.ground, a, ph.Revolute("z"))
    system.joint("j", a, b, ph.Revolute("z"), at=(1, 0, 0))
    for chains, message in (
        ([["b", "a"]], "'a' does not hang on the body before it"),
        ([["a", "b"], ["b"]], "'b' is in two chains"),
        ([["a", "c"]], "no body 'c'"),
        ([[]], "a chain has no bodies"),
        (["ab"], "a list of bodies"),
    ):
        with pytest.raises(PolhodeError, match=message):
            wired_system(system, chains)
    system.close("k", system.ground, b, ph.Revolute("z"), at_a=(1, 0, 0))
    with pytest.raises(PolhodeError, match="loops, rolling or joints that follow others"):
        wired_system(system)
