"""An exported controller and the exported mechanism, compiled together: a closed loop that polhode has no part in."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polhode as ph
from polhode.control import Controller

STRICT = ["gcc", "-O2", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Werror"]

#: Runge-Kutta steps of the mechanism; at every few of them the controller is asked, and what it gives is held.
_LOOP = """
#include <stdio.h>
#include "plant_state_rates.h"
#include "own_control_law.h"
static const double plant_p[] = {{{plant_p}}}, law_p[] = {{{law_p}}};
static double plant_w[{plant_work}], law_w[{law_work}];
static double x[{n}] = {{{start}}}, y[{n}], a[{n}], b[{n}], c[{n}], d[{n}];
static double reference[] = {{{reference}}}, states[] = {{{states}}}, controls[{m}], tau[{efforts}], inputs[{givens}];
static void rates(const double *at, double *out) {{
  plant_state_rates({plant_call});
}}
int main(void) {{
  const double h = {h};
  plant_state_rates_setup(plant_p, plant_w);
  own_control_law_setup(law_p, law_w);
  (void)reference; (void)states; (void)tau; (void)inputs;
  for (int step = 0; step < {steps}; ++step) {{
    if (step % {every} == 0) {{
      own_control_law({law_call});
      {acts}
    }}
    rates(x, a);
    for (int i = 0; i < {n}; ++i) y[i] = x[i] + 0.5 * h * a[i];
    rates(y, b);
    for (int i = 0; i < {n}; ++i) y[i] = x[i] + 0.5 * h * b[i];
    rates(y, c);
    for (int i = 0; i < {n}; ++i) y[i] = x[i] + h * c[i];
    rates(y, d);
    for (int i = 0; i < {n}; ++i) x[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    if (step % {every} == {every} - 1) {{
      for (int i = 0; i < {n}; ++i) printf("%.17g ", x[i]);
      printf("\\n");
    }}
  }}
  return 0;
}}
"""


def built(folder: Path, *sources: str) -> str:
    """What a program prints that is made of these sources without a warning."""
    done = subprocess.run([*STRICT, *sources, "-lm", "-o", "made"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return subprocess.run(["./made"], cwd=folder, capture_output=True, text=True, check=True).stdout


def loop_in_c(
    folder: Path,
    equations: ph.Equations,
    controller: Controller,
    start: Sequence[float],
    *,
    h: float,
    steps: int,
    every: int,
    reference: Sequence[float] = (),
) -> NDArray[np.float64]:
    """The states at the end of each sample, which is `every` steps of h long."""
    equations.export("c", folder, "state_rates", prefix="plant")
    controller.export("c", folder, prefix="own", sample_time=every * h)
    plant, law = (
        json.loads((folder / f"{name}.json").read_text()) for name in ("plant_state_rates", "own_control_law")
    )
    sizes = {each["name"]: each["size"] for each in plant["arrays"]}
    own = {"x": "at", "tau": "tau", "inputs": "inputs"}
    known = {"measured": "x", "reference": "reference", "states": "states"}
    made = {"controls": "controls", "next_states": "states"}
    (outputs,) = (each["entries"] for each in law["outputs"] if each["name"] == "controls")
    inputs = next((each["entries"] for each in plant["arrays"] if each["name"] == "inputs"), [])
    efforts = [f"tau_{name}" for name in equations.speeds]
    places = {name: f"tau[{k}]" for k, name in enumerate(efforts)} | {x: f"inputs[{k}]" for k, x in enumerate(inputs)}
    acts = [f"{places[name]} = controls[{k}];" for k, name in enumerate(outputs)]
    text = _LOOP.format(
        plant_p=_numbers(each["default"] for each in plant["parameters"]),
        law_p=_numbers(each["default"] for each in law["parameters"]),
        plant_work=plant["work"] + 1, law_work=law["work"] + 1, n=len(start), start=_numbers(start),
        reference=_numbers(reference), states=_numbers(each["start"] for each in law["states"]), m=len(outputs),
        efforts=max(1, sizes["tau"]), givens=max(1, len(inputs)), h=repr(h), steps=steps, every=every,
        acts="\n      ".join(acts),
        plant_call=", ".join([*(own[each["name"]] for each in plant["arrays"]), "plant_w", "out"]),
        law_call=", ".join([*(known[each["name"]] for each in law["arrays"]), "law_w",
                            *(made[each["name"]] for each in law["outputs"])]),
    )  # fmt: skip
    (folder / "loop.c").write_text(text, encoding="utf-8")
    said = built(folder, "loop.c", "plant_state_rates.c", "own_control_law.c")
    return np.array([line.split() for line in said.splitlines()], dtype=np.float64)


def _numbers(values: Any) -> str:
    """Numbers as C has them; one zero where there are none, as arrays of no length do not exist."""
    return ", ".join(repr(float(value)) for value in values) or "0.0"
