"""Rotations of symbols: exact in every form, and free of roots where they can be."""

import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import as_expr, evaluate, free_symbols, is_zero, same, symbols, unit_symbols
from polhode.geometry.rotations import SEQUENCES
from polhode.geometry.rotations.matrix import is_rotation

c = symbols("c1 c2 c3")
angles = symbols("a1 a2 a3")
e = unit_symbols(["e0", "e1", "e2", "e3"])
w, wd = symbols("w1 w2 w3"), symbols("x1 x2 x3")
EXACT = {
    "vector": ph.Rotation.from_vector(c),
    "quaternion": ph.Rotation.from_quaternion(e),
    "long quaternion": ph.Rotation.from_quaternion(symbols("q0 q1 q2 q3")),
    "turns": ph.Rotation.from_turns(("z", angles[0]), ([3, 0, 4], angles[1])),
    "euler": ph.Rotation.from_euler("zxz", angles),
    "extrinsic": ph.Rotation.from_euler("xyz", angles, extrinsic=True),
}


@pytest.mark.parametrize("name", EXACT)
def test_what_is_made_of_symbols_is_exactly_a_rotation(name: str) -> None:
    r = EXACT[name]
    assert is_rotation(r.matrix) and is_rotation((r @ EXACT["vector"]).matrix)
    assert ph.Rotation.from_matrix(r.matrix).equals(r) and ph.Rotation.from_vector(r.vector).equals(r)
    assert (r @ r.inverse()).equals(ph.Rotation.identity(exact=True)) and not r.equals(EXACT["vector"] @ r)


@pytest.mark.parametrize("name", EXACT)
def test_symbols_with_values_are_the_numbers_in_every_form(name: str) -> None:
    r = EXACT[name]
    values = dict(zip(free_symbols(r.matrix.entries()), (0.3, -0.7, 0.4, 0.2), strict=False))
    if name == "quaternion":
        values = dict(zip(e, ph.Rotation.random(seed=1).quaternion, strict=True))

    def numbers(exact: ph.Vector) -> np.ndarray:
        return np.array(evaluate([as_expr(entry) for entry in exact], values))

    R = numbers(ph.Vector(r.matrix.entries())).reshape(3, 3)
    for form in ("quaternion", "vector", "sine", "exponential", "123", "313"):
        back = ph.Rotation.from_coordinates(form, numbers(r.coordinates(form)))
        assert np.abs(back.matrix - R).max() < 1e-12
    assert abs(evaluate([r.angle], values)[0] - ph.Rotation.from_matrix(R).angle) < 1e-12
    assert abs(evaluate([r.condition("313")], values)[0] - ph.Rotation.from_matrix(R).condition("313")) < 1e-9


@pytest.mark.parametrize(("form", "r"), [
    ("vector", EXACT["vector"]), ("quaternion", EXACT["quaternion"]), ("spinor", EXACT["quaternion"]),
    ("matrix", EXACT["vector"]), *((word, ph.Rotation.from_euler(word, angles)) for word in SEQUENCES),
])  # fmt: skip
def test_rates_and_velocities_are_inverse_to_each_other_by_fingerprint(form: str, r: ph.Rotation) -> None:
    for frame in ("body", "space"):
        rate, second = r.rate(w, form, frame), r.second_rate(w, wd, form, frame)
        assert same(r.velocity(rate, form, frame), w) and same(r.acceleration(rate, second, form, frame), wd)


@pytest.mark.parametrize(("word", "extrinsic"), [*product(SEQUENCES, (False, True))])
def test_all_sequences_are_products_of_turns(word: str, extrinsic: bool) -> None:
    turns = [("xyz"[int(digit) - 1], angle) for digit, angle in zip(word, angles, strict=True)]
    made = ph.Rotation.from_euler(word, angles, extrinsic=extrinsic)
    assert made.matrix == ph.rotation(*(turns[::-1] if extrinsic else turns))
    assert made.equals(ph.Rotation.from_turns(*(turns[::-1] if extrinsic else turns)))
    assert made.euler(word, extrinsic=extrinsic) == ph.Vector(angles)


def test_turns_are_exact_and_free_of_roots() -> None:
    turns = (("z", 0.3), ("x", ph.symbol("q")), ([1, 2, 2], 1))
    assert ph.rotation(*turns) == ph.Rotation.from_turns(*turns).matrix
    assert ph.rotation(("z", 0.3)) == ph.Rotation.from_turns(("z", 0.3), exact=True).matrix
    assert isinstance(ph.Rotation.from_turns(("z", 0.3)).matrix, np.ndarray)
    assert isinstance(ph.rotation(("z", 0.3)), ph.Matrix)
    half = ph.Rotation.from_turns(("z", ph.pi))
    assert half.quaternion == (0, 0, 0, 1) and half.sine_vector == (0, 0, 1)
    assert evaluate([*half.euler("zxz"), *half.exponential], {}) == pytest.approx([np.pi, 0, 0, 0, 0, np.pi])
    assert ph.Rotation.from_matrix(half.matrix).equals(half)
    refused(r"is where the form 'vector' is singular: at every half turn", lambda: half.vector)
    r = EXACT["vector"] @ EXACT["euler"]
    assert not any(node.op == "sqrt" for form in (r.vector, r.axial_vector) for node in ph_nodes(form))
    assert not any(node.op == "sqrt" for node in ph_nodes((EXACT["quaternion"] @ EXACT["euler"]).quaternion))


