"""COLLADA's up axis: heeded where it brings meshes to the mass centres of their bodies, for the whole robot."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.show.up_axis import upright
from polhode.view.mesh import Mesh, Piece

CORNERS = np.array([[0, 0, 0], [0.1, 0, 0], [0, 1, 0], [0, 0, 0.1]], dtype=float)
FACES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])


def rod(com: tuple[float, float, float], is_y_up: bool = True) -> tuple[ph.System, dict[str, Mesh]]:
    """A rod that a file draws along y, with its mass centre somewhere."""
    system = ph.System("rod")
    look = ph.Shape("mesh", (1, 1, 1), file="rod.dae")
    system.joint("pin", system.ground, system.body("rod", 1, com=com, shapes=look), "spherical")
    return system, {"rod.dae": Mesh((Piece(CORNERS, FACES),), is_y_up=is_y_up)}


@pytest.mark.parametrize(
    ("com", "is_y_up", "longest"),
    [((0, 0, 0.5), True, 2), ((0, 0.5, 0), True, 1), ((0, 0, 0.5), False, 1), ((0.5, 0, 0), True, 1)],
    ids=["turned", "as it is", "z is up", "neither is nearer"],
)
def test_the_mass_centre_decides(com, is_y_up, longest):
    system, meshes = rod(com, is_y_up)
    points = upright(system.model(), meshes)["rod.dae"].pieces[0].points
    assert np.argmax(np.ptp(points, axis=0)) == longest
    assert points.max() == pytest.approx(1.0), "up, and not down"


def test_without_a_mass_centre_in_numbers_meshes_are_as_ros_takes_them():
    system = ph.System("rod")
    look = ph.Shape("mesh", (1, 1, 1), file="rod.dae")
    body = system.body("rod", 1, com=(0, 0, system.parameter("l", 0.5)), shapes=look)
    system.joint("pin", system.ground, body, "spherical")
    meshes = {"rod.dae": Mesh((Piece(CORNERS, FACES),), is_y_up=True)}
    assert upright(system.model(), meshes) == meshes
