"""What a run leaves behind: JSON, a Markdown page and a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .curve_plot import draw_curves
from .plot import draw
from .table import Row, as_markdown

_METHOD = """\
Every time on this page was measured in one run of `python -m bench` on the machine below, ours and the peers by turns,
on one core. Each figure is the least seen; a ratio says how many times longer the peer takes.

- **derive**: processor time from a built `System` to the graph, every mass, centre, inertia, offset and gravity a
  symbol, under names never used before. SymPy's arm is checked to be the same mechanism. The cold start is in a fresh
  process without any cache; its time on the wall is in the note.
- **counts**: multiplications and additions of one evaluation; sines, cosines and divisions apart, set-up (what depends
  on parameters alone) not counted. The arms beside OpenSYMORO, which counts with base parameters, are symbolic
  throughout; the robots beside Pinocchio traced by CasADi have their numbers baked in. Those counts are quoted; ours
  are read off the plan in this run. Then, for each pass, the count when it alone is left out, and what computing the
  sine of a sum of angles from those of its parts changes.
- **speed**: time of one call in one and the same C++ loop over 64 random states, nothing subtracted, each result
  overwriting the last, parameters baked in; the best round counts, for ours and for theirs. Pinocchio is header-only,
  `g++ -O3 -march=native -DNDEBUG`, `aba` with `Convention::WORLD` and `crba` with `Convention::LOCAL` (the faster
  ones), on the same tree; values agree to 1e-9 relative, derivatives (all three matrices of each, along the tangent of
  the configuration) to 1e-8. Ours writes the whole mass matrix, Pinocchio its upper triangle.
  In lanes, several states are computed at once and all results are kept. MuJoCo's `mj_forward` has contacts and
  constraints off.
- **casadi**: the same loop and states, beside C that CasADi generated, `gcc -O3 -march=native`. It traced Pinocchio's
  `rnea` and `aba` on the same tree, the robot's numbers as constants, common subexpressions removed, `aba` with
  `Convention::LOCAL` (the faster one here); values agree to 1e-9 relative. Then the `aba` of adam-robotics, whose base
  always floats, on the robots that it reads.
- **growth**: the same loop on chains of revolute joints about x, y and z in turn, by `articulated_body`; times are
  those of a call divided by the number of joints.
- **start**: processor time of `import polhode`, `polhode.load(file).derive().compile().native(function)` and its first
  call in fresh processes, with all imports: cold with an empty cache, warm with what the cold one left there. The time
  on the wall and that of `import polhode` are in the note.
- **simulate**: first a double pendulum with fixed steps, both recording every state; the motions agree to 1e-7 over one
  second. Then work and precision, drawn in `work_precision.png`: motions that nothing drives, the difference of their
  last states from a reference, max |x - y| / (1 + |y|), and the processor time of the run. The reference is our
  exported C in quadruple precision, stepped by extrapolation of order 28 (by Gauss's collocation of order 20 if stiff)
  at two tolerances that agree to 1e-17; N four-bars are one pendulum. heyoka is given our equations instruction by
  instruction, SciPy and CVODE step our compiled right-hand side, MuJoCo our tree, without contacts, limits and damping,
  Exudyn bars and pins in a plane. Ours is timed in its native steps, without what comes before and after; with loops
  the whole call is. At equal error means: at that error of the peer, between 1e-6 and ten times the rounding, where
  ours gains least, by the fastest of our runs that, as all with tighter tolerances, is at least as precise; ours has
  more settings than the peers. heyoka compiles in its compact mode, which is slower, where the other takes many
  minutes: for ANYmal from 1e-10 on. Rounding is heyoka's median error at 1e-14 and 1e-15, from starts that differ in
  their last bits, or the least of all where heyoka does not run.
- **second_run**: five seconds by the default method at 1e-9, of equations that ran before: the time on the wall, that
  of its native part, what Python takes beyond, and the native part beside its evaluations alone, each at a sample of
  the run.
- **kane**: the satellite of Sayers' paper, ten degrees of freedom, every parameter a symbol; M and f agree with SymPy's
  KanesMethod to 1e-9. Its time is that of `kanes_equations` with all that comes before; its operations are counted
  after `cse`. Ours are Sayers' sums, body by body, with his lumping, in the system's own speeds.
- **bicycle**: the benchmark bicycle of Meijaard and others (2007), every parameter but the tilt of the steer axis a
  symbol. SymPy's time is that of its own test of it (`physics/mechanics/tests/test_kane3.py`), which derives by Kane's
  method, linearizes and compares with known numbers at six speeds; ours agree with those to 1e-12.
- **loops**: the IFToMM library's benchmark of N four-bars at default settings, which pass singular poses at every
  turn; a run whose energy is off by more than 1e-6 or whose constraints by more than 1e-9 does not count.
- **motors**: an arm of six joints on motors, behind elastic or stiff gears, rotors coupled to the links or reduced, all
  of it in symbols; processor time to derive it, and of ten seconds of its fall by the default method and tolerances,
  from call to trajectory, beside those ten seconds.
- **tracked**: a tracked vehicle on ten wheels, its hull rigid or flexible, all of it in symbols; processor time to
  describe it, to derive it by one formalism and by the default, and of ten seconds over an obstacle by the default
  method at a tolerance of 1e-6, from call to trajectory, beside those ten seconds.
- **splines**: curves through a hundred orientations, beside SciPy's on the same knots.
- **inverse_kinematics**: random reachable poses of three arms from random starts, to 1e-10 m and rad, within limits,
  beside a damped Newton method around Pinocchio in Python, which begins again after 40 steps; it is timed on a
  hundred of the poses and scaled.
- **laws**: feedback linearising laws of arms on elastic gears, reduced model, every parameter a symbol; processor time
  from derived equations to the law, and of a call of the law as it is exported to C.
- **controllers**: laws as they are exported in C, compiled by gcc for this machine, a call for each of some hundred
  states; then a run with a sampled law, from call to trajectory, beside the same law as a Python function that is held.
- **collocation**: one evaluation of all first and second derivatives of a problem of optimal control with a hundred
  nodes, beside the same problem by CasADi, in its virtual machine and as compiled C, with the same optimum.
- **pages**: robots as pages with their meshes in headless Chromium, without a graphics card and with all cores, each
  time in a browser that has just started: seconds on the wall from asking for the page until its view shows the robot.
"""


def page(rows: Sequence[Row], machine: Mapping[str, str]) -> str:
    """The run as a Markdown page."""
    sections = list(dict.fromkeys(row.section for row in rows))
    parts = ["# Benchmarks", _METHOD.rstrip()]
    for section in sections:
        parts += [f"## {section}", as_markdown([row for row in rows if row.section == section])]
    parts += ["## Machine", "\n".join(f"- {name}: {value}" for name, value in machine.items())]
    return "\n\n".join(parts) + "\n"


def write(rows: Sequence[Row], machine: Mapping[str, str], folder: Path, docs: Path | None = None) -> list[Path]:
    """Write everything into a folder, and the page into the documentation too where that is given."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"machine": dict(machine), "rows": [row.as_json() for row in rows]}
    texts = {
        folder / "bench.json": json.dumps(record, indent=2) + "\n",
        folder / "bench.md": page(rows, machine),
    }
    if docs is not None:
        texts[docs / "benchmarks.md"] = page(rows, machine)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    pictures = {folder / "bench.png": draw, folder / "work_precision.png": draw_curves}
    return [*texts, *(path for path, drawn in pictures.items() if drawn(rows, path))]
