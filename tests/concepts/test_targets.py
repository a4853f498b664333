"""Every target computes what the reference interpreter computes.

One of them is not in the package: a file beside this one, and the one line that adds it to the list.
"""

import ctypes
import hashlib
import json
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
from tests.random_program import random_program
from tests.seeds import seeds

import polhode as ph
from polhode.codegen.ir.calls import on_floats
from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.ops import MEANING
from polhode.codegen.ir.program import ARITY, Array, Instruction, Output, Program
from polhode.codegen.llvm.module import lane_module, scalar_module
from polhode.codegen.printers.target import check_inputs
from polhode.codegen.printers.targets import TARGETS as LISTED
from polhode.codegen.printers.targets import target_of
from polhode.expr.opaque.table import KINDS, Table, checked
from polhode.native import compile_program, engine
from polhode.native.backends import LANES_FROM, BackendWarning
from polhode.native.compiled import Compiled

from . import javascript

Batch = list[np.ndarray]
Target = Callable[[Program, Batch, np.ndarray], np.ndarray]
ADDED = javascript.TARGET
SOURCES = [*LISTED, ADDED.name]
HAS_C = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
EPS = np.finfo(float).eps
HOSTILE = [
    '*/ system("x") /*', "a\nb", "tail\\", "??/", "// */ #error", '"""', "'; import os", "%v1 = ret void", "é\u2028",
]  # fmt: skip


@pytest.fixture(autouse=True)
def with_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LISTED, ADDED.name, ADDED)


def printed(target: str, program: Program) -> dict[str, str]:
    return target_of(target).files(program, ())


def written(target: str, program: Program, folder: Path) -> None:
    for name, text in printed(target, program).items():
        (folder / name).write_text(text)


