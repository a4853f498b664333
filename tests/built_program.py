"""Simulation programs built by the system's compiler and run."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polhode as ph
from polhode.simulate.trajectory.trajectory import Trajectory

#: What a compiler is asked besides the command that the program states; nothing may be optimised away or pass unseen.
STRICT = {
    "c": ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Werror"],
    "fortran": ["-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror"],
}


@dataclass(frozen=True)
class Built:
    """A program in its folder."""

    folder: Path
    name: str

    @property
    def text(self) -> str:
        return (self.folder / f"{self.name}.txt").read_text()

    def run(self, text: str | None = None, *names: str) -> subprocess.CompletedProcess[str]:
        """Run it with its own text file, or with another."""
        if text is not None:
            (self.folder / "values.txt").write_bytes(text.encode("latin-1"))
        file = f"{self.name}.txt" if text is None else "values.txt"
        return subprocess.run([f"./{self.name}", file, *names], cwd=self.folder, capture_output=True, text=True)

    def table(self, text: str | None = None, equations: ph.Equations | None = None) -> Trajectory:
        """What it writes, read as a trajectory."""
        done = self.run(text, "table.csv")
        assert done.returncode == 0 and not done.stderr, done.stderr
        return Trajectory.from_csv(self.folder / "table.csv", equations)

    def energies(self) -> NDArray[np.float64]:
        """The last two columns of the table."""
        return np.loadtxt(self.folder / "table.csv", delimiter=",", skiprows=1)[:, -2:]


def compiler_of(target: str) -> str | None:
    """The compiler that a target's programs are built by here, if there is one."""
    return shutil.which({"c": "cc", "fortran": "gfortran"}[target])


def built(equations: ph.Equations, target: str, folder: Path, program: Any = True, **options: Any) -> Built:
    """Export, and compile by the stated command, with all warnings and without optimisation."""
    written = equations.export(target, folder, program=program, **options)
    record = json.loads(next(path for path in written if path.suffix == ".json").read_text(encoding="utf-8"))
    command = record["command"].replace("-O2", "-O0").split()
    done = subprocess.run([command[0], *STRICT[target], *command[1:]], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Built(folder, record["program"])


def with_values(text: str, **sections: dict[str, Any]) -> str:
    """A text file with other values."""
    section, lines = "", []
    for line in text.split("\n"):
        section = line[1:-1] if line.startswith("[") else section
        name = line.partition(" = ")[0]
        changed = name in sections.get(section, {})
        lines.append(f"{name} = {sections[section][name]}" if changed else line)
    return "\n".join(lines)


def with_run(text: str, duration: float, step: float, every: int) -> str:
    """A text file with another run."""
    return with_values(text, run={"duration": duration, "step": step, "every": every})


#: Text files that a program refuses, of a ball in a socket: what is put in for what, in which line, and the sentence.
BAD = {
    "an unknown name": ("m = 2.0", "mm = 2.0", 10, "there is no 'mm' in [parameters]."),
    "a name in the wrong section": ("step = 0.001", "m = 1", 6, "there is no 'm' in [run]."),
    "a missing value": ("m = 2.0", "m =", 10, "'m' has no value."),
    "not a number": ("m = 2.0", "m = 1,5", 10, "'m' is '1,5', which is no number."),
    "a unit": ("m = 2.0", "m = 1.5kg", 10, "'m' is '1.5kg', which is no number."),
    "nan": ("m = 2.0", "m = nan", 10, "'m' is 'nan', which is no number."),
    "infinity": ("m = 2.0", "m = -Infinity", 10, "'m' is '-Infinity', which is no number."),
    "hexadecimal": ("m = 2.0", "m = 0x10", 10, "'m' is '0x10', which is no number."),
    "an empty exponent": ("m = 2.0", "m = 1e+", 10, "'m' is '1e+', which is no number."),
    "a lonely point": ("m = 2.0", "m = .", 10, "'m' is '.', which is no number."),
    "two numbers": ("m = 2.0", "m = 1 2", 10, "'m' is '1 2', which is no number."),
    "too large a number": ("m = 2.0", "m = 1e999", 10, "'m' is 1e999, which is too large."),
    "no equals sign": ("m = 2.0", "m 2.0", 10, "'m 2.0' has not the form name = value."),
    "twice the same": ("m = 2.0", "m = 2.0\nm = 3.0", 11, "'m' has a value already, in line 10."),
    "an unknown section": ("[parameters]", "[masses]", 9, "there is no section [masses]."),
    "an open bracket": ("[parameters]", "[parameters", 9, "'[parameters' has no closing bracket."),
    "no section": ("[run]", "", 5, "'duration' stands before the first section, such as [run]."),
    "a name left out": ("m = 2.0", "#", 26, "the file ends here, and 'm' in [parameters] has no value."),
    "a negative duration": ("duration = 10.0", "duration = -1", 5, "the duration is less than 0 s."),
    "a step of zero": ("step = 0.001", "step = 0", 6, "the step is not longer than 0 s."),
    "a step that is too long": ("step = 0.001", "step = 11", 6, "the step is longer than the run."),
    "half a step": ("every = 10", "every = 2.5", 7, "every is not a whole number of steps from 1 on."),
    "a quaternion of zero": (
        "e0 = 1.0", "e0 = 0", 13, "the quaternion that begins here is zero, which is no orientation."
    ),
}  # fmt: skip


def ball_in_a_socket() -> ph.Equations:
    """The mechanism of the texts in BAD."""
    s = ph.System("ball", gravity=(0, 0, 0))
    s.joint("socket", s.ground, s.body("ball", s.parameter("m", 2, "kg"), (0, 0, 1), (1, 1, 1)), ph.Spherical())
    return s.derive()


def crank_and_slider(rods: int = 1) -> ph.System:
    """A crank that drives a block by a rod without mass, or by several in one place, all but one redundant."""
    s = ph.System("crank and slider", gravity=(0, 0, "-9.81"))
    crank = s.joint("crank", s.ground, s.body("disc", 1, (0.5, 0, 0), (1, 1, 1)), ph.Revolute("y"))
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))
    for k in range(rods):
        s.constrain((slide.q[0] - ph.cos(crank.q[0])) ** 2 + ph.sin(crank.q[0]) ** 2 - 4, f"rod {k}")
    return s


def check_refused(program: Built, case: str) -> None:
    """Assert that a bad text file gets one sentence with file and line, no table, and the exit code 1."""
    was, now, line, sentence = BAD[case]
    text = program.text.replace(was, now, 1)
    assert text != program.text
    done = program.run(text)
    assert (done.returncode, done.stderr, done.stdout) == (1, f"values.txt:{line}: {sentence}\n", "")


def check_starts(program: Built) -> None:
    """Assert that a crank and slider is brought to its constraint, and told, or refused where it is too far."""
    slide = float(program.text.partition("slide = ")[2].split()[0])
    near, far = (with_values(program.text, coordinates={"slide": slide + off}) for off in (1e-3, 1.0))
    done = program.run(with_run(near, 0.1, 0.01, 10))
    assert done.returncode == 0 and "note: the start moved by up to" in done.stderr
    done = program.run(far)
    assert done.returncode == 1 and "too far from its constraints" in done.stderr and not done.stdout
