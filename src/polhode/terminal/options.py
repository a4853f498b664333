"""Options that several commands take, each declared once, and groups of options with the value of a group.

A command with a parameter `source`, `derivation` or `running` takes all options of that group instead of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import FormatError, LimitError, PolhodeError, Problem

if TYPE_CHECKING:
    from ..model.system import System

STANDARD_INPUT = Path("-")
_SIZE_LIMIT = 20_000_000


@dataclass(frozen=True)
class Source:
    """A file, `-` for the standard input, and the options of its reader."""

    file: Path
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.file)

    @property
    def stem(self) -> str:
        """The name of files that are written from it."""
        return "model" if self.file == STANDARD_INPUT else self.file.stem

    def read(self) -> tuple[System, list[Problem]]:
        """The system that the file describes, and its reader's warnings and notices."""
        from .output import progress

        with progress() as status:
            status("reading the model")
            return self._from_input() if self.file == STANDARD_INPUT else _read(self.file, self.options)

    def system(self) -> System:
        """The system alone."""
        return self.read()[0]

    def _from_input(self) -> tuple[System, list[Problem]]:
        """Read YAML or JSON, or XML if the text begins with a tag, without a folder for other files."""
        content = sys.stdin.buffer.read(_SIZE_LIMIT + 1)
        if len(content) > _SIZE_LIMIT:
            message = f"more than {_SIZE_LIMIT:,} bytes came in."
            raise LimitError(message, place="standard input", cure="Name a file.", code="E-FILE-SIZE")
        if not content.strip():
            raise FormatError("nothing came in.", "standard input", "Pipe a model in, or name a file.", "E-FILE-READ")
        name = "stdin.xml" if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else "stdin.yaml"
        with TemporaryDirectory(prefix="polhode-") as folder:
            file = Path(folder) / name
            file.write_bytes(content)
            try:
                return _read(file, self.options)
            except PolhodeError as error:
                raise _without_folder(error, folder) from None


def _without_folder(error: PolhodeError, folder: str) -> PolhodeError:
    """The same problems without the path of the temporary folder."""
    problems = []
    for problem in error.problems:
        place = problem.place.replace(f"{folder}/", "").replace(folder, "")
        cure = "" if folder in problem.cure else problem.cure
        problems.append(Problem(problem.message.replace(f"{folder}/", ""), place, cure, problem.code))
    return type(error)(problems=problems)


def _read(file: Path, options: Mapping[str, Any]) -> tuple[System, list[Problem]]:
    from ..formats import read

    system, report = read(file, **options)
    return system, [] if report is None else [*report.warnings, *report.notices]


File = Annotated[
    Path,
    typer.Argument(
        help="A model file (.yaml), a robot file (.urdf, .xml), or - for the standard input.", show_default=False
    ),
]
Packages = Annotated[
    list[str] | None,
    typer.Option("--package", help="For a URDF: what package://NAME stands for.", metavar="NAME=FOLDER"),
]
Dynamics = Annotated[bool, typer.Option("--dynamics", help="For a URDF: joints have the damping that it states.")]
Contacts = Annotated[
    str | None, typer.Option(help="For a robot file: its shapes touch what stands still (yes), each other too (all).")
]
Stops = Annotated[float | None, typer.Option(help="For a robot file: limits are stops with this restitution.")]
Friction = Annotated[
    bool | None, typer.Option("--friction/--no-friction", help="For a robot file: dry friction of joints acts, or not.")
]
Digits = Annotated[int, typer.Option(help="Digits of numbers in tables.", min=1, max=17)]
Speeds = Annotated[str | None, typer.Option(help="Speeds that a formalism brings: sayers, by kane.")]
Base = Annotated[str | None, typer.Option(help="For a URDF: fixed or floating.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
Formalism = Annotated[str, typer.Option(help="How to derive; `auto` picks the cheapest.")]
Small = Annotated[
    str | None, typer.Option(help="To first order in these coordinates or joints: --small roll,pitch", metavar="NAMES")
]
Omit = Annotated[str | None, typer.Option(help="Without these coordinates: --omit x,y", metavar="NAMES")]
Constraints = Annotated[str, typer.Option(help="How constraints are kept: multipliers or embedded.")]

# ---- options of a run, of `simulate` and `sweep` -----------------------------------------------------------------

Pose = Annotated[str | None, typer.Option(help="The named pose to start from.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="A parameter or input: --set m=2, in SI units, or --set 'm=500 g'", metavar="NAME=VALUE"
    ),
]
Laws = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        help="An input, as an expression or samples in a file: --input F='0.1*sin(t)' --input road=road.csv",
        metavar="NAME=EXPRESSION",
    ),
]
Efforts = Annotated[
    list[str] | None, typer.Option("--effort", help="An effort: --effort hinge='-2*hinge'", metavar="NAME=EXPRESSION")
]
Method = Annotated[str, typer.Option(help="auto, TP86, DOP853, RK45, Rodas5P, Radau, scipy.LSODA, rk4, …")]
Step = Annotated[float | None, typer.Option(help="Largest step, or the step of a fixed-step method.")]
Tolerance = Annotated[float, typer.Option(help="Relative and absolute.")]
Names = list[str] | None
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")]
Impacts = Annotated[str, typer.Option(help="The law of impacts: moreau, newton or poisson.")]
Audit = Annotated[bool, typer.Option("--audit", help="Compare power with the rate of energy.")]


