"""Every target computes what the reference interpreter computes; a new target is one more line in TARGETS."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polhode.codegen.c99 import check_input, print_c, sidecar
from polhode.codegen.calls import on_floats
from polhode.codegen.fortran import print_fortran
from polhode.codegen.interpret import interpret
from polhode.codegen.llvm import lane_module, scalar_module
from polhode.codegen.numpy_module import print_numpy
from polhode.codegen.ops import MEANING
from polhode.codegen.program import ARITY, Array, Instruction, Output, Program
from polhode.codegen.random_program import random_program
from polhode.compiled.native import compile_program, engine
from polhode.compiled.native.backends import LANES_FROM, BackendWarning
from polhode.expr.opaque.table import KINDS, Table, checked

Batch = list[np.ndarray]
Target = Callable[[Program, Batch, np.ndarray], np.ndarray]
FORTRAN = ["gfortran", "-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror"]
HAS_FORTRAN = shutil.which("gfortran")
HAS_C = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
EPS = np.finfo(float).eps
HOSTILE = [
    '*/ system("x") /*',
    "a\nb",
    "tail\\",
    "??/",
    "// */ #error",
    '"""',
    "'; import os",
    "%v1 = ret void",
    "é\u2028",
]


def _interpreter(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    names = [array.name for array in program.arrays]
    rows = [
        interpret(program, dict(zip(names, row, strict=True)), parameters)["y"] for row in zip(*inputs, strict=True)
    ]
    return np.array(rows)


def _numpy_text(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    module: dict[str, object] = {}
    exec(compile(print_numpy(program), "generated", "exec"), module)
    with np.errstate(all="ignore"):
        return module[program.name](*inputs, module["setup"](parameters))[0]


def _backend(name: str) -> Target:
    def one_by_one(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
        function = compile_program(program, backend=name, cache=False, parameters=parameters)
        return np.array([function(*row) for row in zip(*inputs, strict=True)])

    return one_by_one


def _batch(name: str, copies: int) -> Target:
    def all_at_once(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
        function = compile_program(program, backend=name, cache=False)
        result = function(*[np.tile(array, (copies, 1)) for array in inputs], parameters=parameters, threads=2)
        count = len(inputs[0])
        for copy in range(1, copies):
            np.testing.assert_array_equal(result[:count], result[copy * count : (copy + 1) * count])
        return result[-count:]

    return all_at_once


def _own_parameters(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    """In lanes, with a parameter set for each state."""
    function = compile_program(program, backend="llvm", cache=False)
    copies = -(-LANES_FROM // len(inputs[0]))
    sets = np.tile(parameters, (copies * len(inputs[0]), 1))
    return function(*[np.tile(array, (copies, 1)) for array in inputs], parameters=sets)[: len(inputs[0])]


def _fortran(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    """The generated module as a shared library; its arrays are plain pointers."""
    if not HAS_FORTRAN:
        pytest.skip("there is no gfortran here")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in print_fortran(program).items():
            (Path(folder) / name).write_text(text)
        command = [*FORTRAN, "-shared", "-fPIC", "-o", "module.so", f"{program.name}.f90"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        library = ctypes.CDLL(str(Path(folder) / "module.so"))
    setup = library[f"__polhode_{program.name}_MOD_{program.name}_setup"]
    run = library[f"__polhode_{program.name}_MOD_{program.name}"]
    work, (y,) = np.empty(len(program.saved)), program.outputs
    given = np.array(parameters, dtype=float)
    setup(ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(work.ctypes.data))
    rows = []
    for row in zip(*inputs, strict=True):
        out = np.empty(len(y.slots))
        run(*(ctypes.c_void_p(array.ctypes.data) for array in (*map(np.ascontiguousarray, row), work, out)))
        rows.append(out)
    return np.array(rows)


def _without_llvm(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    """What is chosen where LLVM makes no code for this machine."""

    def no_machine() -> None:
        raise OSError("there is no such machine.")

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(engine, "host", no_machine)
        warnings.simplefilter("ignore", BackendWarning)
        function = compile_program(program, cache=False, parameters=parameters)
    assert function.backend == ("c" if HAS_C else "numpy")
    return function(*inputs)


TARGETS: dict[str, Target] = {
    "interpreter": _interpreter,
    "numpy module": _numpy_text,
    "numpy backend": _backend("numpy"),
    "numpy batch": _batch("numpy", 2),
    "fortran": _fortran,
    "llvm": _backend("llvm"),
    "llvm batch": _batch("llvm", 2),
    "llvm lanes": _batch("llvm", LANES_FROM),
    "llvm lanes, own parameters": _own_parameters,
    "without LLVM": _without_llvm,
}
if HAS_C:
    TARGETS |= {"c": _backend("c"), "c batch": _batch("c", 2)}


def with_all_slots(program: Program) -> Program:
    """The same program with every slot as an output, so that each operation can be checked by itself."""
    end = program.first_run + len(program.run)
    return replace(program, outputs=(Output("y", (end,), tuple(range(end))),))


def _some_tables() -> list[Table]:
    """Every kind of table, of one variable and of two, with derivatives, and every way to go on outside."""
    x, y = [-2.5, -1.0, -0.25, 0.5, 1.5, 2.0], [0.3, -1.0, 0.5, 0.75, -0.2, 1.1]
    rows = [[math.sin(3 * a + b * b) for b in (-1.0, 0.0, 0.5, 2.0)] for a in x]
    grid = (x, [-1.0, 0.0, 0.5, 2.0])
    one = [
        checked(x, y, kind=kind, outside=outside) for kind, outside in zip(KINDS, ("line", "line", "hold"), strict=True)
    ]
    two = [checked(grid, rows, kind="linear"), checked(grid, rows, kind="cubic", outside="line")]
    slopes = [one[0].partial(0), one[1].partial(0), two[1].partial(0), two[1].partial(1), two[0].partial(1)]
    return [*one, *two, one[2].integral(), *(slope for slope in slopes if slope is not None)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_operation_is_right_on_the_operands_the_target_itself_found(target: str, seed: int) -> None:
    program = with_all_slots(random_program(seed, size=80, functions=_some_tables() if seed == 2 else ()))
    meaning = {**MEANING, **on_floats(program)}
    choose = np.random.default_rng(seed)
    inputs = [choose.normal(size=(5, array.size)) for array in program.arrays]
    parameters = choose.normal(size=program.parameters)
    found = TARGETS[target](program, inputs, parameters)
    np.testing.assert_array_equal(found[:, : len(program.constants)], np.tile(program.constants, (5, 1)))
    np.testing.assert_array_equal(found[:, program.first_parameter : program.first_setup], np.tile(parameters, (5, 1)))
    for row in found:
        for slot, code in program.numbered():
            operands = [float(row[arg]) for arg in code.args]
            expected = meaning[code.op](*operands)
            # A fused multiply-add skips one rounding of an operand, no more.
            size = abs(expected) + (sum(map(abs, operands)) if code.op in ("add", "sub") else 0.0)
            size = 100 * max(1.0, *map(abs, operands)) ** 2 if code.op.startswith("call") else size
            assert math.isclose(row[slot], expected, rel_tol=0.0, abs_tol=4 * EPS * size), (slot, code)


def every_operation() -> Program:
    """Each operation once, on the inputs a and b."""
    code = tuple(Instruction(op, tuple(range(arity))) for op, arity in ARITY.items())
    return Program("each", (Array("a", 1), Array("b", 1)), 0, (), (), code, (
        Output("y", (len(code),), tuple(range(2, 2 + len(code)))),))  # fmt: skip


def every_table() -> Program:
    """Each table once, on the inputs a and b, one that ends where its points end among them."""
    functions = (*_some_tables(), checked([-1, 3], [2, 5], outside="error"))
    code = tuple(Instruction(f"call{k}", tuple(range(each.arity))) for k, each in enumerate(functions))
    output = Output("y", (len(code),), tuple(range(2, 2 + len(code))))
    return Program("each", (Array("a", 1), Array("b", 1)), 0, (), (), code, (output,), {}, functions)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.5, 1e300, -1e300, 1e-310, 800.0, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("target", TARGETS)
def test_special_values_give_what_ieee_says_in_every_target(target: str) -> None:
    program = every_operation()
    pairs = np.array([(a, b) for a in SPECIAL for b in SPECIAL])
    inputs = [pairs[:, :1].copy(), pairs[:, 1:].copy()]
    expected = _interpreter(program, inputs, np.empty(0))
    found = TARGETS[target](program, inputs, np.empty(0))
    for place, op in enumerate(ARITY):
        np.testing.assert_allclose(found[:, place], expected[:, place], rtol=1e-15, atol=0.0, err_msg=op)


@pytest.mark.parametrize("target", TARGETS)
def test_tables_give_the_interpreters_values_at_knots_outside_and_at_nan_in_every_target(target: str) -> None:
    program = every_table()
    points = [-2.5, -1.0, -0.25, 0.0, 0.1, 0.5, 1.4999999999999998, 2.0, 3.0, -3.5, 7.25, math.nan]
    pairs = np.array([(a, b) for a in points for b in points])
    inputs = [pairs[:, :1].copy(), pairs[:, 1:].copy()]
    expected = _interpreter(program, inputs, np.empty(0))
    for place, function in enumerate(program.functions):
        lost = np.isnan(pairs[:, : function.arity]).any(axis=1)
        assert np.isnan(expected[lost, place]).all(), function.label
    found = TARGETS[target](program, inputs, np.empty(0))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_nan_is_never_swallowed_by_min_max_or_sign() -> None:
    for op in ("min", "max"):
        assert math.isnan(MEANING[op](math.nan, 1.0)) and math.isnan(MEANING[op](1.0, math.nan))
    assert math.isnan(MEANING["sign"](math.nan))


def _run_c(program: Program, folder: Path, *flags: str) -> float:
    for name, text in print_c(program).files().items():
        (folder / name).write_text(text)
    compiler = shutil.which("gcc") or shutil.which("cc") or "clang"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", *flags]
    sources = [f"{program.name}.c", f"{program.name}_main.c"]
    done = subprocess.run(
        [compiler, *strict, "-o", "check", *sources, "-lm"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    ran = subprocess.run(["./check"], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr
    return float(ran.stdout)


def _run_fortran(program: Program, folder: Path, *flags: str) -> float:
    for name, text in print_fortran(program).items():
        (folder / name).write_text(text)
    command = [*FORTRAN, *flags, "-o", "check", f"{program.name}.f90", f"{program.name}_main.f90"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return float(subprocess.run(["./check"], cwd=folder, capture_output=True, text=True, check=True).stdout)


DRIVERS = [
    pytest.param(_run_c, (), id="c"),
    pytest.param(_run_c, ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"), id="c, sanitised"),
    pytest.param(_run_fortran, (), id="fortran"),
    pytest.param(_run_fortran, ("-g", "-fcheck=all", "-finit-real=snan"), id="fortran, checked"),
]


def _skip_without_compiler(run: Callable[..., float]) -> None:
    if not (HAS_C if run is _run_c else HAS_FORTRAN):
        pytest.skip("there is no compiler for this language here")


@pytest.mark.parametrize(("run", "flags"), DRIVERS)
def test_a_driver_prints_the_interpreters_check_value(
    tmp_path: Path, run: Callable[..., float], flags: tuple[str, ...]
) -> None:
    _skip_without_compiler(run)
    program = random_program(3, functions=[*_some_tables(), checked([-90, 90], [2, 5], outside="error")])
    program = replace(program, notes=dict(enumerate(HOSTILE * 12)), arrays=(*program.arrays[:2], Array("t", 1)))
    values = iter([check_input(place) for place in range(1, 20)])
    inputs = {array.name: [next(values) for _ in range(array.size)] for array in program.arrays}
    outputs = interpret(program, inputs, [next(values) for _ in range(program.parameters)])
    expected = sum(v / (1 + k) for output in outputs.values() for k, v in enumerate(output.ravel()))
    assert run(program, tmp_path, *flags) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("run", [_run_c, _run_fortran])
def test_a_program_without_inputs_or_work_is_still_clean(tmp_path: Path, run: Callable[..., float]) -> None:
    _skip_without_compiler(run)
    empty = Program("nothing", (Array("q", 0),), 1, (2.5,), (), (), (Output("y", (1,), (0,)), Output("none", (0,), ())))
    assert run(empty, tmp_path) == 2.5
    y, none = compile_program(empty, cache=False, parameters=[1.0])(np.empty(0))
    assert y.tolist() == [2.5] and none.shape == (0,)


def test_no_user_string_reaches_code_and_all_reach_the_sidecar() -> None:
    program = random_program(4)
    noted = replace(program, notes={program.first_run + k: text for k, text in enumerate(HOSTILE)})
    assert scalar_module(noted) == scalar_module(program)
    assert lane_module(noted, 4) == lane_module(program, 4)
    for text in [*print_c(noted).files().values(), *print_fortran(noted).values(), print_numpy(noted)]:
        assert text.isascii()
        assert not any(mark in text for mark in ("\\\n", "??/", 'system("', "import os", "#error"))
        comments = [line for line in text.splitlines() if "/*" in line or "  # " in line]
        assert all(line.count("*/") <= 1 and line.count("/*") <= 1 for line in comments)
    assert len(print_c(noted).source.splitlines()) == len(print_c(program).source.splitlines())
    for name, text in print_fortran(noted).items():
        assert len(text.splitlines()) == len(print_fortran(program)[name].splitlines())
    assert len(print_numpy(noted).splitlines()) == len(print_numpy(program).splitlines())
    record = sidecar(noted, {"parameters": HOSTILE[:3]})
    assert record.isascii() and "??/" in record


def test_generated_text_does_not_depend_on_the_hash_seed() -> None:
    script = (
        "import hashlib;from polhode.codegen.random_program import random_program as r;"
        "from polhode.codegen import c99,fortran,llvm,numpy_module as n;p=r(5);"
        "t=''.join([*c99.print_c(p).files().values(),*fortran.print_fortran(p).values()])+n.print_numpy(p)+llvm.scalar_module(p)+llvm.lane_module(p,4);"
        "print(hashlib.sha256(t.encode()).hexdigest())"
    )
    program = random_program(5)
    sources = [*print_c(program).files().values(), *print_fortran(program).values(), print_numpy(program)]
    here = hashlib.sha256("".join([*sources, scalar_module(program), lane_module(program, 4)]).encode()).hexdigest()
    for seed in ("1", "77"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        there = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert there.stdout.strip() == here, there.stderr
