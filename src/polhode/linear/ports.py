"""One input and one output of linear equations, as a user names them."""

from __future__ import annotations

from typing import Any

from ..errors import PolhodeError, check_kind, unknown
from .linear import Linear


def one_port(linear: Linear, input: str, output: Any, place: str) -> tuple[Linear, str]:
    """The equations with one input and one output, and the output's name.

    The output is one of `outputs`, a state, or an expression.
    """
    check_kind(str, "the name of an input", input, place, f"Name one of {', '.join(linear.inputs[:4])}.")
    if isinstance(output, str):
        if output in linear.observed:
            wanted: Any = {output: linear.observed[output]}
        elif output in linear.states:
            wanted = [output]
        else:
            raise unknown("output", output, [*linear.outputs, *linear.states], place=place, code="E-LIN-019")
    else:
        wanted = output
    made = linear.with_ports([input], wanted)
    if len(made.outputs) != 1:
        raise PolhodeError(
            f"{len(made.outputs)} outputs are given, and one is meant.",
            place=place,
            cure="Name one state, or give one expression.",
            code="E-LIN-020",
        )
    return made, made.outputs[0]
