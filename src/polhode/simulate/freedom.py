"""How much freedom constraints leave at a pose, which of them say the same, and the sentences that tell so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..constraints.factorisation import Factorisation
from .manifold import Manifold
from .state import Floats

#: How far along the constraints to look for a pose that is not singular.
_ASIDE = 1e-2


@dataclass(frozen=True)
class Freedom:
    """Rows to solve with, the degrees of freedom that they leave, and what a reader should know."""

    rows: list[int]
    degrees: int
    notices: tuple[str, ...]


def freedom(manifold: Manifold, t: float, q: Floats, u: Floats) -> Freedom:
    """Look at a pose and at poses near it that keep the constraints too: at a singular pose the rank is lower.

    Rows are redundant that say nothing new at any of these poses, though they might off the constraints.
    """
    here = manifold.all_rows(t, q)
    best = here
    for aside in _directions(here, u):
        near, left, _ = manifold.projected(t, manifold.moved(t, q, _ASIDE * aside))
        if np.abs(left).max(initial=0.0) < 1e-10:
            there = manifold.all_rows(t, near)
            best = there if there.rank > best.rank else best
    degrees = here.A.shape[1] - best.rank
    notices = redundant_words(manifold, best)
    if here.rank < best.rank:
        notices.append(
            f"the start is a singular pose: for a moment the mechanism has {here.A.shape[1] - here.rank} degrees of "
            f"freedom instead of {degrees}."
        )
    if not degrees:
        notices.append(locked_words(manifold, best))
    return Freedom(best.chosen, degrees, tuple(notices))


def _directions(rows: Factorisation, u: Floats) -> list[Floats]:
    """Some motions that keep the constraints: the one that there is, and a few others."""
    free = rows.free
    if not free.shape[1]:
        return []
    rng = np.random.default_rng(11)
    found = [free @ rng.standard_normal(free.shape[1]) for _ in range(3)]
    if len(u) == len(free) and np.abs(u).max(initial=0.0) > 0.0:
        found.append(u)
    return [each / max(1e-12, float(np.abs(each).max())) for each in found]


def redundant_words(manifold: Manifold, rows: Factorisation) -> list[str]:
    """A sentence for each constraint of which some rows say what others say."""
    table = manifold.constraints.rows
    told: list[str] = []
    for of in dict.fromkeys(table[k].of for k in rows.redundant):
        own = [k for k in rows.redundant if table[k].of == of]
        sources = sorted({source for k in own for source in rows.sources(k)})
        what = listed([f"'{table[k].name}'" for k in own])
        says = "says" if len(own) == 1 else "say"
        whose = listed([f"'{table[k].name}'" for k in sources]) if sources else ""
        meaning = f"{says} what {whose} {'says' if len(sources) == 1 else 'say'}" if whose else f"{says} nothing"
        told.append(f"constraint '{of}' is redundant: {what} {meaning}; its multipliers are those of least size.")
    return told


def locked_words(manifold: Manifold, rows: Factorisation) -> str:
    """That nothing can move, and by which constraints."""
    found = list(dict.fromkeys(manifold.constraints.rows[k].of for k in rows.chosen))
    names, single = listed([f"'{name}'" for name in found]), len(found) == 1
    return (
        f"the mechanism is locked: {names} leave{'s' if single else ''} no degree of freedom to its "
        f"{rows.A.shape[1]} speeds, and nothing but time moves it."
    )


def listed(words: Sequence[str], most: int = 6) -> str:
    """Words with commas and an 'and'.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
