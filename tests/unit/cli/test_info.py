"""`polhode info` tells what is here and what works."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

import polhode as ph
from polhode.cli import info


@pytest.fixture(autouse=True)
def own_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The files of the store are counted, of which that of all tests has hundreds of thousands."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))


def test_versions_backends_extras_and_cache_are_told(polhode: Shell) -> None:
    record = json.loads(polhode("info", "--json"))
    assert record["polhode"] == ph.__version__
    assert record["backends"]["numpy"] is True and record["backends"]["llvm"] is True
    assert record["extras"]["notebook"]["anywidget"]
    said = polhode("info")
    assert record["needs"]["numpy"] in said and record["cache"]["folder"] in said


def test_what_is_missing_is_told_to_be_missing(polhode: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(info, "_EXTRAS", {"moon": {"no_such_module": "no-such-package"}})
    monkeypatch.setattr(info, "_backends", lambda: {"c": "there is no compiler"})
    said = polhode("info")
    assert "no-such-package missing" in said and "there is no compiler" in said
