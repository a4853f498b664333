"""Flexible bodies by shape functions, by nodes with masses, and by modal masses."""

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import Vector, evaluate

from .moments import array, mass_and_stiffness, material, quadrature, values_of

BENT = [lambda x, y, z: (0, 0, x**2), lambda x, y, z: (-y * z, x * z**2, x**3 - y)]
FRAME = [(4, (-1, 0, 0), (2, "0.5", 1)), (3, (0, 1, "0.25"))]


def hull(**given: object) -> tuple[ph.System, ph.Body]:
    s = ph.System("vehicle")
    return s, s.flexible_body("hull", **{"shapes": BENT, "material": FRAME, "stiffness": (500, 900), **given})


def test_moments_of_shape_functions_are_the_integrals_over_bars_and_points() -> None:
    s, _ = hull()
    record = material(s, "hull")
    b, G = quadrature(record, {})
    t = np.polynomial.legendre.leggauss(12)
    expected = np.zeros((3, 3, 3, 3))
    for mass, start, *rest in FRAME:
        a = np.array(start, dtype=float)
        way = np.array(rest[0], dtype=float) - a if rest else np.zeros(3)
        for node, weight in zip(*t, strict=True):
            x, y, z = a + way * (node + 1) / 2
            B = np.array([[x, y, z], [0, 0, x**2], [-y * z, x * z**2, x**3 - y]])
            expected += float(mass) * weight / 2 * np.einsum("ai,bj->abij", B, B)
    assert array(record.second, {}) == pytest.approx(expected) and pytest.approx(expected) == G
    assert array(record.first, {}) == pytest.approx(b)
    heavy = s.bodies["hull material"]
    com = array(heavy.com, {})
    central = expected[0, 0] - 7 * np.outer(com, com)
    assert heavy.mass == 7 and array(heavy.inertia, {}) == pytest.approx(np.trace(central) * np.eye(3) - central)


def test_a_station_of_shape_functions_turns_by_half_their_curl() -> None:
    s, body = hull()
    there = body.at(("0.5", "0.2", "0.7"))
    pose, eta = s.model().joints[there.name].in_parent, np.array([2e-6, -3e-6])
    numbers = evaluate([*pose.R.entries(), *pose.p], dict(zip(body.q, eta, strict=True)))
    R, p = np.array(numbers[:9], dtype=float).reshape(3, 3), np.array(numbers[9:], dtype=float)

    def moved(at: np.ndarray) -> np.ndarray:
        x, y, z = at
        return at + eta @ np.array([[0, 0, x**2], [-y * z, x * z**2, x**3 - y]])

    at, h = np.array([0.5, 0.2, 0.7]), 1e-4
    gradient = np.array([(moved(at + h * e) - moved(at - h * e)) / (2 * h) for e in np.eye(3)]).T
    assert p == pytest.approx(moved(at), abs=1e-15)
    assert pytest.approx((gradient - gradient.T) / 2, abs=1e-9) == (R - R.T) / 2


def lumped(**given: object) -> tuple[ph.System, ph.Body]:
    s = ph.System("vehicle")
    nodes = {
        "bow": ph.Node((1, 0, 0), [(0, 0, 1)], [(0, "-0.5", 0)], mass=s.parameter("m", 2)),
        "stern": ph.Node((-1, 0, 0), [(0, 0, 1)], mass=2),
        "keel": ph.Node((0, 0, "-0.1"), [(0, 0, -2)], mass=1),
    }
    return s, s.flexible_body("hull", **{"nodes": nodes, "stiffness": [300], **given})


def test_masses_at_nodes_give_the_moments_and_the_segments() -> None:
    s, body = lumped()
    values = values_of(s)
    b, G = quadrature(material(s, "hull"), values)
    assert array(material(s, "hull").first, values) == pytest.approx(b)
    assert array(material(s, "hull").second, values) == pytest.approx(G)
    M, K = mass_and_stiffness(s, "hull")
    assert (M.item(), K.item()) == pytest.approx((2 + 2 + 4, 300))
    bow = body.at("bow")
    assert s.model().joints[bow.name].in_parent.p == Vector([1, 0, body.q[0]])
    assert s.model().joints["hull elastic"].in_child.p == Vector([0, 0, 0])


