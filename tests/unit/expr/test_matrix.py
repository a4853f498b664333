"""Vectors and matrices over expressions and over floats."""

from __future__ import annotations

import random

import numpy as np
import pytest

from polhode.errors import ShapeError
from polhode.expr import Matrix, Vector, cos, sin, skew, symbols

a, b, c, q = symbols("a b c q")


def test_products_agree_with_numpy() -> None:
    choose = random.Random(3)
    left = [[choose.uniform(-1, 1) for _ in range(4)] for _ in range(3)]
    right = [[choose.uniform(-1, 1) for _ in range(2)] for _ in range(4)]
    assert np.allclose(Matrix(left) @ Matrix(right), np.array(left) @ np.array(right))
    assert np.allclose(Matrix(left) @ Vector(row[0] for row in right), np.array(left) @ np.array(right)[:, 0])
    assert np.allclose(Matrix(left).T, np.array(left).T)


def test_a_rotation_times_its_transpose_is_exactly_one() -> None:
    rotation = Matrix([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, 1]])
    assert rotation @ rotation.T == Matrix.identity(3)


def test_the_cross_product_is_the_skew_matrix() -> None:
    v, w = Vector([a, b, c]), Vector([b, q, 1])
    assert skew(v) @ w == v.cross(w)
    assert v.cross(v) == Vector([0, 0, 0])
    assert v.dot(v.cross(w)) == 0
    assert -skew(v) == skew(v).T


def test_vector_arithmetic_is_componentwise() -> None:
    v = Vector([a, b])
    assert v + v - v == v
    assert 2 * v == v * 2 == v + v
    assert (v * 2) / 2 == v
    assert -v == Vector([-a, -b])
    assert isinstance(v[:1], Vector)


def test_entries_rows_columns_and_blocks() -> None:
    matrix = Matrix([[1, 2, 3], [4, 5, 6]])
    assert matrix.shape == (2, 3)
    assert matrix[1, 2] == 6
    assert matrix[0] == Vector([1, 2, 3])
    assert matrix[:, 1] == Vector([2, 5])
    assert matrix[0:2, 1:3] == Matrix([[2, 3], [5, 6]])
    assert matrix.columns[2] == Vector([3, 6])
    assert list(matrix.entries()) == [1, 2, 3, 4, 5, 6]
    assert matrix.map(lambda entry: -entry) == -matrix
    assert Matrix.diagonal([1, 2]) == Matrix([[1, 0], [0, 2]])
    assert Matrix.columns_of([[1, 4], [2, 5], [3, 6]], 2) == matrix
    assert Matrix.columns_of([], 2).shape == (2, 0)
    assert Matrix.zeros(2, 3) + matrix - matrix == Matrix.zeros(2, 3)
    assert (2 * matrix) / 2 == matrix


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(ShapeError, match="2 and 3 components"):
        Vector([1, 2]) + Vector([1, 2, 3])
    with pytest.raises(ShapeError, match="one length"):
        Matrix([[1, 2], [3]])
    with pytest.raises(ShapeError, match="cannot multiply"):
        Matrix([[1, 2]]) @ Matrix([[1, 2]])
    with pytest.raises(ShapeError, match="cannot multiply"):
        Matrix([[1, 2]]) @ Vector([1, 2, 3])