LOCKED = [
    ("zxz", ph.Rotation.from_euler("zxz", ph.Vector([angles[0], 0, angles[2]]))),
    ("zxz", ph.Rotation.from_euler("zxz", ph.Vector([angles[0], ph.pi, angles[2]]))),
    ("xyz", ph.Rotation.from_euler("xyz", ph.Vector([angles[0], ph.pi / 2, angles[2]]))),
    ("zxz", ph.Rotation.from_euler("zxz", (0.1, 0.0, 0.2))),
]


@pytest.mark.parametrize(("form", "r"), LOCKED)
def test_exact_gimbal_lock_is_told_as_in_numbers(form: str, r: ph.Rotation) -> None:
    with pytest.raises(ph.PolhodeError, match=f"the form '{form}' is singular: at the middle angle") as caught:
        r.rate((1, 0, 0), form=form)
    assert "E-ROTATION-SINGULAR" in str(caught.value)
    refused(f"the form '{form}' is singular", lambda: r.second_rate((1, 0, 0), (0, 1, 0), form=form))


@pytest.mark.parametrize(("form", "angle"), [("sine", ph.pi), ("axial", ph.pi / 2)])
def test_exact_velocities_at_the_singularity_of_a_form_are_told_as_such(form: str, angle: ph.Expr) -> None:
    r = ph.Rotation.from_axis_angle("z", angle)
    for compute in (lambda: r.velocity((1, 0, 0), form=form), lambda: r.condition(form)):
        with pytest.raises(ph.PolhodeError, match=f"the form '{form}' is singular"):
            compute()


def test_no_rotation_has_every_form_but_an_axis() -> None:
    none = ph.Rotation.identity(exact=True)
    for form in ("vector", "sine", "axial", "exponential"):
        assert none.coordinates(form) == (0, 0, 0)
        assert ph.Rotation.from_coordinates(form, ph.Vector([0, 0, 0])).equals(none)
        assert none.rate(w, form) == ph.Vector(w) * {"vector": Fraction(1, 2), "sine": Fraction(1, 2), "axial": 2}.get(
            form, 1
        )
        assert none.condition(form) == 1
    refused("zero angle", lambda: none.axis)


def ph_nodes(values: ph.Vector) -> list[ph.Expr]:
    from polhode.expr import topological

    return list(topological(list(values)))


def test_rotations_of_numbers_become_exact_with_symbols_or_on_request() -> None:
    third = ph.Rotation.from_quaternion([0.5, 0.5, 0.5, 0.5])
    both = third @ EXACT["vector"]
    assert both.is_exact and is_rotation(both.matrix)
    assert third.exact().matrix == ph.Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    assert third.apply(c) == (c[2], c[0], c[1]) and third.rate(w, "quaternion")[0] == -(w[0] + w[1] + w[2]) / 4
    assert EXACT["vector"].apply([1, 0, 0]) == EXACT["vector"].matrix.columns[0]
    assert EXACT["vector"].apply([0.5, 0, 0])[0] == EXACT["vector"].matrix[0, 0] / 2
    r = ph.Rotation.from_vector([0.5, 0, Fraction(1, 3)])
    assert r.vector == (Fraction(1, 2), 0, Fraction(1, 3))
    assert ph.Rotation.from_vector([0.5, 0, 1], exact=True).matrix[0, 0] == Fraction(1, 9)
    assert is_zero(ph.Rotation.from_quaternion([1, 2, 3, 4], exact=True).quaternion[0] - 1 / ph.sqrt(30))
    quarter = ph.Rotation.from_turns(("z", ph.pi / 2))
    half_way = ph.Rotation.identity(exact=True).interpolate(quarter, Fraction(1, 2))
    assert np.allclose(evaluate(list(half_way.vector), {}), [0, 0, np.tan(np.pi / 8)])


@pytest.mark.parametrize("name", EXACT)
def test_rotations_of_symbols_are_pickled_with_the_form_they_were_given_in(name: str) -> None:
    back = pickle.loads(pickle.dumps(EXACT[name]))
    assert back.equals(EXACT[name]) and back.matrix == EXACT[name].matrix
    if name == "extrinsic":
        assert back.euler("xyz", extrinsic=True) == ph.Vector(angles)


def test_rotations_of_numbers_are_pickled() -> None:
    many = ph.Rotation.random(5, seed=1)
    assert np.array_equal(pickle.loads(pickle.dumps(many)).quaternion, many.quaternion)
