"""Dyadics: linear maps written with pairs of unit vectors."""

from typing import Any

import pytest

import polhode as ph
from polhode.expr import Matrix, same


def test_dyadics_map_by_dot_products_and_basis_dyadics_are_the_identity(pair: Any) -> None:
    a, b, c = pair.A.x + pair.N.y, pair.B.z, pair.u[0] * pair.N.x + pair.A.z
    assert ((a | b) & c) == a * (b & c) and (c & (a | b)) == b * (c & a) and ((a | b) & (b | c)) == (a | c)
    assert (b | a) == (a | b).T and (a | b).trace == (a & b)
    for frame in (pair.N, pair.A, pair.B):
        for shared in (False, True):
            assert ph.basis(frame, shared) == ph.basis(pair.N) and ph.basis(frame, shared).trace == 3


def test_components_turn_as_a_tensor(pair: Any) -> None:
    D = (pair.A.x | pair.B.z) * 2 + (pair.N.y | pair.N.y) - (pair.B.x | pair.A.y) / 3
    R = Matrix([[e & f for f in (pair.B.x, pair.B.y, pair.B.z)] for e in (pair.A.x, pair.A.y, pair.A.z)])
    in_A, in_B = D.components(pair.A), D.components(pair.B)
    assert same(in_A.entries(), (R @ in_B @ R.T).entries())
    for i, e in enumerate((pair.A.x, pair.A.y, pair.A.z)):
        for j, f in enumerate((pair.A.x, pair.A.y, pair.A.z)):
            assert in_A[i, j] == (e & (D & f))
    assert D.express(pair.B) == D and D.trace == sum(in_A[k, k] for k in range(3))


def test_a_rotor_has_constant_inertia_in_the_body_that_carries_it() -> None:
    """Sayers (19): A · I · A of a body of revolution is free of its angle."""
    s = ph.System()
    A, wheel = s.body("A"), s.body("wheel", inertia=(2, 2, 3))
    s.joint("q", s.ground, A, ph.Revolute("x"))
    s.joint("spin", A, wheel, ph.Revolute("z"))
    basis = ph.basis(A)
    turned = basis & wheel.inertia_dyadic & basis
    assert repr(turned.express(A)) == "2*a_x|a_x + 2*a_y|a_y + 3*a_z|a_z" and turned == wheel.inertia_dyadic


def test_dyadics_are_written_in_native_form_and_so_are_their_cross_products(pair: Any) -> None:
    D = 2 * (pair.A.x | pair.B.y) - (pair.N.z | pair.N.z)
    assert repr(D) == "2*a_x|b_y - n_z|n_z"
    assert D.latex() == (r"2 \mathbf{a}_{x} \,\mathbf{b}_{y} - \mathbf{n}_{z} \,\mathbf{n}_{z}")
    assert repr(D - D) == "0" and isinstance(sum([D, D]), ph.Dyadic)
    D = pair.A.x | pair.B.z
    assert D - 0 == D and 0 - D == -D and D - D == 0 and D != 0 and sum([D, D]) == 2 * D
    D = pair.B.inertia_dyadic + (pair.A.x | pair.N.z)
    a, b = pair.A.y + 2 * pair.N.x, pair.B.z - pair.A.x
    assert ((D ^ a) & b) == (D & (a ^ b)) and ((a ^ D) & b) == (a ^ (D & b))
    with pytest.raises(ph.PolhodeError, match="cross product of a dyadic: 3 is not an arrow"):
        D ^ 3
