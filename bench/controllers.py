"""Controllers: how long exported laws take a call, and sampled runs in native code beside a law in Python."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import polhode as ph
from polhode.control import Controller, Law, Reference
from polhode.errors import PolhodeError
from polhode.expr import substitute
from polhode.model.records import Parameter

from .clock import least_times, seconds_of_one
from .motions import double_pendulum
from .robots import UR5
from .table import Row, Timing

SECTION = "controllers"
#: What a law may take on a machine of today, so that it fits in any cycle.
_MOST = 2e-6
_STATES, _DURATION, _SAMPLE_TIME = 256, 5.0, 1e-3

_TIMER = """
#include <stdio.h>
#include <time.h>
#include "law_control_law.h"
#define N {states}
{arrays}
static double p[] = {{{parameters}}}, w[POLHODE_LAW_CONTROL_LAW_WORK + 1];
{outputs}
static double now(void) {{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}}
int main(void) {{
  double least = 1e300, seed = 0.1, sum = 0.0;
{filled}
  law_control_law_setup(p, w);
  for (int pass = 0; pass < {passes}; ++pass) {{
    const double start = now();
    for (int k = 0; k < N; ++k) {{
      law_control_law({call});
      sum += out_controls[0];
    }}
    const double each = (now() - start) / N;
    least = each < least ? each : least;
  }}
  printf("%.6g %.6g\\n", least, sum + seed);
  return 0;
}}
"""


class ComputedTorque(Controller):
    """τ(q, u, r'' + kp (r - q) + kd (r' - u)), by inverse dynamics."""

    def design(self) -> Law:
        e = self.equations
        kp, kd = (ph.symbol(name, "parameter") for name in ("kp", "kd"))
        wanted = [Reference(q.name, 2, default=Fraction(0), quantity=q) for q in e.q]
        udot = {
            a: r.symbols[2] + kp * (r.symbols[0] - q) + kd * (r.symbols[1] - u)
            for a, r, q, u in zip(e.udot, wanted, e.q, e.u, strict=True)
        }
        efforts = substitute(list(e.inverse_dynamics), udot)
        gains = {each.name: Parameter(each, Fraction(value)) for each, value in ((kp, 100), (kd, 20))}
        return Law(dict(zip(e.tau, efforts, strict=True)), reference=tuple(wanted), parameters=gains)


#: Laws that are exported and timed: a case, what it is, and how it is made.
LAWS: tuple[tuple[str, str, Callable[[], Controller]], ...] = (
    ("double pendulum", "computed torque", lambda: ComputedTorque(double_pendulum().derive())),
    ("ur5", "computed torque", lambda: ComputedTorque(UR5.system().derive())),
)


def rows(quick: bool, say: Callable[[str], None]) -> list[Row]:
    """The section's table."""
    made: list[Row] = []
    for case, what, make in LAWS:
        say(f"{what} of {case} in C")
        made.append(Timing(SECTION, case, f"{what}, a call in C", seconds_a_call(make(), quick), most_seconds=_MOST))
    say("a sampled run")
    return [*made, _sampled_run(3 if quick else 20)]


def seconds_a_call(controller: Controller, quick: bool = False) -> float:
    """Seconds that the exported law takes for one state, compiled by gcc, over some hundred states."""
    with TemporaryDirectory() as folder:
        controller.export("c", folder, prefix="law", sample_time=_SAMPLE_TIME)
        place = Path(folder)
        record = json.loads((place / "law_control_law.json").read_text(encoding="utf-8"))
        (place / "timer.c").write_text(_timer(record, 50 if quick else 500), encoding="ascii")
        command = ["gcc", "-O3", "-march=native", "-D_POSIX_C_SOURCE=199309L", "timer.c", "law_control_law.c"]
        done = subprocess.run([*command, "-lm", "-o", "timer"], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PolhodeError("gcc did not compile the law.", place=SECTION, cure=done.stderr, code="E-BENCH-020")
        printed = subprocess.run(["./timer"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return 1e-9 * float(printed.split()[0])


def _timer(record: dict[str, Any], passes: int) -> str:
    sizes = {each["name"]: each["size"] for each in record["arrays"]}
    outputs = {each["name"]: each["shape"][0] for each in record["outputs"]}
    filled = (
        f"  for (int i = 0; i < N * {size}; ++i) {{ seed = seed * 1.7 + 0.31; seed -= (int)seed; {name}[i] = seed; }}"
        for name, size in sizes.items()
    )
    call = [*(f"{name} + k * {size}" for name, size in sizes.items()), "w", *(f"out_{name}" for name in outputs)]
    return _TIMER.format(
        states=_STATES,
        arrays="\n".join(f"static double {name}[N * {size}];" for name, size in sizes.items()),
        parameters=", ".join(repr(float(each["default"] or 0.0)) for each in record["parameters"]),
        outputs="\n".join(f"static double out_{name}[{size}];" for name, size in outputs.items()),
        filled="\n".join(filled),
        call=", ".join(call),
        passes=passes,
    )


def _sampled_run(passes: int) -> Timing:
    """A double pendulum under a computed torque that is sampled, beside the same law in Python, held."""
    e = double_pendulum().derive()
    c, f = ComputedTorque(e), e.compile()
    start = dict.fromkeys(e.coordinates, 0.5)

    def law(t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.asarray(f.inverse_dynamics(q, u, -100 * q - 20 * u))

    def ours() -> Any:
        return e.simulate(_DURATION, controller=c, sample_time=_SAMPLE_TIME, start=start)

    def theirs() -> Any:
        return e.simulate(_DURATION, tau=ph.held(law, _SAMPLE_TIME), start=start)

    if not np.allclose(ours().q, theirs().q, atol=1e-9):
        raise PolhodeError("the two runs differ.", place=SECTION, code="E-BENCH-021", cure="Compare their efforts.")
    least = least_times({"ours": partial(seconds_of_one, ours), "theirs": partial(seconds_of_one, theirs)}, passes)
    what = f"{_DURATION:g} s at {1 / _SAMPLE_TIME:g} Hz, computed torque"
    return Timing(SECTION, "double pendulum", what, least["ours"], "a held law in Python", least["theirs"], 5)
