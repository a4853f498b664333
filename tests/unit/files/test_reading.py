"""Files that another names are looked for inside the allowed folders; meshes in the folders above, and nothing else."""

from pathlib import Path

import pytest

from polhode.files.reading import locate, locate_mesh


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "robot"
    (inside / "meshes").mkdir(parents=True)
    (inside / "meshes" / "arm.stl").write_bytes(b"solid")
    (tmp_path / "secret.stl").write_bytes(b"secret")
    return inside


def test_files_beside_the_robot_and_in_packages_are_found(folder: Path) -> None:
    status, path, _ = locate("meshes/arm.stl", folder, {})
    assert status == "found"
    assert path == (folder / "meshes" / "arm.stl").resolve()
    assert locate(str(folder / "meshes" / "arm.stl"), folder, {})[0] == "found"
    assert locate(f"file://{folder}/meshes/arm.stl", folder, {})[0] == "found"
    assert locate("package://arm/meshes/arm.stl", Path("/nowhere"), {"arm": folder})[0] == "found"
    status, path, reason = locate("package://leg/meshes/arm.stl", folder, {"arm": folder})
    assert (status, path) == ("missing", None)
    assert "'leg'" in reason


@pytest.mark.parametrize("filename", [
    "../secret.stl", "meshes/../../secret.stl", "package://arm/../secret.stl", "package://arm/%2e%2e/secret.stl",
    "file:///etc/passwd", "/etc/passwd", "http://example.org/arm.stl", "https://example.org/arm.stl",
    "C:\\meshes\\arm.stl", "..\\secret.stl", "model://arm/arm.stl",
])  # fmt: skip
def test_what_lies_outside_is_refused(filename: str, folder: Path) -> None:
    status, path, reason = locate(filename, folder, {"arm": folder})
    assert (status, path) == ("refused", None)
    assert reason


def test_links_that_lead_outside_or_disguise_a_file_are_refused(folder: Path, robots: Path) -> None:
    (folder / "meshes" / "sly.stl").symlink_to(folder.parent / "secret.stl")
    assert locate("meshes/sly.stl", folder, {})[0] == "refused"
    (robots / "arm" / "meshes" / "sly.stl").symlink_to(robots / "arm" / "notes.txt")
    assert locate_mesh("../meshes/sly.stl", robots / "arm" / "urdf", {})[1] is None


@pytest.mark.parametrize("filename", ["", "meshes/none.stl", "meshes"])
def test_what_is_not_there_is_missing(filename: str, folder: Path) -> None:
    assert locate(filename, folder, {})[0] == "missing"


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    """…/arm/urdf, with meshes in …/arm/meshes."""
    for name in ("arm/urdf/arm.urdf", "arm/meshes/link.stl", "arm/notes.txt", "secret.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"solid")
    return tmp_path


@pytest.mark.parametrize("filename", [
    "../meshes/link.stl", "meshes/link.stl", "package://arm/meshes/link.stl", "package:///arm/meshes/link.stl",
    "model://arm/meshes/link.stl",
])  # fmt: skip
def test_a_mesh_is_found_by_walking_up(robots: Path, filename: str) -> None:
    status, found, reason = locate_mesh(filename, robots / "arm" / "urdf", {})
    assert (status, found, reason) == ("found", (robots / "arm/meshes/link.stl").resolve(), "")


def test_a_package_may_be_the_folder_that_bears_its_name(robots: Path) -> None:
    (robots / "arm").rename(robots / "arm_description")
    folder = robots / "arm_description" / "urdf"
    assert locate_mesh("package://arm_description/meshes/link.stl", folder, {})[0] == "found"
    assert locate_mesh("package://leg/meshes/other.stl", folder, {})[0] == "missing"


@pytest.mark.parametrize("filename", [
    "../notes.txt", "../../secret.txt", "package://arm/notes.txt", "/etc/passwd", "https://host/link.stl",
    "C:\\a.stl",
])  # fmt: skip
def test_nothing_but_a_mesh_is_found_above_and_nothing_is_fetched(robots: Path, filename: str) -> None:
    assert locate_mesh(filename, robots / "arm" / "urdf", {})[1] is None
