"""The samples that all runs of a batch share, and how many of them memory is thought to hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import LimitError, ShapeError
from ..initial_state import Floats
from ..settings import MOST_BYTES, span_of
from .members import Members, columns_of, words

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


def sample_times(derivation: Derivation, duration: float, options: Mapping[str, Any]) -> Floats:
    """The times of the samples that all runs with these options share."""
    return span_of(duration, options.get("samples"), options.get("rate"), _width(derivation)).times


def check_size(derivation: Derivation, duration: float, members: Members) -> None:
    """Refuse more samples of all members than memory is thought to hold, and rows of another width than a state's."""
    options = members.shared
    samples = span_of(duration, options.get("samples"), options.get("rate"), _width(derivation)).count
    size = 8.0 * members.count * samples * _width(derivation)
    if size > MOST_BYTES:
        raise LimitError(
            f"{members.count} runs of {samples} samples would take {size * 1e-9:.3g} GB.",
            place="batch",
            cure="Keep fewer samples, run fewer members at once, or sweep with a measure.",
            code="E-BATCH-007",
        )
    for which, rows in members.varied.items():
        _, names = columns_of(which, derivation.equations)
        if rows.reshape(members.count, -1).shape[1] != len(names):
            raise ShapeError(
                f"the shape is {rows.shape}, expected ({members.count}, {len(names)}).",
                place=words(which),
                cure=f"Give a row for each member: {', '.join(names)}.",
                code="E-BATCH-008",
            )


def _width(derivation: Derivation) -> int:
    equations = derivation.equations
    return 1 + sum(map(len, (equations.q, equations.u, equations.z, equations.tau, equations.system.inputs)))
