"""Meshes become small: shares are fair, points that fall together are one, the form is kept."""

import re
from pathlib import Path

import numpy as np
import pytest

from polhode.errors import PolhodeError
from polhode.view import mesh
from polhode.view.mesh import Mesh, Piece, hex_color, read_mesh, shares, simplified

pytest.importorskip("fast_simplification")
trimesh = pytest.importorskip("trimesh")


def ball(radius: float = 0.2) -> Mesh:
    made = trimesh.creation.icosphere(4, radius)
    return Mesh((Piece(np.array(made.vertices), np.array(made.faces), "#112233"),))


def test_triangles_are_shared_and_units_do_not_matter_and_simplified_balls_are_round_and_soups_are_welded() -> None:
    assert shares([10, 500, 900], 610) == [10, 300, 300] and shares([10, 20], 100) == [10, 20]
    assert shares([], 100) == []
    assert simplified(ball(2e-4), 600).count == pytest.approx(simplified(ball(200.0), 600).count, rel=0.1)
    (piece,) = ball().pieces
    bolt = Piece(piece.points, piece.triangles[:20], "#ff0000")
    assert Mesh((bolt, piece)).color == "#112233"
    assert hex_color((2.0, -1.0, 0.0)) == "#ff0000"
    made = simplified(ball(), 600)
    assert 400 < made.count <= 700
    (piece,) = made.pieces
    assert piece.color == "#112233" and np.linalg.norm(piece.points, axis=1) == pytest.approx(0.2, rel=0.03)
    (piece,) = ball().pieces
    soup = Mesh((Piece(piece.points[piece.triangles.reshape(-1)], np.arange(piece.triangles.size).reshape(-1, 3)),))
    made = simplified(soup, 10**6)
    assert len(made.pieces[0].points) == len(piece.points) and made.count == len(piece.triangles)


pytest.importorskip("collada")

RED = [230, 20, 30, 255]


@pytest.fixture
def box() -> object:
    made = trimesh.creation.box((0.1, 0.2, 0.3))
    made.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.SimpleMaterial(diffuse=RED))
    return made


@pytest.mark.parametrize("kind", ["stl", "obj", "glb", "dae"])
def test_each_kind_is_read(box, tmp_path: Path, kind: str) -> None:
    box.export(tmp_path / f"box.{kind}")
    mesh = read_mesh(tmp_path / f"box.{kind}")
    points = np.concatenate([piece.points[piece.triangles.reshape(-1)] for piece in mesh.pieces])
    assert mesh.count == 12
    assert np.ptp(points, axis=0) == pytest.approx([0.1, 0.2, 0.3], rel=1e-4)


def collada(look: str, unit: str = "1") -> str:
    """A triangle of one by two in a material."""
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><lambert><diffuse>{look}</diffuse></lambert>
</technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="s">
<float_array id="f" count="9">0 0 0 1 0 0 0 2 0</float_array>
<technique_common><accessor source="#f" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION"
source="#s"/></vertices><triangles count="1" material="k"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p>
</triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="k" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def test_colours_of_files_are_kept_and_missing_pictures_leave_the_form(box, tmp_path: Path) -> None:
    box.export(tmp_path / "box.glb")
    assert read_mesh(tmp_path / "box.glb").color == "#e6141e"
    (tmp_path / "a.dae").write_text(collada("<color>0 0.5 1 1</color>"))
    assert read_mesh(tmp_path / "a.dae").color in ("#0080ff", "#007fff")
    sampler = '<newparam sid="p"><sampler2D><source>gone</source></sampler2D></newparam>'
    text = collada('<texture texture="p" texcoord="UV"/>').replace("<technique sid", f"{sampler}<technique sid")
    (tmp_path / "a.dae").write_text(text)
    mesh = read_mesh(tmp_path / "a.dae")
    assert (mesh.count, mesh.lacks_pictures) == (1, True)


@pytest.mark.parametrize("kind", ["glb", "obj"])
def test_a_texture_gives_points_their_colours_also_of_fewer_triangles(tmp_path: Path, kind: str) -> None:
    pictures = pytest.importorskip("PIL.Image")
    picture = pictures.new("RGB", (64, 64), (255, 0, 0))
    picture.paste((0, 0, 255), (32, 0, 64, 64))
    ball = trimesh.creation.icosphere(4, 1.0)
    across = (ball.vertices[:, 0] + 1) / 2  # red where x < 0, blue where x > 0
    ball.visual = trimesh.visual.TextureVisuals(np.stack([across, np.full_like(across, 0.5)], axis=1), image=picture)
    ball.export(tmp_path / f"ball.{kind}")
    mesh = read_mesh(tmp_path / f"ball.{kind}")
    assert not mesh.lacks_pictures
    for each in (mesh, simplified(mesh, 400)):
        (piece,) = each.pieces
        assert piece.shades is not None and piece.shades.shape == piece.points.shape
        left, right = piece.shades[piece.points[:, 0] < -0.2], piece.shades[piece.points[:, 0] > 0.2]
        assert np.allclose(left, (255, 0, 0), atol=12)
        assert np.allclose(right, (0, 0, 255), atol=12)


def test_colours_units_and_entities_of_files(box, tmp_path: Path) -> None:
    box.export(tmp_path / "box.STL", file_type="stl")
    assert read_mesh(tmp_path / "box.STL").color is None
    (tmp_path / "a.dae").write_text(collada("<color>0 0 1 1</color>", unit="0.01"))
    assert np.ptp(read_mesh(tmp_path / "a.dae").pieces[0].points, axis=0) == pytest.approx([0.01, 0.02, 0])
    (tmp_path / "bomb.dae").write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><COLLADA>&a;</COLLADA>')
    assert "DOCTYPE" in refusal(tmp_path / "bomb.dae")
    (tmp_path / "far.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1e30 0\nf 1 2 3\n")
    assert "too far away" in refusal(tmp_path / "far.obj")


def refusal(path: Path) -> str:
    with pytest.raises(PolhodeError) as caught:
        read_mesh(path)
    return str(caught.value)


def test_what_cannot_be_drawn_is_refused_in_a_sentence(box, tmp_path: Path, monkeypatch) -> None:
    assert "E-FILE-READ" in refusal(tmp_path / "none.stl")
    (tmp_path / "a.step").write_bytes(b"ISO")
    assert "'.step' is no kind of mesh" in refusal(tmp_path / "a.step")
    for kind in ("stl", "obj", "dae", "glb", "gltf"):
        (tmp_path / f"broken.{kind}").write_bytes(b"\x01\x02 this is no mesh \xff" * 9)
        assert re.search("E-FILE-(READ|SIZE|NUMBER|SHAPE)", refusal(tmp_path / f"broken.{kind}"))
    box.export(tmp_path / "box.stl")
    monkeypatch.setattr(mesh, "MOST_TRIANGLES", 11)
    assert "12 triangles, more than 11" in refusal(tmp_path / "box.stl")
    monkeypatch.setattr(mesh, "MOST_BYTES", 100)
    assert "more than 100" in refusal(tmp_path / "box.stl")


def test_a_mesh_reads_no_file_outside_its_folder(box, tmp_path: Path) -> None:
    (tmp_path / "secret.mtl").write_text("newmtl m\nKd 1 0 0\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.obj").write_text(
        "mtllib ../secret.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n"
    )
    assert read_mesh(tmp_path / "in" / "a.obj").color != "#ff0000"
