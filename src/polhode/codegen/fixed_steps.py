"""What runs by fixed steps share, in native code and in printed programs: Butcher's tableaux, and how near to its
constraints a state is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

#: A state this near to its constraints is left where it is; so is one at a hundred times that which comes no nearer.
NEAR = 1e-14
MOST_STEPS = 5
#: What all rows may be off, those included that the right-hand side does not know.
OFF = 1e-10
#: Steps of a fixed length between two projections.
UNPROJECTED = 10


@dataclass(frozen=True)
class Tableau:
    """Butcher's tableau of an explicit method: stage times c, stage weights a (row i has i entries), step weights b."""

    c: tuple[float, ...]
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    order: int


#: The explicit methods by name.
METHODS: Mapping[str, Tableau] = MappingProxyType({
    "euler": Tableau((0.0,), ((),), (1.0,), 1),
    "midpoint": Tableau((0.0, 0.5), ((), (0.5,)), (0.0, 1.0), 2),
    "heun": Tableau((0.0, 1.0), ((), (1.0,)), (0.5, 0.5), 2),
    "rk4": Tableau((0.0, 0.5, 0.5, 1.0), ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), 4),
})  # fmt: skip
