"""Scenes of contact: our runs end where their closed forms say, and other engines come near."""

from collections.abc import Callable

import pytest
from bench.scenes import SCENES, Scene, backspin


@pytest.mark.parametrize("make", SCENES)
def test_our_runs_end_where_the_closed_form_says(make: Callable[[], Scene]) -> None:
    scene = make()
    assert scene.error(scene.ours(1e-10)) < 1e-9


def test_mujoco_has_the_same_scene() -> None:
    pytest.importorskip("mujoco")
    from bench.peers.mujoco import Touching

    scene = backspin()
    assert scene.error(Touching(scene, 1e-4)()) < 1e-3


def test_siconos_has_the_same_scene() -> None:
    from bench.peers import siconos

    if not siconos.is_installed():
        pytest.skip("python3-siconos is not installed")
    scene = backspin()
    assert scene.error(siconos.Touching(scene, 1e-3)()) < 3e-3
