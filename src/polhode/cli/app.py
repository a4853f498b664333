"""The command `polhode`: one file a command, loaded when it is called, so that `--help` is quick.

A command is a function `run` of the module of its name. Its annotations are its options, those that several commands
take are in `options`; it returns its exit code, or nothing. To add one, write the file and name it in `COMMANDS`.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import PolhodeError
from .options import grouped

#: Each command and what it does.
COMMANDS = {
    "derive": "Say what a mechanism is and print its equations of motion.",
    "simulate": "Run a mechanism; write what came of it.",
    "sweep": "Run a mechanism over many values, on all cores; write what is measured of each run.",
    "compare": "Derive by every formalism and by a reference: prove that they agree, count operations, time code.",
    "prove": "Prove on a mechanism, step by step, that Lagrange and Newton-Euler are one computation (Silver).",
    "export": "Write functions, or a whole simulation program, as source code without dependencies.",
    "check": "Check a model file: that it reads, derives, agrees, and can start.",
    "diagnose": "Say what the constraints of a mechanism leave free, and what is wrong with them.",
    "network": "Show a mechanism as a network: its linear graph, formulation tree, circuits and cut-sets.",
    "ladder": "Count what inverse dynamics cost through its history: as printed, as written, and on our graph.",
    "schema": "Print the JSON Schema of model files.",
    "view": "Show a mechanism in a pose, as a page that opens in the browser.",
    "info": "Tell versions, backends, the cache, and which extras are installed.",
    "new": "Write a commented model file and a notebook to start from.",
    "demo": "Derive, compare, run and show a six-degree-of-freedom arm.",
}
_HELP = "Exact equations of motion of mechanisms: derive, compare, simulate, export."
_SETTINGS = {"help_option_names": ["-h", "--help"]}


class Commands(TyperGroup):
    """The commands by name: listed without their options, which come with the module of the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, found, rest = super().resolve_command(ctx, args)
        return name, command(str(name)) if found else None, rest


def command(name: str) -> Any:
    """A command with its options."""
    made = typer.Typer(add_completion=False, context_settings=_SETTINGS)
    made.command(name, help=COMMANDS[name])(grouped(import_module(f".{name}", __package__).run))
    return typer.main.get_command(made)


app = typer.Typer(
    name="polhode",
    cls=Commands,
    help=_HELP,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"polhode {__version__}")
        raise typer.Exit


@app.callback(help=_HELP)
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """The options of `polhode` itself."""


def main() -> None:
    """Run the command line; what is wrong with the input ends in a message and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _told
            app()
    except PolhodeError as error:
        sys.exit(_report(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has had enough; closing quietly is what they expect.
        sys.stderr.close()
        sys.exit(141)


def _told(message: Warning | str, *where: object, **more: object) -> None:
    """A warning as a sentence: the line of the program that it arose at tells a user nothing."""
    from . import show

    show.console(stderr=True).print(show.plain(message), style="yellow", soft_wrap=True)


def _report(error: PolhodeError) -> int:
    from . import show

    if "--json" in sys.argv:
        show.as_json({"error": error.as_json()})
    else:
        lines = "\n".join(map(show.plain, str(error).splitlines()))
        show.console(stderr=True).print(lines, style="red", soft_wrap=True)
    return 2


if __name__ == "__main__":
    main()
