"""A drawing shows what is nearest, as large as it is, in its colour."""

import io

import numpy as np
import pytest
from matplotlib.image import imread

from polhode.view import drawing
from polhode.view.drawing import png_of
from polhode.view.mesh import Mesh, MeshShape, Piece
from polhode.view.scene import SIZES, Motion, MovingLine, Scene, SceneBody, SceneLine, Shape

RED, BLUE = "#cc0000", "#0000cc"


@pytest.fixture(autouse=True)
def half_as_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the pixels."""
    for name in ("WIDTH", "HEIGHT"):
        monkeypatch.setattr(drawing, name, getattr(drawing, name) // 2)


def seen(
    *shapes: tuple[Shape | MeshShape, tuple[float, float, float]], up=(0, 0, 1), lines=(), moving=()
) -> np.ndarray:
    """The pixels (height, width, 3) of shapes at places, without a floor."""
    bodies = [SceneBody(f"body {k}", [shape]) for k, (shape, _) in enumerate(shapes)]
    places = np.array([[place for _, place in shapes]], dtype=float)
    motion = Motion([0.0], places, np.tile([1.0, 0, 0, 0], (1, len(shapes), 1)), moving)
    return imread(io.BytesIO(png_of(Scene("scene", bodies, up, lines=lines, floor=False), motion)))[:, :, :3]


def area(image: np.ndarray, channel: int) -> float:
    """Pixels in which a colour, red or blue, is alone."""
    return float((image[:, :, channel] > 2 * image[:, :, 2 - channel]).sum())


def test_a_ball_is_a_disc_of_its_size():
    image = seen((Shape("sphere", (0.3,), color=RED), (1, 2, 3)))
    diameter = (1 - 2 * drawing.MARGIN) * drawing.HEIGHT
    assert area(image, 0) == pytest.approx(np.pi / 4 * diameter**2, rel=0.02)
    rows, columns = np.nonzero(image[:, :, 0] > 2 * image[:, :, 2])
    assert (rows.mean(), columns.mean()) == pytest.approx((drawing.HEIGHT / 2, drawing.WIDTH / 2), abs=1.5)


def test_what_is_nearer_hides_what_is_behind_whatever_comes_first():
    towards = drawing.CAMERA[2]
    front, behind = tuple(2 * towards), tuple(-2 * towards)
    large, small = Shape("sphere", (1.0,), color=RED), Shape("sphere", (0.5,), color=BLUE)
    for shapes in ([(large, behind), (small, front)], [(small, front), (large, behind)]):
        image = seen(*shapes)
        assert area(image, 2) / (area(image, 0) + area(image, 2)) == pytest.approx(0.25, abs=0.02)
    assert area(seen((large, front), (small, behind)), 2) == 0


def test_up_is_up_and_every_shape_is_drawn():
    for up in ((0, 0, 1), (0, 1, 0), (0, 0, -1), (1, 2, 3)):
        above = 3 * np.array(up) / np.linalg.norm(up)
        image = seen(
            (Shape("box", (1, 1, 1), color=RED), (0, 0, 0)), (Shape("sphere", (1.0,), color=BLUE), above), up=up
        )
        upper, lower = (half[:, :, 2].sum() - half[:, :, 0].sum() for half in np.split(image, 2))
        assert upper > 0 > lower
    for kind, meaning in SIZES.items():
        image = seen((Shape(kind, (0.5,) * len(meaning), color=RED), (0, 0, 0)))
        assert 1 - image.mean() > 0.01, kind


def test_meshes_lines_and_an_empty_scene():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    mesh = Mesh((Piece(corners, np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]), RED),))
    assert area(seen((MeshShape(mesh, mesh), (0, 0, 0))), 0) > 250
    ball = (Shape("sphere", (0.1,), color=RED), (0, 0, 0))
    line = SceneLine("spring", [(0, (0, 0, 0)), (0, (0, 0, 2))], 0.05, BLUE)
    bar = MovingLine("", np.array([[[0, 0, 0], [0, 0, 2]]], dtype=float), 0.05, BLUE)
    assert area(seen(ball, lines=[line]), 2) == pytest.approx(area(seen(ball, moving=[bar]), 2), rel=0.05)
    blank = png_of(Scene("nothing", []), Motion([0.0], np.zeros((1, 0, 3)), np.zeros((1, 0, 4))))
    assert blank == png_of(Scene("nothing", []), Motion([0.0], np.zeros((1, 0, 3)), np.zeros((1, 0, 4))))
