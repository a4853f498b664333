"""What a notebook shows of a law: its formulas, and what they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import listed
from ..expr import Expr, as_expr, topological
from ..expr.spelling import latex_escape, latex_name, spelled, spelled_latex

if TYPE_CHECKING:
    from ..model.records import Parameter
    from .law import ControllerState, Law

#: A law with more nodes is told of, not written.
READABLE = 300
#: A number with a larger denominator is not to be read.
_LONGEST = 10**9
#: Gains and states beyond these are counted.
_MOST = 12


def law_formulas(law: Law) -> list[tuple[str, Expr]]:
    """Controls, then how the controller's states change; none where numbers with all their digits are in them."""
    changes = [(changed_latex(each), each.rate if each.update is None else each.update) for each in law.states]
    made = [(spelled_latex(control), as_expr(value)) for control, value in law.controls.items()]
    made += [(head, as_expr(value)) for head, value in changes]
    return [] if any(map(_is_long_number, topological([value for _, value in made]))) else made


def _is_long_number(node: Expr) -> bool:
    """Whether a node is a number that came out of an algorithm, with all its digits."""
    return node.is_number and node.data.denominator > _LONGEST


def changed_latex(state: ControllerState, name: str | None = None) -> str:
    """The rate of a controller's state, or what it is at the next sample, in LaTeX."""
    own = name or spelled_latex(state.symbol)
    return rf"\frac{{\mathrm{{d}}}}{{\mathrm{{d}}t}} {own}" if state.update is None else f"{{{own}}}^{{+}}"


def gain_names(law: Law) -> dict[Expr, str]:
    """LaTeX of the law's parameters."""
    return {each.symbol: gain_latex(name) for name, each in law.parameters.items()}


def gain_latex(name: str) -> str:
    r"""A gain by what it is of: kp_q1 is k with two indices, K_F_x' an entry of K; other names as they are written."""
    word, *whose = name.split("_", 2) if name.startswith("K_") else name.split("_", 1)
    if len(word) == 2 and word[0] == "k":
        return rf"k_{{{','.join([word[1], *map(_index_latex, whose)])}}}"
    if word == "K" and whose:
        return rf"K_{{{','.join(map(_index_latex, whose))}}}"
    return latex_name(name)


def _index_latex(name: str) -> str:
    plain = name.rstrip("'")
    dots = len(name) - len(plain)
    if not plain.replace("_", "").isalnum():
        return rf"\text{{{latex_escape(name)}}}"
    return rf"\{'d' * dots}ot{{{latex_name(plain)}}}" if dots else latex_name(plain)


def law_sentences(law: Law) -> list[str]:
    """Gains, references, states and sample time, and where the law does not hold."""
    told = [f"Gains: {listed(valued(law.parameters), most=_MOST)}."] if law.parameters else []
    if law.reference:
        told.append(f"References: {listed((each.name for each in law.reference), most=_MOST)}.")
    if law.states:
        starts = (f"{spelled(each.symbol)} from {float(each.start):.6g}" for each in law.states)
        told.append(f"States of the controller: {listed(starts, most=_MOST)}.")
    if law.sample_time is not None:
        told.append(f"It is made for samples every {law.sample_time:g} s.")
    return [*told, *where_not(law.conditions)]


def where_not(conditions: Sequence[str]) -> list[str]:
    """Sentences of the conditions of a law."""
    return [f"The law does not hold where {each}." for each in conditions]


def valued(parameters: Mapping[str, Parameter]) -> Iterator[str]:
    """Each parameter with its value, as text."""
    for name, each in parameters.items():
        yield f"{name} = {'?' if each.value is None else f'{float(each.value):.6g}'}"
