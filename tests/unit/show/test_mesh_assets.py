"""What a robot looks like: meshes where they can be drawn, a sentence where they cannot, and the rest as before."""

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.show.animation import MeshWarning
from polhode.show.mesh_assets import mesh_assets_of, upright
from polhode.show.scene import Painter
from polhode.show.still import still, write_still
from polhode.view.mesh import Mesh, MeshShape, Piece

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fast_simplification")


@pytest.fixture
def arm(tmp_path: Path) -> ph.System:
    trimesh.creation.icosphere(3, 0.1).export(tmp_path / "ball.stl")
    (tmp_path / "broken.stl").write_bytes(b"solid nothing" + bytes(200))
    system = ph.System("arm")
    parent = system.ground
    files = {"a": ("ball.stl", ""), "b": ("broken.stl", ""), "c": ("gone.stl", "missing: there is no such file")}
    for name, (file, lacking) in files.items():
        look = ph.Shape("mesh", (1, -2, 1), (0, 0, 0.5), None, "#cc3311", str(tmp_path / file), lacking)
        body = system.body(name, 1, com=(0.5, 0, 0), shapes=look)
        system.joint(f"j{name}", parent, body, "revolute", axis="y", at=(1, 0, 0))
        parent = body
    frame = system.body("tool")
    system.joint("weld", parent, frame, "fixed")
    return system


def test_meshes_are_drawn_and_what_is_not_is_told(arm: ph.System) -> None:
    assets = mesh_assets_of(arm.model(), most=300)
    assert [Path(file).name for file in assets.meshes] == ["ball.stl"]
    assert assets.notices[0].startswith("broken.stl is not drawn: ")
    assert assets.notices[1] == "gone.stl is not drawn: missing: there is no such file."
    assert assets.notices[2].startswith("Meshes are simplified: 1,280 triangles are drawn as ")
    scene = Painter(arm.derive().record.system, {}, {}, assets).scene("arm")
    drawn = {body.name: body.shapes for body in scene.bodies}
    (ball,) = drawn["a"]
    assert isinstance(ball, MeshShape)
    assert (ball.scale, ball.position, ball.color) == ((1, -2, 1), [0, 0, 0.5], "#cc3311")
    assert drawn["b"] and drawn["c"], "a body whose mesh fails is drawn as if it had none"
    assert not drawn["tool"] and not drawn["ground"], "where there are meshes, frames are not balls"


def test_the_page_says_it_and_the_call_warns(arm: ph.System, tmp_path: Path) -> None:
    run = arm.derive().simulate(0)
    with pytest.warns(MeshWarning, match=r"gone\.stl is not drawn"):
        page = run.animate(tmp_path / "arm.html", notes="An arm.")
    text = page.read_text(encoding="utf-8")
    assert "An arm. broken.stl is not drawn" in text and "://" not in text.replace("http://www.w3.org", "")


def test_without_meshes_nothing_is_read(tmp_path: Path) -> None:
    assert mesh_assets_of(ph.System("empty").model()).notices == ()


def test_a_mesh_of_a_package_is_told_with_what_finds_it(arm: ph.System, tmp_path: Path) -> None:
    lost = ph.Shape(
        "mesh", (1, 1, 1), file="package://hand/meshes/palm.stl", lacking="missing: the package 'hand' is not known"
    )
    arm.joint("grip", "tool", arm.body("palm", 1, shapes=lost), "revolute", axis="y")
    with pytest.warns(MeshWarning, match=r"palm\.stl is not drawn.* packages=\{'hand': …\}, or --package hand=FOLDER"):
        write_still(still(arm.derive().compile()), tmp_path / "arm.html")


CORNERS = np.array([[0, 0, 0], [0.1, 0, 0], [0, 1, 0], [0, 0, 0.1]], dtype=float)
FACES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])


def rod(com: tuple[float, float, float], is_y_up: bool = True) -> tuple[ph.System, dict[str, Mesh]]:
    """A rod that a file draws along y, with its mass centre somewhere."""
    system = ph.System("rod")
    look = ph.Shape("mesh", (1, 1, 1), file="rod.dae")
    system.joint("pin", system.ground, system.body("rod", 1, com=com, shapes=look), "spherical")
    return system, {"rod.dae": Mesh((Piece(CORNERS, FACES),), is_y_up=is_y_up)}


@pytest.mark.parametrize(("com", "is_y_up", "longest"), [
    ((0, 0, 0.5), True, 2), ((0, 0.5, 0), True, 1), ((0, 0, 0.5), False, 1), ((0.5, 0, 0), True, 1),
], ids=["turned", "as it is", "z is up", "neither is nearer"])  # fmt: skip
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
