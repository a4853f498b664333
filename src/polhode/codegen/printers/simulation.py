"""A simulation program: what a target that can write one is given, and the text file that the program reads.

The program integrates ẋ = f(t, x) by the classical Runge–Kutta method in steps of one length, scales quaternions to
unit length after each, brings the state back to its constraints, and writes a table of comma-separated values:

    time | q.… coordinates | u.… speeds | z.… first-order states | energy.kinetic, energy.potential

All numbers come from a text file: sections in brackets, below each the lines `name = value`, comments after `#`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

from ..fixed_steps import METHODS, MOST_STEPS, NEAR, OFF, UNPROJECTED
from ..ir.program import Program

#: Letters in a line of the text file.
LINE = 1000
#: Newton's steps onto the constraints, at the start and later.
NEWTON_STEPS = MappingProxyType({"first_steps": 20, "newton_steps": MOST_STEPS, "unprojected": UNPROJECTED})
#: Numbers of every program: how far off 1 the length of a quaternion may be without a word, and the method's weights.
_RK4 = METHODS["rk4"]
_NUMBERS = {
    "length_slack": 1e-9,
    **{f"stage_{k}": row[-1] for k, row in enumerate(_RK4.a[1:], 2)},
    **{f"weight_{k}": weight for k, weight in enumerate(_RK4.b, 1)},
}
#: Numbers of a program with constraints. A pivot below the part `small_pivot` of the largest seen is none: they are
#: nearly singular there. A start that has to move by more than `worth_a_word` is told; by more than `too_far` it is
#: another start, which may close its loops the wrong way round.
_KEPT = {"near": NEAR, "small_pivot": 1e-6, "worth_a_word": 1e-6, "too_far": 0.1}


@dataclass(frozen=True)
class Value:
    """A line of the text file: a name of harmless letters, a value if there is one, its unit, the user's own name."""

    name: str
    value: float | None
    unit: str = ""
    own: str = ""

    @property
    def comment(self) -> str:
        """Its comment: unit, the user's name if it is another, missing value."""
        original = "" if self.own in ("", self.name) else f"'{self.own}'"
        parts = [_one_line(self.unit), _one_line(original), "" if self.value is not None else "give a value"]
        return "; ".join(part for part in parts if part)


@dataclass(frozen=True)
class Function:
    """A program, the simulation's parameters that it uses, in order, and the comment at its head."""

    program: Program
    parameters: tuple[int, ...]
    preface: Sequence[str] = ()


@dataclass(frozen=True)
class Projection:
    """Projection of a state on the constraints.

    `step` returns `pivots`, a `displacement` and a `change` of speeds; `rows`, if some are redundant, all residuals.
    """

    step: Function
    rows: Function | None = None


@dataclass(frozen=True)
class Simulation:
    """A program that simulates one mechanism: functions of x, and t, tau and inputs where they take them, and names."""

    name: str
    preface: Sequence[str]
    rates: Function  # puts out ẋ
    energy: Function  # puts out the kinetic and the potential energy, as far as they follow from the state
    run: tuple[Value, Value, Value]  # duration, step, and how many steps lie between two rows of the table
    parameters: tuple[Value, ...]
    coordinates: tuple[Value, ...]
    speeds: tuple[Value, ...]
    states: tuple[Value, ...]
    efforts: tuple[Value, ...]
    inputs: tuple[Value, ...]
    quaternions: tuple[int, ...]  # where each begins among the coordinates
    bound: float  # beyond this size of an entry the state has left the mechanism
    most_steps: int
    projection: Projection | None = None

    @property
    def sections(self) -> Mapping[str, tuple[Value, ...]]:
        """The text file: the lines of each section."""
        names = ("run", "parameters", "coordinates", "speeds", "states", "efforts", "inputs")
        return MappingProxyType({name: getattr(self, name) for name in names})

    @property
    def columns(self) -> list[str]:
        """The head of the table."""
        kinds = (("q", self.coordinates), ("u", self.speeds), ("z", self.states))
        heads = [f"{kind}.{value.name}" for kind, values in kinds for value in values]
        return ["time", *heads, *(f"energy.{name}" for name in self.energies)]

    @property
    def energies(self) -> list[str]:
        """Which energies the table has: the potential one may depend on coordinates that are omitted."""
        return [output.name for output in self.energy.program.outputs]

    @property
    def numbers(self) -> dict[str, float]:
        """The constants of the program."""
        result = {"bound": self.bound, "most_steps": float(self.most_steps), **_NUMBERS}
        kept = self.projection
        result |= {} if kept is None else _KEPT
        return result if kept is None or kept.rows is None else result | {"off": OFF}

    @property
    def functions(self) -> dict[str, Function]:
        """All programs to be printed beside this one, by their names in it."""
        kept = self.projection
        by_name = {"rates": self.rates, "energy": self.energy}
        by_name |= {} if kept is None else {"projection": kept.step}
        return by_name if kept is None or kept.rows is None else by_name | {"rows": kept.rows}


