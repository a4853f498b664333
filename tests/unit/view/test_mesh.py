"""Meshes become small: shares are fair, points that fall together are one, the form is kept."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.view.mesh import Mesh, Piece, hex_color, shares, simplified

pytest.importorskip("fast_simplification")
trimesh = pytest.importorskip("trimesh")


def ball(radius: float = 0.2) -> Mesh:
    made = trimesh.creation.icosphere(4, radius)
    return Mesh((Piece(np.array(made.vertices), np.array(made.faces), "#112233"),))


def test_few_triangles_are_kept_and_many_share_what_is_left() -> None:
    assert shares([10, 500, 900], 610) == [10, 300, 300]
    assert shares([10, 20], 100) == [10, 20]
    assert shares([], 100) == []


def test_a_simplified_ball_is_still_round() -> None:
    made = simplified(ball(), 600)
    assert 400 < made.count <= 700
    (piece,) = made.pieces
    assert piece.color == "#112233"
    assert np.linalg.norm(piece.points, axis=1) == pytest.approx(0.2, rel=0.03)


def test_a_soup_of_triangles_is_welded_before_it_is_simplified() -> None:
    (piece,) = ball().pieces
    soup = Mesh((Piece(piece.points[piece.triangles.reshape(-1)], np.arange(piece.triangles.size).reshape(-1, 3)),))
    made = simplified(soup, 10**6)
    assert len(made.pieces[0].points) == len(piece.points)
    assert made.count == len(piece.triangles)


def test_the_same_form_in_millimetres_is_simplified_alike() -> None:
    assert simplified(ball(2e-4), 600).count == pytest.approx(simplified(ball(200.0), 600).count, rel=0.1)


def test_the_colour_of_most_triangles_stands_for_the_mesh() -> None:
    (piece,) = ball().pieces
    bolt = Piece(piece.points, piece.triangles[:20], "#ff0000")
    assert Mesh((bolt, piece)).color == "#112233"
    assert hex_color((2.0, -1.0, 0.0)) == "#ff0000"