def source_of(
    file: File,
    base: Base = None,
    package: Packages = None,
    dynamics: Dynamics = False,
    contacts: Contacts = None,
    stops: Stops = None,
    friction: Friction = None,
) -> Source:
    """The model and the options of its reader that were given."""
    settings: dict[str, Any] = {
        "base": base,
        "packages": packages(package) if package else None,
        "dynamics": dynamics or None,
    }
    if contacts not in (None, "yes", "all"):
        raise PolhodeError(f"{contacts!r} is not a choice.", "--contacts", "Give yes or all.", "E-CLI-NAME")
    settings |= {"contacts": True if contacts == "yes" else contacts, "stops": stops, "friction": friction}
    return Source(file, {name: value for name, value in settings.items() if value is not None})


def derivation_of(
    formalism: Formalism = "auto",
    speeds: Speeds = None,
    small: Small = None,
    omit: Omit = None,
    constraints: Constraints = "multipliers",
) -> dict[str, Any]:
    """Options of `System.derive`: small and omitted coordinates are lists of names."""
    texts = {"small": small, "omit": omit}
    lists = {key: [name.strip() for name in text.split(",") if name.strip()] for key, text in texts.items() if text}
    options = {"formalism": formalism, "speeds": speeds, "constraints": constraints, **lists}
    return options | ({"small": []} if small == "" else {})


def run_options(
    laws: Laws = None,
    efforts: Efforts = None,
    method: Method = "auto",
    step: Step = None,
    tolerance: Tolerance = 1e-9,
    impacts: Impacts = "moreau",
    audit: Audit = False,
) -> dict[str, Any]:
    """Options of a run; inputs and efforts as they were written."""
    options: dict[str, Any] = {"method": method, "step": step, "audit": audit}
    options |= {} if impacts == "moreau" else {"impacts": impacts}
    options |= {} if tolerance == 1e-9 else {"rtol": tolerance, "atol": tolerance}
    return options | {"inputs": laws or [], "tau": efforts or []}


def packages(items: Iterable[str]) -> dict[str, str]:
    """Folders of packages from `name=folder` pairs."""
    from .output import pairs

    folders = pairs(items, "--package", "name=folder")
    for name, folder in folders.items():
        if not Path(folder).is_dir():
            cure = "Name the folder that package:// stands for."
            raise PolhodeError(f"there is no folder {folder!r}.", f"--package {name}", cure, "E-FILE-NAME")
    return folders


#: Options whose keyword in Python has another name.
_KEYWORDS = {
    "rtol": "tolerance", "atol": "tolerance", "tau": "effort", "inputs": "input", "start": "pose", "n_max": "joints",
    "packages": "package", "t": "duration",
}  # fmt: skip


def as_typed(error: PolhodeError, words: Iterable[str]) -> PolhodeError:
    """The error with the options of the command line `words` in place of Python's keywords.

    >>> print(as_typed(PolhodeError("-1.0 is not seconds > 0.", "step"), ["simulate", "--step", "-1"]))
    --step: -1.0 is not seconds > 0.
    """
    typed = {word.partition("=")[0].lstrip("-"): word.partition("=")[0] for word in words if word.startswith("-")}
    typed |= {"duration": typed["t"]} if "t" in typed else {}
    typed |= {name.removeprefix("no-"): option for name, option in typed.items()}

    def option(match: re.Match[str]) -> str:
        name = match["name"].replace("_", "-")
        name = name if name in typed else _KEYWORDS.get(match["name"], name)
        return f"{match['before']}{typed[name]}" if name in typed else match[0]

    def problem(of: Problem) -> Problem:
        place = re.sub(r"^(?P<before>)(derive |ladder )?(?P<name>\w+)(?= '|$)", option, of.place)
        message = re.sub(r"(?P<before> in )(?P<name>tau|inputs)(?=\.$)", option, of.message)
        message = re.sub(r"(?P<before>has no option )'(?P<name>\w+)'", option, message)
        return Problem(message, place, with_poses(of.cure), of.code)

    copy_of_error = copy(error)
    PolhodeError.__init__(copy_of_error, problems=map(problem, error.problems))
    return copy_of_error


def with_poses(text: str) -> str:
    """A text in which starts are poses, as the command line takes them.

    >>> with_poses("Poses of the model are start='up'.")
    "Poses of the model are --pose 'up'."
    """
    text = text.replace("touches: start={", "touches, a pose with coordinates {")
    return re.sub(r"start=('[^']*')", r"--pose \1", text)


_GROUPS: dict[str, Callable[..., Any]] = {"source": source_of, "derivation": derivation_of, "running": run_options}


def grouped(function: Callable[..., int | None]) -> Callable[..., None]:
    """A command with the options of each group, after its other options, in place of the group's parameter."""
    parameters = signature(function, eval_str=True).parameters
    groups = {name: signature(_GROUPS[name], eval_str=True).parameters for name in parameters if name in _GROUPS}
    flat = [parameter for name, parameter in parameters.items() if name not in groups]
    flat += [parameter for options in reversed(groups.values()) for parameter in options.values()]

    @wraps(function)
    def call(**given: Any) -> None:
        for name, options in groups.items():
            given[name] = _GROUPS[name](**{option: given.pop(option) for option in options})
        raise typer.Exit(function(**given) or 0)

    vars(call)["__signature__"] = Signature([option.replace(kind=Parameter.KEYWORD_ONLY) for option in flat])
    call.__annotations__ = {option.name: option.annotation for option in flat}
    return call
