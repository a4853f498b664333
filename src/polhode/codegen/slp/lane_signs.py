"""Signs of lanes: a mirrored leg adds where the other one subtracts.

A lane of a pack may hold its value with either sign. A product with a constant takes any pattern of signs, for the
constant takes it; other products have the product of their factors' patterns; the terms of a sum should all have one
pattern. Patterns are vectors over GF(2), one bit a lane, up to a common sign. That of a product with a constant is an
unknown; so is that of a gathered vector, which may be multiplied by ±1 once for all who read it; all others are
sums of unknowns. Each further term of a sum is a linear equation, solved as it comes, for an unknown that costs nothing
if it has one. A term whose equation cannot hold is multiplied by ±1 in its lanes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from ..ir.packed import Gather, Pack, Source, Splat, Term, Whole

Pattern = tuple[int, int]  # the set of its unknowns, and what is added to them: a bit for each lane


@dataclass
class _Equations:
    """The linear equations of patterns, solved as they come."""

    constants: int  # slots below are constants
    gathered: dict[Source, int]  # vectors that scalars are inserted into, and the unknowns that are their patterns

    def __post_init__(self) -> None:
        self.count = len(self.gathered)  # the others, which cost nothing, come after those
        self.given: dict[int, Pattern] = {}  # unknown -> its pattern
        self.solved = 0  # the set of those

    def unknown(self) -> Pattern:
        self.count += 1
        return 1 << (self.count - 1), 0

    def bits(self, signs: Sequence[int]) -> int:
        """The lanes whose sign is not the first one's."""
        lead = next((sign for sign in signs if sign), 1)
        return sum(1 << lane for lane, sign in enumerate(signs) if sign and sign != lead)

    def reduced(self, pattern: Pattern) -> Pattern:
        unknowns, lanes = pattern
        while unknowns & self.solved:
            top = (unknowns & self.solved).bit_length() - 1
            more, flipped = self.given[top]
            unknowns, lanes = unknowns ^ (1 << top) ^ more, lanes ^ flipped
        return unknowns, lanes

    def equal(self, a: Pattern, b: Pattern) -> bool:
        """Make two patterns equal, if that is possible."""
        unknowns, lanes = self.reduced((a[0] ^ b[0], a[1] ^ b[1]))
        if not unknowns:
            return not lanes
        top = unknowns.bit_length() - 1
        self.given[top] = unknowns ^ (1 << top), lanes
        self.solved |= 1 << top
        return True

    def is_constant(self, source: Source) -> bool:
        if isinstance(source, Gather):
            return all(slot is None or slot < self.constants for slot in source.slots)
        return isinstance(source, Splat) and source.slot < self.constants


def choose_signs(packs: Sequence[Pack], order: Sequence[int], constants: int) -> list[Pack]:
    """The packs with signs in their lanes, chosen so that few terms need any; `order` has operands first."""
    sources = (factor for pack in packs for term in pack.terms for factor in term.factors)
    gathered = dict.fromkeys(source for source in sources if not isinstance(source, Whole))
    signs = _Equations(constants, {source: index for index, source in enumerate(gathered)})
    patterns: dict[int, Pattern] = {}
    for number in order:
        patterns[number] = _pattern(packs[number], patterns, signs)
    finished = list(packs)
    for number in order:
        _, flipped = signs.reduced(patterns[number])
        finished[number] = _finished(packs[number], flipped, finished, signs)
    return finished


def _pattern(pack: Pack, patterns: Mapping[int, Pattern], signs: _Equations) -> Pattern:
    """The pattern of a pack, with the equations that its terms ask for."""
    fixed: list[Pattern] = []
    for term in pack.terms:
        if not any(map(signs.is_constant, term.factors)):
            unknowns, lanes = 0, signs.bits(term.signs)
            for factor in term.factors:
                more, flipped = patterns[factor.pack] if isinstance(factor, Whole) else (1 << signs.gathered[factor], 0)
                unknowns, lanes = unknowns ^ more, lanes ^ flipped
            fixed.append((unknowns, lanes))
    if pack.op in ("sqrt", "cos", "abs"):
        if pack.op == "sqrt":
            signs.equal(fixed[0], (0, 0))
        return 0, 0
    if len(fixed) < (1 if pack.op == "sum" else len(pack.terms)):
        return signs.unknown()
    if pack.op != "sum":
        return reduce(lambda a, b: (a[0] ^ b[0], a[1] ^ b[1]), fixed)
    known = Counter(map(signs.reduced, fixed))
    usual = max(known, key=lambda pattern: known[pattern])
    for pattern in known:
        signs.equal(usual, pattern)
    return usual


def _finished(pack: Pack, flipped: int, packs: Sequence[Pack], signs: _Equations) -> Pack:
    """The pack with its lanes' signs, and its terms with the signs that are left for them."""
    width = len(pack.lanes)
    own = [-1 if flipped >> lane & 1 else 1 for lane in range(width)]
    terms: list[Term] = []
    for term in pack.terms:
        left = list(term.signs)
        for factor in term.factors:
            if isinstance(factor, Whole):
                held = packs[factor.pack].lanes
                left = [sign * (lane[1] if lane else 1) for sign, lane in zip(left, held, strict=True)]
        terms.append(replace(term, signs=tuple(left)))
    if pack.op in ("sum", "sin"):
        terms = [_flipped(term, own) for term in terms]
        # A common sign that spares the first term its own.
        lead = next((term for term in terms if not any(map(signs.is_constant, term.factors))), terms[0])
        if set(lead.signs) <= {-1, 0}:
            own = [-sign for sign in own]
            terms = [_flipped(term, [-1] * width) for term in terms]
    elif pack.op == "div":
        above, below = terms
        terms = [_flipped(_flipped(above, own), below.signs), replace(below, signs=(1,) * width)]
        if set(terms[0].signs) == {-1}:
            own = [-sign for sign in own]
            terms[0] = replace(terms[0], signs=(1,) * width)
    elif pack.op in ("cos", "abs"):
        terms = [replace(terms[0], signs=(1,) * width)]
    lanes = tuple(lane and (lane[0], sign) for lane, sign in zip(pack.lanes, own, strict=True))
    return replace(pack, lanes=lanes, terms=tuple(terms))


def _flipped(term: Term, signs: Sequence[int]) -> Term:
    return replace(term, signs=tuple(a * b for a, b in zip(term.signs, signs, strict=True)))
