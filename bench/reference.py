"""The last state of a motion in quadruple precision, which agrees with itself at two tolerances."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polhode.codegen.printers.c99 import print_c
from polhode.compiled.functions import Functions
from polhode.errors import PolhodeError

from .motions import Motion
from .native_build import BUILT, SOURCES, compile_with, kept, key_of
from .plain_tree import Floats

#: How far apart the two may be: far below what doubles can tell.
_AGREEMENT = 1e-17
_FLAGS = ("-O2", "-w")


@dataclass(frozen=True)
class Stepper:
    """A program in C that takes a state to its end, and the two tolerances of its step control."""

    name: str
    tolerances: tuple[float, float]


EXTRAPOLATION = Stepper("extrapolation", (1e-26, 1e-28))
#: The tolerance is of the rates' last Legendre coefficient: the error is about its square.
GAUSS = Stepper("gauss", (1e-13, 1e-15))


def reference(motion: Motion, say: Callable[[str], None]) -> Floats:
    """The last state; stored under out/ by what it was computed from.

    A mechanism with loops moves as its pendulum: every crank by its angle, and couplers against it.
    """
    stepper = GAUSS if motion.is_stiff else EXTRAPOLATION
    if motion.pendulum is None:
        return last_state(motion.equations.compile(), motion.start, motion.duration, stepper, say)
    pendulum = motion.pendulum().derive()
    angle, rate = last_state(pendulum.compile(), motion.pendulum_start, motion.duration, stepper, say)
    signs = [1.0 if name.startswith("crank") else -1.0 for name in motion.equations.coordinates]
    return np.concatenate([np.multiply(signs, angle), np.multiply(signs, rate)])


def last_state(
    functions: Functions, start: Floats, duration: float, stepper: Stepper, say: Callable[[str], None]
) -> Floats:
    """Where `state_rates`, as exported to C, take a state."""
    program = functions.program("state_rates")
    exported = print_c(program)
    values = functions.parameter_values("state_rates")
    before, after = f"{len(start)} {len(values)} {duration!r}", " ".join(repr(float(x)) for x in (*start, *values))
    sources = [SOURCES / name for name in ("quadruple.h", f"{stepper.name}.c")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    key = key_of(exported.source, *texts, before, after, *map(repr, stepper.tolerances))
    name = f"reference-{key}"

    def make(path: Path) -> None:
        folder = (BUILT / name).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in exported.files().items():
            (folder / file).write_text(text, encoding="utf-8")
        given = f'-DRATES="{folder / program.name}.c"', f"-DNAME={program.name}", f"-DSETUP={program.name}_setup"
        built = folder / "run"
        compile_with("gcc", [*_FLAGS, *given, str(sources[1]), "-o", str(built), "-lquadmath", "-lm"], name, say)
        first, second = (_run(built, f"{before} {tolerance!r} {after}", say) for tolerance in stepper.tolerances)
        apart = float(np.max(np.abs((first - second).sum(axis=1)) / (1 + np.abs(second[:, 0]))))
        say(f"in quadruple precision at {stepper.tolerances}, which agree to {apart:.0e}")
        if not apart < _AGREEMENT:
            raise PolhodeError(f"the two references differ by {apart:.1e}.", place=str(folder), code="E-BENCH-013")
        with path.open("wb") as file:
            np.save(file, second[:, 0])

    return np.asarray(np.load(kept(f"{name}.npy", make)))


def _run(program: Path, task: str, say: Callable[[str], None]) -> Floats:
    """The last state as sums of two doubles."""
    run = subprocess.run([str(program)], input=task, capture_output=True, text=True, check=False)
    if run.returncode:
        raise PolhodeError(f"it ended with {run.returncode}.", place=str(program), code="E-BENCH-011")
    return np.array([[float(part) for part in line.split()] for line in run.stdout.splitlines()])


def distance(state: Floats, truth: Floats) -> float:
    """The largest difference of two states, each entry by one and its size: |x - y| / (1 + |y|).

    >>> distance(np.array([1.0, 99.0]), np.array([1.5, 100.0]))
    0.2
    """
    return float(np.max(np.abs(state - truth) / (1 + np.abs(truth))))
