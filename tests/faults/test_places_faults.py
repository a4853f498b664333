"""What is looked for in the wrong place is told where it is."""

import copy
import pickle
from pathlib import Path

import pytest
from tests.controlled_arms import ServoPID, slider
from tests.refusals import refused

import polhode as ph
from polhode.compiled.functions import _ELSEWHERE, Functions
from polhode.model.system import _OF_EQUATIONS


@pytest.mark.parametrize("name", _OF_EQUATIONS)
def test_what_equations_have_is_asked_of_a_system(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"'System' object has no attribute '{name}'; it is .*derive\(\)\.{name}"):
        getattr(slider(), name)
    assert hasattr(ph.Equations, name)


def test_attributes_of_other_libraries_and_of_equations_are_suggested() -> None:
    f = slider().derive().compile()
    for name, told in _ELSEWHERE.items():
        with pytest.raises(AttributeError) as caught:
            getattr(f, name)
        assert str(caught.value).endswith(told)
    assert all(hasattr(Functions, name) for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias"))
    system = slider()
    with pytest.raises(AttributeError, match=r"'System' object has no attribute 'simulat'$"):
        getattr(system, "simulat")  # noqa: B009 - a type checker knows that it is not there
    assert copy.copy(system).name == system.name
    f = pickle.loads(pickle.dumps(system.derive().compile()))
    assert f.mass_matrix([0.0]).shape == (1, 1)
    refused(r"compile\(\)\.mass_matrix", lambda: slider().derive().mass_matrix([0.0]))  # type: ignore[operator]


def test_xacro_limits_and_sample_times_are_explained(tmp_path: Path) -> None:
    for name in ("arm.xacro", "arm.urdf.xacro"):
        with pytest.raises(ph.PolhodeError, match=rf"xacro {name} > arm\.urdf"):
            ph.load(tmp_path / name)
    e = slider().derive()
    refused("Give a number > 0", lambda: e.simulate(1, controller=ServoPID(e), reference=1, limits=-5))
    told = e.simulate(0.1, controller=ServoPID(e), reference=1, sample_time=1.0).notices
    assert any("evaluated once, at the start" in each for each in told)
    assert not e.simulate(0.1, controller=ServoPID(e), reference=1, sample_time=0.01).notices
