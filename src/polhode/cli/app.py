"""The command `polhode`: `COMMANDS` lists the commands, whose modules are loaded when they are called.

A command is a function of its name. Its annotations are its options; those that several commands take are in
`terminal.options`. It returns its exit code, or nothing. A feature has its commands in its folder.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import PolhodeError
from ..terminal.options import as_typed, grouped

#: Each command: its module and what it does.
COMMANDS = {
    "derive": ("cli.derive", "Describe a mechanism and print its equations of motion."),
    "simulate": ("cli.simulate", "Run a mechanism and write the results."),
    "sweep": ("cli.sweep", "Run a mechanism over many values, on all cores; write measures of each run."),
    "compare": ("compare.command", "Derive by every formalism and a reference: prove agreement, count, time."),
    "prove": ("papers.silver.command", "Prove step by step that Lagrange and Newton-Euler are one computation."),
    "export": ("cli.derive", "Write functions, or a simulation program, as source code without dependencies."),
    "check": ("cli.check", "Check a model file: that it reads, derives, agrees, and can start."),
    "diagnose": ("cli.check", "Report the degrees of freedom of a mechanism and errors of its constraints."),
    "network": ("papers.tokad.command", "Print a mechanism's linear graph, formulation tree, circuits, cut-sets."),
    "ladder": ("papers.silver.command", "Count the operations of inverse dynamics by historical methods."),
    "schema": ("cli.new", "Print the JSON Schema of model files."),
    "view": ("cli.view", "Show a mechanism in a pose, as a page that opens in the browser."),
    "report": ("cli.report", "Write a mechanism, its equations and its results as one page that prints well."),
    "info": ("cli.info", "Print versions, backends, the cache, and which extras are installed."),
    "new": ("cli.new", "Write a commented model file and a notebook to start from."),
    "demo": ("cli.demo", "Derive, compare, run and show a six-degree-of-freedom arm."),
}
_HELP = "Exact equations of motion of mechanisms: derive, compare, simulate, export."
_SETTINGS = {"help_option_names": ["-h", "--help"]}


class Commands(TyperGroup):
    """The commands by name: listed without their options, which come with the module of the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, click_command, rest = super().resolve_command(ctx, args)
        return name, command(str(name)) if click_command else None, rest


def command(name: str) -> Any:
    """A command with its options."""
    module, words = COMMANDS[name]
    single = typer.Typer(add_completion=False, context_settings=_SETTINGS)
    single.command(name, help=words)(grouped(getattr(import_module(f"polhode.{module}"), name)))
    return typer.main.get_command(single)


app = typer.Typer(
    name="polhode",
    cls=Commands,
    help=_HELP,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
)


def _version(requested: bool) -> None:
    if requested:
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
    """Run the command line; wrong input ends in a message and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            app()
    except PolhodeError as error:
        sys.exit(_report(as_typed(error, sys.argv[1:])))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the pipe has closed it.
        sys.stderr.close()
        sys.exit(141)


def _print_warning(message: Warning | str, *where: object, **more: object) -> None:
    """A warning as a sentence, without the line of the program where it arose."""
    from ..terminal import output

    output.say(message, "yellow", stderr=True)


def _report(error: PolhodeError) -> int:
    from ..terminal import output

    if "--json" in sys.argv:
        output.as_json({"error": error.as_json()})
    else:
        output.say(error, "red", stderr=True)
    return 2


if __name__ == "__main__":
    main()
