"""Stacks of quaternions against rotation matrices."""

from __future__ import annotations

import numpy as np

from polhode.planning.quaternions import conjugate, from_turn, matrices, product, unit

P, Q = (unit(np.random.default_rng(seed).normal(size=(50, 4))) for seed in (0, 1))


def test_the_product_turns_one_after_the_other():
    assert np.allclose(matrices(product(P, Q)), matrices(P) @ matrices(Q), atol=1e-14)


def test_the_conjugate_turns_back():
    assert np.allclose(matrices(conjugate(P)), np.swapaxes(matrices(P), 1, 2), atol=1e-15)


def test_matrices_are_rotations():
    R = matrices(P)
    assert np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3), atol=1e-14)
    assert np.allclose(np.linalg.det(R), 1)


def test_a_turn_vector_turns_by_its_length_about_itself():
    quarter = matrices(from_turn(np.array([0, 0, np.pi / 2])))
    assert np.allclose(quarter, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    assert (from_turn(np.zeros(3)) == [1, 0, 0, 0]).all()