def _interpreter(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    names = [array.name for array in program.arrays]
    rows = [
        interpret(program, dict(zip(names, row, strict=True)), parameters)["y"] for row in zip(*inputs, strict=True)
    ]
    return np.array(rows)


def _numpy_text(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    module: dict[str, object] = {}
    exec(compile(printed("numpy", program)[f"{program.name}.py"], "generated", "exec"), module)
    with np.errstate(all="ignore"):
        return module[program.name](*inputs, module["setup"](parameters))[0]


def _backend(name: str) -> Target:
    def one_by_one(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
        function = compile_program(program, backend=name, cache=False, parameters=parameters)
        return np.array([function(*row) for row in zip(*inputs, strict=True)])

    return one_by_one


def _batch(name: str, copies: int) -> Target:
    def all_at_once(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
        function = _in_lanes(compile_program(program, backend=name, cache=False))
        result = function(*[np.tile(array, (copies, 1)) for array in inputs], parameters=parameters, threads=2)
        count = len(inputs[0])
        for copy in range(1, copies):
            np.testing.assert_array_equal(result[:count], result[copy * count : (copy + 1) * count])
        return result[-count:]

    return all_at_once


def _in_lanes(function: Compiled) -> Compiled:
    """The function, with lanes where it has them, whether they are faster or not."""
    if function.backend == "llvm":
        function.native.in_lanes = True
    return function


def _own_parameters(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    """In lanes, with a parameter set for each state."""
    function = _in_lanes(compile_program(program, backend="llvm", cache=False))
    copies = -(-LANES_FROM // len(inputs[0]))
    sets = np.tile(parameters, (copies * len(inputs[0]), 1))
    return function(*[np.tile(array, (copies, 1)) for array in inputs], parameters=sets)[: len(inputs[0])]


def _fortran(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    """The generated module as a shared library; its arrays are plain pointers."""
    ((compiler, *flags), _) = target_of("fortran").check
    _skip_without(compiler)
    strict = [flag for flag in flags if flag[:2] in ("-s", "-W", "-p")]
    with tempfile.TemporaryDirectory() as folder:
        written("fortran", program, Path(folder))
        command = [compiler, *strict, "-shared", "-fPIC", "-o", "module.so", f"{program.name}.f90"]
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


_NODE = """const made = require("./%s.js"), sizes = %s, chunks = [];
process.stdin.on("data", chunk => chunks.push(chunk)).on("end", () => {
  const bytes = Buffer.concat(chunks), numbers = [];
  for (let k = 0; k < bytes.length; k += 8) numbers.push(bytes.readDoubleLE(k));
  const take = size => numbers.splice(0, size), w = made.setup(take(sizes.pop()));
  const row = () => new Uint8Array(new Float64Array(made.run(...sizes.map(take), w)[0]).buffer);
  while (numbers.length) process.stdout.write(row());
});
"""


def _javascript(program: Program, inputs: Batch, parameters: np.ndarray) -> np.ndarray:
    """Numbers go to Node and come back as bytes, which know infinity and NaN."""
    _skip_without("node")
    sizes = [*(array.size for array in program.arrays), program.parameters]
    numbers = np.concatenate([parameters, np.concatenate(inputs, axis=1).ravel()])
    with tempfile.TemporaryDirectory() as folder:
        written("javascript", program, Path(folder))
        (Path(folder) / "rows.js").write_text(_NODE % (program.name, sizes))
        given = numbers.astype("<f8").tobytes()
        done = subprocess.run(["node", "rows.js"], cwd=folder, input=given, capture_output=True)
    assert done.returncode == 0, done.stderr
    return np.frombuffer(done.stdout, "<f8").reshape(len(inputs[0]), -1)


def _skip_without(tool: str) -> None:
    if not shutil.which(tool):
        pytest.skip(f"there is no {tool} here")


TARGETS: dict[str, Target] = {
    "interpreter": _interpreter, "numpy module": _numpy_text, "numpy backend": _backend("numpy"),
    "numpy batch": _batch("numpy", 2), "fortran": _fortran, "javascript": _javascript, "llvm": _backend("llvm"),
    "llvm batch": _batch("llvm", 2), "llvm lanes": _batch("llvm", LANES_FROM),
    "llvm lanes, own parameters": _own_parameters, "without LLVM": _without_llvm,
}  # fmt: skip
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
        checked(x, y, kind=kind, outside=outside)
        for kind, outside in zip(KINDS[:-1], ("line", "line", "hold", "hold"), strict=True)
    ]
    one += [checked(x, [[a, 0.5, -a, 0.1] for a in y[1:]], kind=KINDS[-1])]
    two = [checked(grid, rows, kind="linear"), checked(grid, rows, kind="cubic", outside="line")]
    slopes = [one[0].partial(0), one[1].partial(0), two[1].partial(0), two[1].partial(1), two[0].partial(1)]
    return [*one, *two, one[2].integral(), *(slope for slope in slopes if slope is not None)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", seeds((2,), of=(1, 2)))
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


def test_nan_is_never_swallowed_by_min_max_sign_or_floor() -> None:
    for op in ("min", "max"):
        assert math.isnan(MEANING[op](math.nan, 1.0)) and math.isnan(MEANING[op](1.0, math.nan))
    assert math.isnan(MEANING["sign"](math.nan)) and math.isnan(MEANING["floor"](math.nan))


def run_check(target: str, program: Program, folder: Path, *flags: str) -> float:
    """What the driver prints, built and run as the target says."""
    written(target, program, folder)
    for number, command in enumerate(target_of(target).check):
        tool, *rest = (word.format(name=program.name) for word in command)
        if not tool.startswith("./"):
            _skip_without(tool)
        done = subprocess.run([tool, *(() if number else flags), *rest], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
    return float(done.stdout)


DRIVERS = [
    *(pytest.param(name, (), id=name) for name in SOURCES if name != "numpy"),
    pytest.param("c", ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"), id="c, sanitised"),
    pytest.param("fortran", ("-g", "-fcheck=all", "-finit-real=snan"), id="fortran, checked"),
]


def test_every_source_target_is_tried_here() -> None:
    assert {*SOURCES} <= {*TARGETS, "c", "numpy"}
    assert {name for name in LISTED if LISTED[name].check} == {driver.values[0] for driver in DRIVERS}


@pytest.mark.parametrize(("target", "flags"), DRIVERS)
def test_a_driver_prints_the_interpreters_check_value(tmp_path: Path, target: str, flags: tuple[str, ...]) -> None:
    program = random_program(3, functions=[*_some_tables(), checked([-90, 90], [2, 5], outside="error")])
    program = replace(program, notes=dict(enumerate(HOSTILE * 12)), arrays=(*program.arrays[:2], Array("t", 1)))
    *inputs, (_, parameters) = check_inputs(program)
    outputs = interpret(program, dict(inputs), parameters)
    expected = sum(v / (1 + k) for output in outputs.values() for k, v in enumerate(output.ravel()))
    assert run_check(target, program, tmp_path, *flags) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(("target", "flags"), DRIVERS)
def test_a_program_without_inputs_or_work_is_still_clean(tmp_path: Path, target: str, flags: tuple[str, ...]) -> None:
    empty = Program("nothing", (Array("q", 0),), 1, (2.5,), (), (), (Output("y", (1,), (0,)), Output("none", (0,), ())))
    assert run_check(target, empty, tmp_path, *flags) == 2.5
    y, none = compile_program(empty, cache=False, parameters=[1.0])(np.empty(0))
    assert y.tolist() == [2.5] and none.shape == (0,)


@pytest.mark.parametrize("target", SOURCES)
def test_a_model_file_is_exported_to_every_target(tmp_path: Path, target: str) -> None:
    """Nothing of the user's names is in the source; all of them are in the JSON file beside it."""
    (tmp_path / "swing.yaml").write_text(
        "parameters: {'*/ length': 2}\n"
        "bodies: {'bob */ #error': {mass: 1, com: [0, 0, '-`*/ length`']}}\n"
        "joints: {'hinge ??/': {type: revolute, axis: y, parent: ground, child: 'bob */ #error'}}\n"
    )
    equations = ph.load(tmp_path / "swing.yaml").derive()
    *sources, words = equations.export(target, tmp_path / "out", ["forward_dynamics"])
    assert {path.name for path in sources} == {*printed(target, replace(every_operation(), name=words.stem))}
    assert all(mark not in path.read_text() for path in sources for mark in ("hinge ??/", "*/ length", "#error"))
    record = json.loads(words.read_text())
    assert record["arrays"][0]["entries"] == ["hinge ??/"]
    assert [entry["name"] for entry in record["parameters"]] == ["*/ length"]


def test_no_user_string_reaches_code() -> None:
    program = random_program(4)
    noted = replace(program, notes={program.first_run + k: text for k, text in enumerate(HOSTILE)})
    assert scalar_module(noted).text == scalar_module(program).text
    assert lane_module(noted, 4) == lane_module(program, 4)
    for target in SOURCES:
        for name, text in printed(target, noted).items():
            assert text.isascii()
            assert not any(mark in text for mark in ("\\\n", "??/", 'system("', "import os", "#error"))
            comments = [line for line in text.splitlines() if "/*" in line or "  # " in line]
            assert all(line.count("*/") <= 1 and line.count("/*") <= 1 for line in comments)
            assert len(text.splitlines()) == len(printed(target, program)[name].splitlines())


def test_generated_text_does_not_depend_on_the_hash_seed() -> None:
    script = (
        "import hashlib;from tests.random_program import random_program as r;"
        "from polhode.codegen.llvm import module as llvm;from polhode.codegen.printers import targets;p=r(5);"
        "t=''.join(text for each in targets.TARGETS.values() for text in each.files(p,()).values());"
        "t+=llvm.scalar_module(p).text+llvm.lane_module(p,4);print(hashlib.sha256(t.encode()).hexdigest())"
    )
    program = random_program(5)
    sources = [text for name in LISTED if name != ADDED.name for text in printed(name, program).values()]
    here = hashlib.sha256(
        "".join([*sources, scalar_module(program).text, lane_module(program, 4)]).encode()
    ).hexdigest()
    for seed in ("1", "77"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        there = subprocess.run(
            [sys.executable, "-c", script],
            cwd=Path(__file__).parents[2],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert there.stdout.strip() == here, there.stderr
