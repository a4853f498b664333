"""A diagnosis in words: one finding a sentence, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...errors import listed
from .records import Dependence, Diagnosis, Here, Integrability

#: A list goes on with "and so many more" after this many names.
_MOST = 12


def told(found: Diagnosis) -> str:
    """The findings, a line each."""
    return "\n".join(f"• {line}" if k else line for k, line in enumerate(_lines(found)))


def _lines(found: Diagnosis) -> Iterator[str]:
    yield _summary(found)
    for sentence in found.impossible:
        yield f"impossible: {sentence} Check where the bodies and frames are, or remove the constraint."
    for each in found.contradictory:
        yield (
            f"contradictory: '{each.row}' asks for other speeds than {_quoted(each.of) or 'rest'}; both can be kept at "
            "special coordinates at most. Remove one of them, or let them ask for the same motion."
        )
    if found.trivial:
        yield f"kept by the tree itself, and left out: {_listed(found.trivial)}."
    against = {each.row for each in found.contradictory}
    off = {*found.here.off} if found.here is not None else set()
    for each in found.redundant:
        if off & {each.row, *each.of}:
            yield f"contradictory: '{each.row}' lets the same motions as {_quoted(each.of)}, but not at one pose."
        elif each.row not in against:
            yield f"redundant everywhere: {_follows(each)} It can be removed."
    if found.integrability is not None and (found.positions or found.velocities or len(found.integrability.growth) > 1):
        yield from _on_integrability(found, found.integrability)
    if found.here is not None:
        yield from _on_the_pose(found, found.here)
    if found.assumed:
        yield f"parameters without a value were taken as 1: {_listed(found.assumed)}."


def _summary(found: Diagnosis) -> str:
    rows = len(found.positions) + len(found.velocities)
    counts = f"{_number(len(found.speeds), 'speed')}, {_number(rows, 'constraint')}"
    if found.redundant:
        counts += f" of which {found.independent} {'is' if found.independent == 1 else 'are'} independent"
    if found.impossible or found.contradictory:
        return f"{found.system}: {counts}; the constraints cannot be kept."
    if found.here is not None and not found.here.is_assembled:
        return f"{found.system}: {counts}; no pose was found that keeps the constraints."
    free = _number(found.freedom, "degree", "degrees") + " of freedom"
    moves = " (time moves it)" if not found.freedom and found.driven else ""
    return f"{found.system}: {counts}; {free}{moves}."


def _on_integrability(found: Diagnosis, test: Integrability) -> Iterator[str]:
    if test.holonomic:
        yield (
            f"integrable: {_listed(test.holonomic)} on speeds can be integrated to conditions on the position, "
            "with a constant that the start sets."
        )
    if test.is_holonomic:
        if not test.holonomic and (found.positions or found.velocities):
            yield "every constraint is holonomic: a condition on the position."
        return
    growth = ", ".join(map(str, test.growth))
    who = f"{_listed(test.nonholonomic)}" if test.nonholonomic else "its joints"
    yield (
        f"nonholonomic: {who}. {_number(test.growth[0], 'speed')} can be chosen, and manoeuvres reach "
        f"{_number(test.growth[-1], 'dimension')} of {test.dimensions} (growth vector {growth})"
        + (f"; {_number(test.integrable, 'condition')} on the position." if test.integrable else ".")
    )
    hidden = test.integrable - (len(found.positions) - sum(each.row in found.positions for each in found.redundant))
    hidden -= len(test.holonomic or ())
    if found.here is not None:
        hidden += sum(each.row in found.positions for each in found.here.redundant)
    if hidden > 0:
        ways = _number(hidden, "combination")
        yield f"{ways} of the constraints on speeds can be integrated, though none of them alone."


def _on_the_pose(found: Diagnosis, here: Here) -> Iterator[str]:
    where = found.pose if found.pose in ("home", "the given pose") else f"pose '{found.pose}'"
    if not here.is_assembled:
        worst = sorted(here.off, key=lambda name: -abs(here.off[name]))
        sizes = {name: f"'{name}' is off by {here.off[name]:.3g}" for name in worst}
        yield (
            f"cannot be assembled from {where}: at the nearest pose found, {_state(here.coordinates)}, "
            f"{_listed(sizes.values())}. Check lengths and places, or start nearer to an assembled pose."
        )
        return
    if here.moved:
        ends = [f"{name} from {old:.6g} to {new:.6g}" for name, (old, new) in here.moved.items()]
        yield f"to assemble it from {where}, move {_listed(ends)}."
    for each in here.redundant:
        yield f"redundant wherever it is assembled (overconstrained): {_follows(each)}"
    if here.redundant:
        yield (
            "the forces of these constraints cannot be told apart, and small errors of lengths would lock the "
            "mechanism: remove them, or close the loop with a joint that leaves more free."
        )
    if here.contradictory and not found.contradictory:
        yield f"at {where} no speeds keep these together: {_listed(here.contradictory)}."
    if found.is_shaky:
        yield (
            f"at {where} the constraints leave {_number(len(found.speeds) - here.rank, 'speed')} free, "
            "but no pose nearby keeps them: the mechanism is shaky, and does not move."
        )
    if found.is_singular:
        lost = (here.around or 0) - here.rank
        yield (
            f"{where} is singular, a dead point: of the constraints that are independent around it {lost} "
            f"{'is' if lost == 1 else 'are'} not so there. Start somewhere else, or expect the motion to branch."
        )
    if here.locks and not found.driven:
        one = "" if len(here.locks) == 1 else "one of "
        yield f"nothing can move; to set something free, take away {one}{_quoted(here.locks)}."
    elif not found.freedom and not found.driven and not found.is_shaky:
        yield "nothing can move."
    if here.dependent and here.independent and not found.is_shaky:
        yield f"choose as independent: {_listed(here.independent)}; the others follow: {_listed(here.dependent)}."


def _follows(each: Dependence) -> str:
    if not each.of:
        return f"'{each.row}' asks nothing of the speeds."
    return f"'{each.row}' follows from {_quoted(each.of)}."


def _number(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def _listed(words: Iterable[str]) -> str:
    return listed(words, _MOST)


def _quoted(names: Iterable[str]) -> str:
    return _listed(f"'{name}'" for name in names)


def _state(values: Mapping[str, float]) -> str:
    return _listed(f"{name} = {value:.4g}" for name, value in values.items())
