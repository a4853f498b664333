"""F38: where LLVM does not work, whatever the reason, all works on the next backend, and one sentence says so."""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

import polhode as ph
from polhode.codegen.plan import plan
from polhode.expr import symbols
from polhode.model.samples import four_bar
from polhode.native import backends, compile_program, elf_loader, engine, stored_code
from polhode.native.backends import LANES_FROM, BackendWarning
from polhode.native.c_compiler import compiler
from polhode.native.stored_code import machine


def pendulum() -> ph.System:
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    s.joint("hinge", s.ground, s.body("bob", mass=1, com=(0, 0, -1)), ph.Revolute("y"))
    return s


def fail(*_: object, **__: object) -> None:
    raise RuntimeError("it is broken")


def refuse(*_: object) -> None:
    raise OSError(13, "memory cannot be made executable.")


class OldLibrary:
    """A C library of before C99."""

    present = ctypes.CDLL(None)

    def __init__(self, name: str | None) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        if name == "fma":
            raise AttributeError("function 'fma' not found")
        return getattr(self.present, name)


def _without_llvmlite(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(sys.modules, "llvmlite", None)


def _of_another_version(patch: pytest.MonkeyPatch) -> None:
    patch.delattr(llvm, "get_host_cpu_features")


def _without_target(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(llvm.Target, "from_triple", fail)


def _without_machine(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(llvm.Target, "create_target_machine", fail)


def _without_fma(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(llvm, "address_of_symbol", lambda name: None)
    patch.setattr(engine.ctypes, "CDLL", OldLibrary)


def _without_executable_memory(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(elf_loader, "_make_executable", refuse)


FAILURES: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], str]] = {
    "llvmlite is missing": (_without_llvmlite, "ModuleNotFoundError"),
    "llvmlite has another interface": (_of_another_version, "AttributeError"),
    "LLVM has no such target": (_without_target, "it is broken"),
    "LLVM does not know the machine": (_without_machine, "it is broken"),
    "the C library has no fma": (_without_fma, "fma"),
    "memory cannot be made executable": (_without_executable_memory, "memory cannot be made executable"),
}


def asked_anew() -> None:
    """Forget what this process found out about its machine."""
    engine.host.cache_clear()
    machine.cache_clear()
    backends.say_once.cache_clear()


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """A way to break LLVM for one test, with a cache of its own."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))
    asked_anew()
    yield monkeypatch
    monkeypatch.undo()
    asked_anew()


@pytest.mark.parametrize("failure", FAILURES)
def test_f38_each_failure_of_llvm_leads_to_the_next_backend_and_is_said_once(
    failure: str, broken: pytest.MonkeyPatch
) -> None:
    breaks, said = FAILURES[failure]
    breaks(broken)
    broken.setenv("CC", "no-such-compiler")
    with pytest.warns(BackendWarning, match=f"'numpy' is used. 'llvm' does not work here: .*{said}") as told:
        functions = pendulum().derive().compile()
        assert functions.forward_dynamics([0.5], [0.0]) == pytest.approx(-9.81 * np.sin(0.5))
        assert functions.native("forward_dynamics").backend == "numpy"
        functions.mass_matrix([0.5])
    assert len(told) == 1
    with pytest.raises(ph.PolhodeError, match="the backend 'llvm' does not work here"):
        pendulum().derive().compile(backend="llvm").mass_matrix([0.5])


def has_c() -> bool:
    try:
        return bool(compiler())
    except ph.PolhodeError:
        return False


@pytest.mark.filterwarnings("ignore::polhode.native.backends.BackendWarning")
@pytest.mark.parametrize("backend", [pytest.param("c", marks=pytest.mark.skipif(not has_c(), reason="no C")), "numpy"])
def test_f38_programs_batches_and_users_functions_run_without_llvm(backend: str, broken: pytest.MonkeyPatch) -> None:
    table = ph.table([-9, 9], [-0.9, 0.9], outside="line")
    pull = ph.function("pull", "double pull(double a) { return -4.0 * a; }", lambda a: -4.0 * a)
    t, (q, u) = ph.symbol("t"), symbols("q u")
    program = plan("rates", [("t", [t]), ("x", [q, u])], [("xdot", (2,), [u, pull(q) - table(u)])])
    states = np.random.default_rng(1).normal(size=(LANES_FROM + 3, 2))
    expected = compile_program(program)(np.zeros(1), states)
    asked_anew()
    _without_target(broken)
    if backend == "numpy":
        broken.setenv("CC", "no-such-compiler")
    function = compile_program(program)
    assert function.backend == backend
    np.testing.assert_allclose(function(np.zeros(1), states), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(function(np.zeros(1), states[0]), expected[0], rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::polhode.native.backends.BackendWarning")
def test_f38_a_run_with_constraints_events_and_outputs_is_the_same_without_llvm(broken: pytest.MonkeyPatch) -> None:
    def run() -> ph.Trajectory:
        linkage = four_bar()
        events = [linkage.joints["crank"].q[0] - 1]
        return linkage.derive().simulate(0.5, start={"crank": 0.4}, samples=6, events=events)

    expected = run()
    asked_anew()
    _without_llvmlite(broken)
    broken.setenv("CC", "no-such-compiler")
    found = run()
    np.testing.assert_allclose(found.q, expected.q, rtol=1e-6, atol=1e-8)
    for name, values in expected.multipliers.items():
        np.testing.assert_allclose(found.multipliers[name], values, rtol=1e-5, atol=1e-6)


def test_f38_exports_need_no_llvm(broken: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _without_llvmlite(broken)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pendulum().derive().export("c", tmp_path / "code")
    assert list((tmp_path / "code").glob("*.c"))


def test_f38_derivatives_of_runs_are_refused_without_llvm(broken: pytest.MonkeyPatch) -> None:
    broken.setattr("polhode.simulate.gradients.smooth_run.method_code", refuse)
    with pytest.raises(ph.PolhodeError, match="E-SENSITIVITY-UNSUPPORTED"):
        pendulum().derive().sensitivities(1, ["hinge"])


def test_f38_code_that_is_kept_runs_where_llvm_does_not_and_leaves_lanes_out(broken: pytest.MonkeyPatch) -> None:
    q = np.linspace(-1, 1, LANES_FROM)[:, None]
    expected = pendulum().derive().compile(cache=False).forward_dynamics(q, 0 * q)
    pendulum().derive().compile().forward_dynamics(q[0], 0 * q[0])
    asked_anew()
    _without_target(broken)
    functions = pendulum().derive().compile()
    assert functions.native("forward_dynamics").backend == "llvm"
    if not sys.platform.startswith("linux"):
        return
    for parameters in (functions.native("forward_dynamics"), functions._with_defaults("forward_dynamics")):
        parameters.native.in_lanes = True  # as a longer program would be
    with pytest.warns(BackendWarning, match="no code in lanes here"):
        np.testing.assert_allclose(functions.forward_dynamics(q, 0 * q), expected, rtol=1e-13)
    np.testing.assert_allclose(functions.forward_dynamics(q, 0 * q), expected, rtol=1e-13)


@pytest.mark.parametrize("platform", ["darwin", "win32", "freebsd14"])
def test_f38_where_images_cannot_be_loaded_llvms_own_loader_is_used(platform: str, broken: pytest.MonkeyPatch) -> None:
    broken.setattr(elf_loader.sys, "platform", platform)
    function = compile_program(plan("f", [("x", symbols("x y"))], [("y", (1,), [symbols("x")[0] * 2])]), cache=False)
    assert function.backend == "llvm" and isinstance(function.native.code, engine.Library)
    assert function([1.5, 0.0]).tolist() == [3.0]


def test_f38_object_code_that_is_kept_is_made_anew_where_llvm_cannot_load_it(broken: pytest.MonkeyPatch) -> None:
    broken.setattr(stored_code, "link", lambda code: None)
    pendulum().derive().compile().mass_matrix([0.1])
    asked_anew()
    _without_machine(broken)
    with pytest.warns(BackendWarning, match="'llvm' does not work here"):
        assert pendulum().derive().compile().mass_matrix([0.1]).shape == (1, 1)


def test_f38_a_machine_that_neither_linux_nor_llvm_describes_has_a_word(broken: pytest.MonkeyPatch) -> None:
    here = machine()
    broken.setattr(stored_code, "_CPU", "/nowhere/at/all")
    _without_target(broken)
    machine.cache_clear()
    assert machine() == machine() != here


def test_f38_what_is_wrong_with_a_users_function_is_not_laid_to_llvm(broken: pytest.MonkeyPatch) -> None:
    broken.setenv("CC", "no-such-compiler")
    alone = ph.function("alone", "double alone(double a) { return 2.0 * a; }")
    (x,) = symbols("x")
    with warnings.catch_warnings(), pytest.raises(ph.PolhodeError, match="there is no C compiler"):
        warnings.simplefilter("error")
        compile_program(plan("f", [("x", [x])], [("y", (1,), [alone(x)])]))