def test_modal_masses_alone_are_uncoupled_from_the_frame_and_say_so() -> None:
    s = ph.System("vehicle")
    nodes = {"bow": ph.Node((1, 0, 0), [(0, 0, 1)]), "stern": ph.Node((-1, 0, 0), [(0, "0.5", 1)])}
    with pytest.warns(UserWarning, match="to the order that modal masses carry"):
        body = s.flexible_body(
            "hull", 10, (1, 0, 0), (1, 2, 3), nodes=nodes, modal_mass=[4], stiffness=[200], damping="0.1"
        )
    record = material(s, "hull")
    assert not any(record.first[1]) and not any(record.second[0][1].entries())
    M, K = mass_and_stiffness(s, "hull")
    assert (M.item(), K.item()) == pytest.approx((4, 200))
    assert body.at("stern").name == "hull at stern"
    J0 = np.diag([1.0, 2, 3]) + 10 * np.diag([0.0, 1, 1])
    assert array(record.second[0][0], {}) == pytest.approx(np.trace(J0) / 2 * np.eye(3) - J0)


@pytest.mark.parametrize(("given", "sentence"), [
    ({"shapes": ()}, "its shapes are missing"), ({"material": ()}, "shape functions need the mass that they move"),
    ({"mass": 3}, "mass is given, and it follows from the material"),
    ({"stiffness": (1,)}, "1 stiffnesses are given, not 2"),
    ({"stiffness": [[1, 2], [3, 4]]}, "the stiffness is not symmetric: 3 faces 2"),
    ({"stiffness": [[1, 2], [2, 1]]}, "the stiffness is not positive semidefinite"),
    ({"shapes": [BENT[0], BENT[0]]}, "the modal mass is not positive"),
    ({"shapes": [BENT[0], lambda x, y, z: (0, 0, 0)]}, "the modal mass is not positive"),
    ({"shapes": [lambda x, y, z: (0, 0, ph.sin(x))] * 2}, "a shape is no polynomial"),
    ({"material": [(-1, (0, 0, 0)), (0.5, (1, 0, 0))]}, "the mass -1/2 is not positive"),
])  # fmt: skip
def test_what_no_flexible_body_has_is_refused_in_a_sentence(given: dict[str, object], sentence: str) -> None:
    refused(sentence, lambda: hull(**given), ModelError)


def test_nodes_that_do_not_fit_are_refused() -> None:
    refused("the nodes are no mapping", lambda: lumped(nodes={"bow": (1, 2, 3)}), ModelError)
    with pytest.raises(ModelError, match="it has 2 displacements and 0 rotations; the body has 1 shapes"):
        lumped(nodes={"a": ph.Node((0, 0, 0), [(0, 0, 1)], mass=1), "b": ph.Node((0, 0, 0), [(0, 0, 1), (0, 0, 1)])})
    refused("its nodes carry no mass", lambda: lumped(nodes={"a": ph.Node((0, 0, 0), [(0, 0, 1)])}), ModelError)
    refused("there is no node 'mast'", lambda: lumped()[1].at("mast"), ModelError)


@pytest.mark.parametrize("entry", [(10,), (10, (0, 0, 0), (1, 0, 0), (2, 0, 0))], ids=["no place", "three places"])
def test_material_that_is_no_point_or_bar_is_refused(entry: tuple[object, ...]) -> None:
    with pytest.raises(ModelError, match="is no point or bar"):
        ph.System("car").flexible_body("hull", shapes=[lambda x, y, z: (0, 0, x)], material=[entry], stiffness=[1])


def test_wrong_material_and_huge_masses_are_refused() -> None:
    s = ph.System("car")
    m = s.parameter("m", "3 t")
    hull = s.flexible_body("hull", shapes=[lambda x, y, z: (0, 0, x)], material=[(m, (1, 0, 0))], stiffness=[1])
    assert len(hull.q) == 1
    s = ph.System("plate")
    with pytest.raises(ph.PolhodeError, match="not one of a mechanism"):
        s.flexible_body(
            "plate", shapes=[lambda x, y, z: (0, 0, x)], material=[("1e300", (0, 0, 0), (10, 0, 0))], stiffness=[1]
        )
