"""The word for the machine: the same whenever it is asked for, another for another processor or compiler."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from polhode.native import engine
from polhode.native import stored_code as home
from polhode.native.stored_code import machine

CPU = "processor\t: 0\nmodel name\t: Abacus\ncpu MHz\t\t: {mhz}\nflags\t\t: fpu {feature}\n\nprocessor\t: 1\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's description of the processor")


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    machine.cache_clear()
    yield
    machine.cache_clear()


def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **words: str) -> str:
    (tmp_path / "cpuinfo").write_text(CPU.format(**{"mhz": "1000", "feature": "avx", **words}))
    monkeypatch.setattr(home, "_CPU", str(tmp_path / "cpuinfo"))
    machine.cache_clear()
    return machine()


def test_features_count_and_clock_rates_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = described(tmp_path, monkeypatch)
    assert described(tmp_path, monkeypatch, mhz="2000") == plain
    assert described(tmp_path, monkeypatch, feature="avx512f") != plain


def test_a_processor_that_says_nothing_is_asked_through_llvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "_CPU", str(tmp_path / "absent"))
    assert f"features={engine.host().features}" in machine()


def test_a_compiler_that_is_not_there_is_another_word(monkeypatch: pytest.MonkeyPatch) -> None:
    here = machine()
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    machine.cache_clear()
    assert machine() != here


def test_a_compiler_counts_by_its_version_and_not_by_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def word(folder: str, version: str, size: int) -> str:
        package = tmp_path / folder / "llvmlite"
        (package / "binding").mkdir(parents=True)
        (package / "_version.py").write_text(f"version_version = {version!r}")
        (package / "binding" / "libllvmlite.so").write_bytes(bytes(size))
        spec = ModuleSpec("llvmlite", None, origin=str(package / "__init__.py"))
        monkeypatch.setattr("importlib.util.find_spec", lambda _: spec)
        machine.cache_clear()
        return machine()

    plain = word("here", "0.44", 100)
    assert word("there", "0.44", 100) == plain
    assert len({plain, word("newer", "0.45", 100), word("built otherwise", "0.44", 101)}) == 3
