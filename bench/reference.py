"""The last state of a motion in quadruple precision, which agrees with itself at two tolerances."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from polhode.codegen.printers.c99 import print_c
from polhode.compiled.functions import Functions
from polhode.errors import PolhodeError

from .motions import Motion
from .native_build import BUILT, SOURCES, compile_with, kept, key_of
from .plain_tree import Floats

_TOLERANCES = (1e-26, 1e-28)
#: How far apart the two may be: far below what doubles can tell.
_AGREEMENT = 1e-17
_FLAGS = ("-O2", "-march=native", "-w")


def reference(motion: Motion, say: Callable[[str], None]) -> Floats:
    """The last state, rounded to doubles; stored under out/ by what it was computed from."""
    if motion.pendulum is not None:
        raise NotImplementedError
    functions = Functions(motion.equations.derivation)
    return _last_state(functions, motion.start, motion.duration, motion.name, say)


def _last_state(functions: Functions, start: Floats, duration: float, name: str, say: Callable[[str], None]) -> Floats:
    program = functions.program("state_rates")
    source = print_c(program)
    stepper = SOURCES / "reference.c"
    sizes = [len(start), sum(array.size for array in program.arrays[1:]), program.parameters]
    values = [*start, *functions.parameter_values("state_rates")]
    task = " ".join([*map(str, sizes), repr(duration), "{tolerance!r}", *map(repr, map(float, values))])
    key = key_of(source.source, stepper.read_text(encoding="utf-8"), task, *_FLAGS, *map(repr, _TOLERANCES))
    folder = BUILT / f"reference-{key}"

    def make(path: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in source.files().items():
            (folder / file).write_text(text, encoding="utf-8")
        given = (f'-DRATES="{(folder / program.name).resolve()}.c"', f"-DNAME={program.name}", f"-DSETUP={program.name}_setup")
        built = folder / "reference"
        compile_with("gcc", [*_FLAGS, *given, str(stepper), "-o", str(built), "-lquadmath", "-lm"], f"reference-{key}", say)
        ends = []
        for tolerance in _TOLERANCES:
            say(f"{name} in quadruple precision at {tolerance:g}")
            run = subprocess.run([str(built.resolve())], input=task.format(tolerance=tolerance), capture_output=True, text=True, check=False)
            if run.returncode:
                raise PolhodeError(f"the reference of {name} ended with {run.returncode}.", code="E-BENCH-010")
            say(run.stderr.strip())
            ends.append(np.array([list(map(float, line.split())) for line in run.stdout.splitlines()]))
        apart = float(np.max(np.abs((ends[0] - ends[1]).sum(axis=1)) / (1 + np.abs(ends[1][:, 0]))))
        say(f"the two agree to {apart:.1e}")
        if not apart < _AGREEMENT:
            raise PolhodeError(f"the references of {name} differ by {apart:.1e}.", code="E-BENCH-011")
        with path.open("wb") as file:
            np.save(file, ends[1][:, 0])

    return np.asarray(np.load(kept(f"reference-{key}.npy", make)))
