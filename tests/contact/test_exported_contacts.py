"""Contacts in exported C: forces, impacts and time steps are those of runs, and of the same functions in Python."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.judges.cones import plain_records
from tests.loop_in_c import STRICT, built

import polhode as ph
from polhode.native.arrays import Floats
from polhode.ode.unilateral.memory import OUTPUTS, UnilateralMemory
from polhode.ode.unilateral.one_step import accelerate, advance, strike
from polhode.ode.unilateral.record import Unilateral

pytestmark = pytest.mark.slow


def box() -> ph.System:
    s = ph.System("box")
    body = s.body("box", 2, inertia=(0.02, 0.03, 0.04))
    s.joint("flight", s.ground, body, ph.Free())
    floor = s.surface("floor", s.ground, ph.Shape.plane("z"))
    skin = s.surface("skin", body, ph.Shape.box(0.4, 0.3, 0.2))
    s.contact("sole", skin, floor, friction=0.4, static=0.5, restitution=0.3)
    return s


def quadruped() -> ph.System:
    s = ph.System("quadruped")
    trunk = s.body("trunk", 6, inertia=(0.1, 0.2, 0.25))
    s.joint("flight", s.ground, trunk, ph.Free())
    floor = s.surface("floor", s.ground, ph.Shape.plane("z"))
    for name, x, y in (("a", 0.2, 0.1), ("b", 0.2, -0.1), ("c", -0.2, 0.1), ("d", -0.2, -0.1)):
        leg = s.body(f"leg {name}", 0.5, (0, 0, -0.1), inertia=(0.003, 0.003, 0.0005))
        s.joint(f"hip {name}", trunk, leg, ph.Revolute("y"), at=(x, y, 0))
        s.friction(f"hip {name}", coulomb=0.4, static=0.6)
        foot = s.surface(f"foot {name}", leg, ph.Shape.sphere(0.02), at=(0, 0, -0.2))
        s.contact(f"{name} on floor", foot, floor, friction=0.6, stribeck=0.1, static=0.8, restitution=0.2)
    return s


class Exported:
    """The exported C of a system, loaded, and the same functions in plain Python."""

    def __init__(self, system: ph.System, folder: Path) -> None:
        self.equations = equations = system.derive()
        self.name = system.name
        equations.export("c", folder, "contact_rates")
        sources = [f"{self.name}_contact_rates.c", f"{self.name}_contacts.c"]
        subprocess.run([*STRICT, "-shared", "-fPIC", *sources, "-lm", "-o", "made.so"], cwd=folder, check=True)
        self.library = ctypes.CDLL(str(folder / "made.so"))
        known = json.loads((folder / f"{self.name}_contact_rates.json").read_text())
        self.functions = equations.compile()
        self.work = np.zeros(known["work"] + 1)
        given = np.array([each["default"] for each in known["parameters"]] + [0.0])
        self._function("contact_rates_setup")(_address(given), _address(self.work))
        self.groups = [(gap, tangents) for _, _, gap, tangents in equations.derivation.synopsis.contacts]
        self.q, self.u = len(equations.coordinates), len(equations.speeds)
        self.tau = np.zeros(known["arrays"][1]["size"])
        self.memory = np.zeros(2_000_000)
        self.rows = UnilateralMemory(self.groups, self.q, self.u, self.q + self.u)

    def _function(self, name: str) -> Any:
        return getattr(self.library, f"{self.name}_{name}")

    def call(self, what: str, x: Floats, size: int, h: float | None = None) -> tuple[int, Floats, Floats]:
        """Status, result and forces of a function of C."""
        out, force = np.zeros(size), np.zeros(self.rows.size)
        given = [] if h is None else [ctypes.c_double(h)]
        arrays = [_address(each) for each in (x, self.tau, self.work, out, force)]
        return self._function(f"contact_{what}")(_address(self.memory), *given, *arrays), out, force

    def outputs(self, x: Floats) -> dict[str, Floats]:
        """What the right-hand side puts out."""
        made = self.functions.evaluate("contact_rates", x, self.tau)
        return {name: np.array(each).reshape(-1) for name, each in zip(("xdot", *OUTPUTS), made, strict=True)}

    def plain(self, outputs: dict[str, Floats]) -> Unilateral:
        """The record of plain Python."""
        memory = self.rows
        problem, _ = plain_records(memory.all)
        reduced, linear = plain_records(memory.reduced)
        return Unilateral(
            count=memory.count, size=memory.size, speeds=self.u, first_speed=self.q, problem=problem, reduced=reduced,
            linear=linear, **memory.arrays, **{name: outputs[name] for name in OUTPUTS},
        )  # fmt: skip


def _address(array: Floats) -> Any:
    return ctypes.c_void_p(array.ctypes.data)


@pytest.fixture(scope="module", params=[box, quadruped])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return Exported(request.param(), tmp_path_factory.mktemp("contacts"))


def touching_states(made: Exported, count: int) -> Iterator[Floats]:
    """States at which the lowest points touch, with random speeds."""
    rng = np.random.default_rng(5)
    for number in range(count):
        x = np.zeros(made.q + made.u)
        x[:4] = [1, *(0.2 * rng.standard_normal(3) * (number % 3 > 0))]
        x[:4] /= np.linalg.norm(x[:4])
        x[7 : made.q] = 0.3 * rng.standard_normal(made.q - 7) * (number % 2)
        gaps = made.outputs(x)["gaps"].copy()
        x[6] -= gaps[[normal > 0 for normal, _ in made.groups]].min()
        x[made.q :] = rng.standard_normal(made.u)
        yield x


def resting(made: Exported, x: Floats, still: bool) -> Floats:
    """The state with speeds that leave closed gaps closed; if `still`, with none."""
    outputs = made.outputs(x)
    closed = [
        first
        for (normal, _), first, gap in zip(made.groups, made.rows.first, outputs["gaps"], strict=True)
        if normal and gap < 1e-9
    ]
    rows, new = outputs["rows"].reshape(-1, made.u)[closed], x.copy()
    speeds = new[made.q :]
    new[made.q :] = 0.0 if still else speeds - np.linalg.pinv(rows) @ (rows @ speeds)
    return new


def forces_of(made: Exported, run: Any) -> Floats:
    """The forces of a run at its start, row by row."""
    rows: list[float] = []
    for name in dict.fromkeys(each[0] for each in made.equations.derivation.synopsis.contacts):
        contact = run.contact(name)
        normal, tangential = np.atleast_1d(contact.normal[0]), np.atleast_2d(contact.tangential[0])
        own = [shape for (each, *_), shape in zip(made.equations.derivation.synopsis.contacts, made.groups, strict=True)
               if each == name]  # fmt: skip
        for k, (has_normal, tangents) in enumerate(own):
            rows += [*([normal[k]] if has_normal else []), *tangential[k][:tangents]]
    return np.array(rows)


def exactness(made: Exported, outputs: dict[str, Floats]) -> float:
    """1e-12, or less where forces are not unique: there rounding moves them, and friction with them."""
    closed = [k for k, (normal, _) in enumerate(made.groups) if outputs["gaps"][k] < 1e-9 or not normal]
    rows = np.vstack([outputs["rows"].reshape(-1, made.u)[made.rows.rows_of[k]] for k in closed])
    return 1e-12 if np.linalg.matrix_rank(rows, tol=1e-9) == len(rows) else 1e-9


def close(value: Floats, other: Floats, scale: Floats, part: float = 1e-12) -> None:
    assert np.abs(value - other).max() <= part * max(1.0, np.abs(scale).max())


def test_accelerations_are_those_of_python_and_of_runs(exported: Exported) -> None:
    made, pushed = exported, 0
    for number, touching in enumerate(touching_states(made, 16)):
        made.tau[:] = np.random.default_rng(number).standard_normal(len(made.tau)) * (3.0 if number % 4 else 0.1)
        x = resting(made, touching, number % 2 == 0)
        status, rates, force = made.call("dynamics", x, len(x))
        outputs = made.outputs(x)
        own = outputs["xdot"].copy()
        assert status == accelerate(made.plain(outputs), own[made.q :]) == 0
        close(rates, own, outputs["xdot"], exactness(made, outputs))
        if exactness(made, outputs) > 1e-12:
            continue
        pushed += int(force.any())
        run = made.equations.simulate(1e-7, start=x[: made.q], speeds=x[made.q :], tau=made.tau.copy())
        theirs = forces_of(made, run) @ outputs["responses"].reshape(-1, made.u) + outputs["xdot"][made.q :]
        close(rates[made.q :], theirs, outputs["xdot"], 1e-9)
    assert pushed > 2


def test_impacts_are_those_of_python_and_of_runs(exported: Exported) -> None:
    made = exported
    made.tau[:] = 0.0
    struck = 0
    for x in touching_states(made, 8):
        outputs = made.outputs(x)
        _, after, impulse = made.call("impact", x, made.u)
        own = x[made.q :].copy()
        assert strike(made.plain(outputs), own) == 0
        close(after, own, own, exactness(made, outputs))
        if impulse.any():
            struck += 1
            assert made.call("dynamics", x, len(x))[0] == 2  # an impact comes first
            run = made.equations.simulate(1e-9, start=x[: made.q], speeds=x[made.q :])
            close(after, run.u[-1], after, 1e-6)
    assert struck > 2


def test_time_steps_converge_to_the_run(exported: Exported) -> None:
    """Dropped, slid and held by friction: the error of Moreau's rule falls with its step."""
    made = exported
    made.tau[:] = 0.0
    x = next(touching_states(made, 1))
    x[6] += 0.01
    x[made.q :] = 0.0
    x[made.q + 3] = 0.3
    end = made.equations.simulate(0.15, start=x[: made.q], speeds=x[made.q :])
    errors = []
    for h in (1e-3, 1e-4):
        state = x.copy()
        outputs, own = made.outputs(state), state[made.q :].copy()
        assert advance(made.plain(outputs), outputs["xdot"][made.q :], own, h) == 0
        for step in range(round(0.15 / h)):
            status, state, _ = made.call("step", state, len(state), h)
            assert status == 0
            if step == 0:
                close(state[made.q :], own, own)
        errors.append(np.abs(state[: made.q] - end.q[-1]).max())
    assert errors[1] < 0.3 * errors[0] < 1e-3


def test_the_program_of_the_page_runs(tmp_path: Path) -> None:
    """A block that slides across a slope comes to rest where `simulate` has it, to the error of first-order steps."""
    page = (Path(__file__).parents[2] / "docs" / "contact.md").read_text("utf-8")
    (program,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    s = ph.System("block")
    block = s.body("block", 2)
    path = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Prismatic("z"))
    s.joint("path", s.ground, block, path, coordinates=["x", "y", "z"], speeds=["vx", "vy", "vz"])
    ramp = s.surface("ramp", s.ground, ph.Shape.plane(), rotation=("y", 0.3))
    s.contact("sole", block, ramp, friction=0.4, static=0.5)
    equations = s.derive()
    equations.export("c", tmp_path, "contact_rates")
    (tmp_path / "main.c").write_text(program, encoding="utf-8")
    printed = built(tmp_path, "main.c", "block_contacts.c", "block_contact_rates.c").split()
    exact = equations.simulate(3, speeds={"vy": 2}).q[-1]
    assert [float(each) for each in printed] == pytest.approx(exact[:2], abs=5e-3)
