"""Options that several commands take, each declared once, and groups of them with what a group comes to.

A command with a parameter `source`, `derivation` or `running` takes all options of that group instead of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from .source import Source

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

# ---- what a run is given, by `simulate` and `sweep` alike --------------------------------------------------------

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
Audit = Annotated[bool, typer.Option("--audit", help="Tell whether power and the rate of energy agree.")]


def source_of(file: File, base: Base = None, package: Packages = None, dynamics: Dynamics = False) -> Source:
    """The model and the options of its reader, of which only those that were given are passed on."""
    from .source import packages

    given = {"base": base, "packages": packages(package) if package else None, "dynamics": dynamics or None}
    return Source(file, {name: value for name, value in given.items() if value is not None})


def derivation_of(
    formalism: Formalism = "auto",
    speeds: Speeds = None,
    small: Small = None,
    omit: Omit = None,
    constraints: Constraints = "multipliers",
) -> dict[str, Any]:
    """How to derive, as `System.derive` takes it: what is small and what is omitted are lists of names."""
    named = {"small": small, "omit": omit}
    lists = {key: [name.strip() for name in given.split(",") if name.strip()] for key, given in named.items() if given}
    chosen = {"formalism": formalism, "speeds": speeds, "constraints": constraints, **lists}
    return chosen | ({"small": []} if small == "" else {})


def run_options(
    laws: Laws = None,
    efforts: Efforts = None,
    method: Method = "auto",
    step: Step = None,
    tolerance: Tolerance = 1e-9,
    audit: Audit = False,
) -> dict[str, Any]:
    """Options of a run; inputs and efforts as they were written."""
    options: dict[str, Any] = {"method": method, "step": step, "audit": audit}
    options |= {} if tolerance == 1e-9 else {"rtol": tolerance, "atol": tolerance}
    return options | {"inputs": laws or [], "tau": efforts or []}


_GROUPS: dict[str, Callable[..., Any]] = {"source": source_of, "derivation": derivation_of, "running": run_options}


def grouped(function: Callable[..., int | None]) -> Callable[..., None]:
    """A command whose parameters that name a group are replaced by the options of the group, after its own."""
    own = signature(function, eval_str=True).parameters
    taken = {name: signature(_GROUPS[name], eval_str=True).parameters for name in own if name in _GROUPS}
    flat = [each for name, each in own.items() if name not in taken]
    flat += [each for options in reversed(taken.values()) for each in options.values()]

    @wraps(function)
    def call(**given: Any) -> None:
        for name, options in taken.items():
            given[name] = _GROUPS[name](**{option: given.pop(option) for option in options})
        raise typer.Exit(function(**given) or 0)

    vars(call)["__signature__"] = Signature([each.replace(kind=Parameter.KEYWORD_ONLY) for each in flat])
    call.__annotations__ = {each.name: each.annotation for each in flat}
    return call
