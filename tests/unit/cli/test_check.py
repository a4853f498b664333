"""`polhode check`: findings of a model file, and warnings as sentences."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

from polhode.errors import FormatError
from polhode.formats import load

MODELS = Path(__file__).parents[3] / "models"


def test_a_unit_that_is_none_is_refused_with_its_line(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "damper.yaml"
    text = (MODELS / "pendulum.yaml").read_text(encoding="utf-8").replace("unit: N m s/rad", "unit: N m s per rad")
    model.write_text(text, encoding="utf-8")
    said = "damper.yaml:6: parameters.c: parameter 'c': there is no unit 'per'"
    polhode("check", model, code=2)
    assert said in polhode.errors and "Traceback" not in polhode.errors
    with pytest.raises(FormatError, match=r"(?s)damper.yaml:6: parameters.c: .*Write a slash.*E-UNIT-001"):
        load(model)


def test_what_a_command_warns_of_is_a_sentence(polhode: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.cli.info.run", lambda json: warnings.warn("mind the gap.", stacklevel=1))
    polhode("info")
    assert polhode.errors == "mind the gap.\n"
