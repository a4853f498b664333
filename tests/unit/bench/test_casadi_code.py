"""The benchmark beside C that CasADi generated: what is kept and counted, and what is said when a part is missing."""

import importlib.util
import sys
from importlib import metadata
from pathlib import Path

import pytest
from bench import native_build
from bench.casadi_code import Tracer, adam_tracer, operations_of, traced
from tests.refusals import refused

from polhode.errors import PolhodeError

GENERATED = """
/* inverse_dynamics:(i0[2],i1[2],i2[2])->(o0[2]) */
static int casadi_f0(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem) {
  casadi_real a0, a1, a2;
  a0=arg[1]? arg[1][0] : 0;
  a1=9.8100000000000005e+00;
  a1=(a1*a0);
  if (res[0]!=0) res[0][0]=a1;
  return 0;
}

/* forward_dynamics:(i0[2],i1[2],i2[2])->(o0[2]) */
static int casadi_f1(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem) {
  a0=cos(a0);
  a1=(-a0);
  a2=casadi_sq(a1);
  return 0;
}
"""


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is built, and a processor that is always the same."""
    monkeypatch.setattr(native_build, "BUILT", tmp_path / "bench")
    monkeypatch.setattr(native_build, "_processor_flags", lambda: "")
    return tmp_path / "bench"


def test_operations_are_those_of_the_function_without_reading_constants_and_writing() -> None:
    assert operations_of("inverse_dynamics", GENERATED) == 1
    assert operations_of("forward_dynamics", GENERATED) == 3 and operations_of("mass_matrix", GENERATED) == 0


def test_what_was_made_once_is_kept_and_what_was_broken_off_is_not(built: Path) -> None:
    def broken_off(path: Path) -> None:
        path.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    refused("", lambda: native_build.kept("loop", broken_off), KeyboardInterrupt)
    made = []
    for text in ("first", "second"):
        made.append(native_build.kept("loop", lambda path, text=text: path.write_text(text, encoding="utf-8")))
    assert made[0] == made[1] == built / "loop" and made[1].read_text(encoding="utf-8") == "first"


def test_another_tracer_or_another_mechanism_is_traced_anew(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.casadi_code.compile_with", lambda _, arguments, *rest: Path(arguments[-2]).touch())
    echo = (sys.executable, "-c", "import sys; print(sys.stdin.read(), end='')")
    asked = [("1", "pendulum"), ("1", "pendulum"), ("2", "pendulum"), ("1", "cart")]
    found = [traced(Tracer("echo", echo, version), "floating arm", text, print) for version, text in asked]
    assert [trace.source.read_text(encoding="utf-8") for trace in found] == [text for _, text in asked]
    assert found[0] == found[1] and len({trace.library for trace in found}) == 3
    assert all(trace.library.name.startswith("echo-floating-arm-") for trace in found)


def test_a_tracer_that_fails_says_why_and_leaves_nothing(built: Path) -> None:
    failing = Tracer("failing", (sys.executable, "-c", "import sys; sys.exit('no joint of kind H')"), "1")
    with pytest.raises(PolhodeError, match="'failing' ended with 1: no joint of kind H") as caught:
        traced(failing, "screw", "", print)
    assert caught.value.problems[0].code == "E-BENCH-009"
    assert not list(built.iterdir())


def test_a_missing_part_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch, built: Path) -> None:
    monkeypatch.setattr(native_build, "_pinocchio_flags", tuple)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(PolhodeError, match="no headers of CasADi") as caught:
        native_build.casadi_trace()
    assert "pip install casadi" in caught.value.problems[0].cure
    monkeypatch.setattr(native_build.shutil, "which", lambda name: None)
    with pytest.raises(PolhodeError, match=r"there is no g\+\+") as caught:
        native_build.casadi_loop().build(print)
    assert "Install a C++ compiler" in caught.value.problems[0].cure

    def missing(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", missing)
    refused("adam-robotics is not measured", adam_tracer, code="E-BENCH-010")