@dataclass(frozen=True)
class SimulationWriting:
    """How a language writes simulation programs: texts by file name, and the command that compiles them."""

    files: Callable[[Simulation], dict[str, str]]
    command: Callable[[Simulation], str]


def output_size(function: Function, output: str) -> int:
    """How many numbers an output of a function has."""
    return next(len(array.slots) for array in function.program.outputs if array.name == output)


def filled(template: str, simulation: Simulation, **texts: str) -> str:
    """A template with `@NAME@` replaced; lines from `@if constraints` or `@if redundant` to `@end` are conditional."""
    kept = simulation.projection
    conditions = {"constraints": kept is not None, "redundant": kept is not None and kept.rows is not None}
    lines: list[str] = []
    included = [True]
    for line in resources.files("polhode.codegen.printers").joinpath(template).read_text("utf-8").splitlines():
        if line.startswith("@if "):
            included.append(included[-1] and conditions[line.removeprefix("@if ")])
        elif line == "@end":
            included.pop()
        elif included[-1]:
            lines.append(line)
    text = "\n".join([*lines, ""])
    for name, value in {**texts, "ENERGIES": ", ".join(simulation.energies)}.items():
        text = text.replace(f"@{name}@", value)
    return text


def text_file(simulation: Simulation, head: Sequence[str]) -> str:
    """The text file with the values that are known; a name without one is to be given a value.

    >>> from types import SimpleNamespace
    >>> values = (Value("m", 2.0, "kg"), Value("l", None, "m"))
    >>> print(text_file(SimpleNamespace(sections={"parameters": values, "inputs": ()}), ["Values."]))
    # Values.
    <BLANKLINE>
    [parameters]
    m = 2.0                             # kg
    l =                                 # m; give a value
    <BLANKLINE>
    """
    lines = [f"# {_one_line(line)}".rstrip() for line in head]
    for section, values in simulation.sections.items():
        lines += ["", f"[{section}]"] if values else []
        for value in values:
            line = f"{value.name} = {'' if value.value is None else repr(value.value)}"
            lines.append(f"{line:<35} # {value.comment}" if value.comment else line.rstrip())
    return "\n".join([*lines, ""])


def _one_line(text: str) -> str:
    """Text on one line, without characters that cannot be printed."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text[:400]).split())[:100]


def usage(simulation: Simulation, command: str) -> list[str]:
    """How the program is compiled and called, for its head: our own words and names alone."""
    name = simulation.name
    scaled = ["Quaternions are scaled to unit length after every step."] if simulation.quaternions else []
    kept = ["The state is brought back to its constraints every few steps."] if simulation.projection else []
    return [
        "",
        "Compile with one command:",
        f"  {command}",
        "and run, with the text file of values that stands beside this one:",
        f"  ./{name} {name}.txt {name}.csv",
        "Without the last name the table goes to the standard output.",
        "",
        "Classical Runge-Kutta steps of one length; efforts and inputs are constant.",
        *scaled,
        *kept,
    ]
