"""Feedback linearising laws of elastic arms: how fast they are derived, and how long a call takes in C."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import count as counting
from pathlib import Path

from polhode.control import FeedbackLinearization
from polhode.errors import PolhodeError
from polhode.model.samples import elastic_arm

from .clock import Measure, least_times, seconds_of
from .native_build import BUILT, SOURCES, compile_with
from .table import Timing

SECTION = "laws"
_FRESH = counting(1)


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    say("deriving")
    derived = least_times({str(joints): _derivation(joints) for joints in (4, 6)}, 3 if quick else 9)
    made = [
        Timing(SECTION, f"{joints} elastic joints", "law derived", seconds, most_seconds=5.0)
        for joints, seconds in derived.items()
    ]
    for joints, goal in ((4, 2e-6), (6, None)):
        law = elastic_arm(coupling="reduced", joints=joints).derive().feedback_linearize(_outputs(joints))
        seconds, operations = _call(law, f"law_{joints}", 2_000 if quick else 50_000, say)
        case = f"{joints} elastic joints, {4 * joints} states"
        made.append(Timing(SECTION, case, "a call in C, gcc -O2", seconds, most_seconds=goal, note=operations))
    return made


def _outputs(joints: int) -> list[str]:
    return [f"j{i}" for i in range(1, joints + 1)]


def _derivation(joints: int) -> Measure:
    """Seconds from derived equations to a law, of an arm whose parameters have names never used before."""

    def measure() -> float:
        equations = elastic_arm(coupling="reduced", joints=joints, mark=f"_law_{next(_FRESH)}").derive()
        return seconds_of(lambda: equations.feedback_linearize(_outputs(joints)).law)

    return measure


def _call(law: FeedbackLinearization, name: str, calls: int, say: Callable[[str], None]) -> tuple[float, str]:
    """Seconds a call of the exported law, and its operations as the file says them."""
    folder = BUILT / name
    law.export("c", folder, prefix="arm")
    program = folder / "law_loop"
    sources = [str(SOURCES / "law_loop.c"), str(folder / "arm_control_law.c")]
    flags = ["-std=gnu99", "-O2", f"-I{folder}"]
    compile_with("gcc", [*flags, *sources, "-o", str(program), "-lm"], name, say)
    values = " ".join(repr(float(each.value or 0)) for each in law.nominal_law.parameters.values())
    run = subprocess.run(
        [str(program.resolve()), str(calls)], input=values, capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise PolhodeError(f"the loop of {name} ended with {run.returncode}.", code="E-BENCH-015")
    return 1e-9 * float(run.stdout.split()[1]), _operations(folder / "arm_control_law.h")


def _operations(header: Path) -> str:
    words = " ".join(line.strip(" *") for line in header.read_text(encoding="utf-8").splitlines())
    return words.partition("Operations: ")[2].partition(".")[0]
