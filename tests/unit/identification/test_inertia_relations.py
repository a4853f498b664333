"""Mass that a joint does not move."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.expr import is_zero, symbol
from polhode.identification.inertia_relations import null_space, relations


@pytest.mark.parametrize(
    ("joint", "count"),
    [
        (ph.Revolute("y"), 3), (ph.Prismatic("x"), 6), (ph.Spherical(), 1), (ph.Universal("z", "y"), 1),
        (ph.Screw("z", 0.1), 1), (ph.Cylindrical("x"), 1), (ph.Planar("z"), 1), (ph.Free(), 0), (ph.Fixed(), 10),
    ],
)  # fmt: skip
def test_each_joint_leaves_so_much_mass_where_it_is_and_the_efforts_agree(joint: ph.Joint, count: int) -> None:
    s = ph.System("pair", gravity=(0, 0, "-9.81"))
    s.joint("base", s.ground, s.body("carrier", 1), ph.Free())
    place = {"at": (1, 2, 3), "rotation": ("y", ph.pi / 3), "child_at": (0, s.parameter("l"), 1)}
    s.joint("joint", "carrier", s.body("carried", 1), joint, **place)
    equations = s.derive()
    made = equations.regressor()
    index = {name: k for k, name in enumerate(made.names)}
    found = list(relations(equations.tree, ["carrier", "carried"]))
    assert len(found) == count
    for relation in found:
        columns = [(index[f"{kind}_{body}"], factor) for (body, kind), factor in relation.items()]
        assert all(is_zero(sum(factor * row[k] for k, factor in columns)) for row in made.Y)


def test_joints_without_mass_between_take_part() -> None:
    """A hook joint made of two: what its axes have in common is the point where they meet."""
    s = ph.System("hook")
    s.joint("base", s.ground, s.body("carrier", 1), ph.Free())
    s.joint("a", "carrier", s.body("cross"), ph.Revolute("x"))
    s.joint("b", "cross", s.body("carried", 1), ph.Revolute("y"))
    assert [*relations(s.derive().tree, ["carrier", "carried"])] == [{("carried", "m"): 1, ("carrier", "m"): -1}]


def test_the_null_space_is_told_by_fingerprint() -> None:
    a = symbol("a")
    (found,) = null_space([[a, 1, 0], [a * a, a, 0], [0, 0, 1]], 3)
    assert found[1] == 1 and is_zero(a * found[0] + 1)
