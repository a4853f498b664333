"""Meshes are found in the folders above a robot file, and nothing but meshes is."""

from __future__ import annotations

from pathlib import Path

import pytest

from polhode.files.mesh_paths import locate_mesh


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    """…/arm/urdf, with meshes in …/arm/meshes."""
    for name in ("arm/urdf/arm.urdf", "arm/meshes/link.stl", "arm/notes.txt", "secret.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"solid")
    return tmp_path


@pytest.mark.parametrize(
    "filename",
    [
        "../meshes/link.stl",
        "meshes/link.stl",
        "package://arm/meshes/link.stl",
        "package:///arm/meshes/link.stl",
        "model://arm/meshes/link.stl",
    ],
)
def test_a_mesh_is_found_by_walking_up(robots: Path, filename: str) -> None:
    status, found, reason = locate_mesh(filename, robots / "arm" / "urdf", {})
    assert (status, found, reason) == ("found", (robots / "arm/meshes/link.stl").resolve(), "")


def test_a_package_may_be_the_folder_that_bears_its_name(robots: Path) -> None:
    (robots / "arm").rename(robots / "arm_description")
    folder = robots / "arm_description" / "urdf"
    assert locate_mesh("package://arm_description/meshes/link.stl", folder, {})[0] == "found"
    assert locate_mesh("package://leg/meshes/other.stl", folder, {})[0] == "missing"


@pytest.mark.parametrize(
    "filename",
    [
        "../notes.txt",
        "../../secret.txt",
        "package://arm/notes.txt",
        "/etc/passwd",
        "https://host/link.stl",
        "C:\\a.stl",
    ],
)
def test_nothing_but_a_mesh_is_found_above_and_nothing_is_fetched(robots: Path, filename: str) -> None:
    assert locate_mesh(filename, robots / "arm" / "urdf", {})[1] is None


def test_a_link_that_disguises_another_file_is_refused(robots: Path) -> None:
    (robots / "arm" / "meshes" / "sly.stl").symlink_to(robots / "arm" / "notes.txt")
    assert locate_mesh("../meshes/sly.stl", robots / "arm" / "urdf", {})[1] is None
