"""What diagnostics find, as plain records, and in words: one finding a sentence, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import listed
from ...notebook import Cell, Shown, Table


@dataclass(frozen=True)
class Dependence:
    """A row that is a combination of others."""

    row: str
    of: tuple[str, ...]


@dataclass(frozen=True)
class Integrability:
    """Growth vector of `dimensions`, and rows on speeds that are `holonomic` or `nonholonomic` (None if undecided)."""

    growth: tuple[int, ...]
    dimensions: int
    holonomic: tuple[str, ...] | None
    nonholonomic: tuple[str, ...] | None

    @property
    def integrable(self) -> int:
        """How many independent combinations of the constraints are conditions on the position."""
        return self.dimensions - self.growth[-1]

    @property
    def is_holonomic(self) -> bool:
        return len(self.growth) == 1


@dataclass(frozen=True)
class PoseReport:
    """Report at the assembled pose: `rank` of the rows there, `around` at reachable poses near it (None if none)."""

    coordinates: Mapping[str, float]
    moved: Mapping[str, tuple[float, float]]
    off: Mapping[str, float]  # rows that could not be brought to zero, and by how much they are off
    rank: int
    around: int | None
    redundant: tuple[Dependence, ...]  # dependent on the constraint surface alone
    contradictory: tuple[str, ...]  # rows that no speeds keep together there
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    locks: tuple[str, ...]  # constraints of which each, if taken away, would set something free

    @property
    def is_assembled(self) -> bool:
        return not self.off


@dataclass(frozen=True)
class Diagnosis(Shown):
    """The state of a mechanism's constraints; `print` it for a report."""

    system: str
    pose: str
    speeds: tuple[str, ...]
    positions: tuple[str, ...]  # rows on coordinates
    velocities: tuple[str, ...]  # rows on speeds
    trivial: tuple[str, ...]  # rows that the tree keeps by itself
    impossible: tuple[str, ...]  # sentences on rows that nothing can bring to zero
    independent: int  # rows that are independent at almost every coordinates
    redundant: tuple[Dependence, ...]  # the others, and what they follow from
    contradictory: tuple[Dependence, ...]  # rows on speeds that others contradict at almost every coordinates
    driven: bool  # whether time moves something
    assumed: tuple[str, ...]  # parameters without a value, taken as one
    integrability: Integrability | None
    here: PoseReport | None
    nonlinear: tuple[str, ...] = ()  # a sentence on rows that are not linear in the speeds
    contacts: tuple[str, ...] = ()  # whether contacts, stops and dry friction hold it at rest at the pose, in sentences

    @property
    def can_be_assembled(self) -> bool:
        """Whether some pose and speeds keep every constraint."""
        here = self.here
        kept = here is not None and here.is_assembled and not here.contradictory
        return kept and not self.impossible and not self.contradictory

    @property
    def freedom(self) -> int:
        """Degrees of freedom: at the assembled pose, or at almost all coordinates if it cannot be assembled."""
        if self.is_shaky:
            return 0
        here = self.here
        return len(self.speeds) - (self.independent if here is None or here.around is None else here.around)

    @property
    def is_shaky(self) -> bool:
        """Whether the pose has infinitesimal freedoms without a finite motion."""
        here = self.here
        return here is not None and here.is_assembled and here.rank < len(self.speeds) and here.around is None

    @property
    def is_singular(self) -> bool:
        """Whether constraints are independent around the pose that are not at it: a dead point."""
        return self.here is not None and self.here.around is not None and self.here.rank < self.here.around

    @property
    def can_move(self) -> bool:
        """Whether something is free, or driven."""
        return self.freedom > 0 or self.driven

    def text(self) -> str:
        """The findings in words."""
        return "\n".join(f"• {line}" if k else line for k, line in enumerate([*_lines(self), *self.contacts]))

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _cell(self) -> Cell:
        """The first sentence, the findings as a table of kind and names, and the state of the coordinates."""
        head, *lines = self.text().splitlines()
        findings = [line.removeprefix("• ").partition(": ") for line in lines]
        rows = [(what if mark else "", rest if mark else what) for what, mark, rest in findings]
        at = {} if self.here is None else self.here.coordinates
        where = Table(["coordinate", "at"], [(name, f"{value:.6g}") for name, value in at.items()], numbers_from=1)
        return Cell(head, [Table(["finding", ""], rows), where])

    def as_json(self) -> dict[str, Any]:
        """The findings as plain data."""
        return {
            **asdict(self),
            "freedom": self.freedom,
            "can_move": self.can_move,
            "can_be_assembled": self.can_be_assembled,
            "is_singular": self.is_singular,
            "is_shaky": self.is_shaky,
            "text": self.text(),
        }


#: A list goes on with "and so many more" after this many names.
_MOST = 12


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield _summary(diagnosis)
    for sentence in diagnosis.impossible:
        yield f"impossible: {sentence} Check where the bodies and frames are, or remove the constraint."
    for row in diagnosis.contradictory:
        yield (
            f"contradictory: '{row.row}' needs other speeds than {_quoted(row.of) or 'rest'}; both can be kept at "
            "special coordinates at most. Remove one of them, or give both the same motion."
        )
    if diagnosis.trivial:
        yield f"kept by the tree itself, and left out: {_listed(diagnosis.trivial)}."
    against = {d.row for d in diagnosis.contradictory}
    off = {*diagnosis.here.off} if diagnosis.here is not None else set()
    for row in diagnosis.redundant:
        if off & {row.row, *row.of}:
            yield f"contradictory: '{row.row}' permits the same motions as {_quoted(row.of)}, but not at one pose."
        elif row.row not in against:
            yield f"redundant everywhere: {_follows(row)} It can be removed."
    yield from diagnosis.nonlinear
    if diagnosis.integrability is not None and (
        diagnosis.positions or diagnosis.velocities or len(diagnosis.integrability.growth) > 1
    ):
        yield from _on_integrability(diagnosis, diagnosis.integrability)
    if diagnosis.here is not None:
        yield from _on_the_pose(diagnosis, diagnosis.here)
    if diagnosis.assumed:
        yield f"parameters without a value were taken as 1: {_listed(diagnosis.assumed)}."


def _summary(diagnosis: Diagnosis) -> str:
    rows = len(diagnosis.positions) + len(diagnosis.velocities)
    counts = f"{_number(len(diagnosis.speeds), 'speed')}, {_number(rows, 'constraint')}"
    if diagnosis.redundant:
        counts += f" of which {diagnosis.independent} {'is' if diagnosis.independent == 1 else 'are'} independent"
    if diagnosis.impossible or diagnosis.contradictory:
        return f"{diagnosis.system}: {counts}; the constraints cannot be kept."
    if diagnosis.here is not None and not diagnosis.here.is_assembled:
        return f"{diagnosis.system}: {counts}; no pose was found that keeps the constraints."
    free = _number(diagnosis.freedom, "degree", "degrees") + " of freedom"
    moves = " (time moves it)" if not diagnosis.freedom and diagnosis.driven else ""
    return f"{diagnosis.system}: {counts}; {free}{moves}."


def _on_integrability(diagnosis: Diagnosis, test: Integrability) -> Iterator[str]:
    if test.holonomic:
        yield (
            f"integrable: {_listed(test.holonomic)} on speeds can be integrated to conditions on the position, "
            "with a constant that the start sets."
        )
    if test.is_holonomic:
        if not test.holonomic and (diagnosis.positions or diagnosis.velocities):
            yield "every constraint is holonomic: a condition on the position."
        return
    growth = ", ".join(map(str, test.growth))
    who = f"{_listed(test.nonholonomic)}" if test.nonholonomic else "its joints"
    yield (
        f"nonholonomic: {who}. {_number(test.growth[0], 'speed')} can be chosen, and manoeuvres reach "
        f"{_number(test.growth[-1], 'dimension')} of {test.dimensions} (growth vector {growth})"
        + (f"; {_number(test.integrable, 'condition')} on the position." if test.integrable else ".")
    )
    hidden = test.integrable - (
        len(diagnosis.positions) - sum(row.row in diagnosis.positions for row in diagnosis.redundant)
    )
    hidden -= len(test.holonomic or ())
    if diagnosis.here is not None:
        hidden += sum(row.row in diagnosis.positions for row in diagnosis.here.redundant)
    if hidden > 0:
        ways = _number(hidden, "combination")
        yield f"{ways} of the constraints on speeds can be integrated, though none of them alone."


def _on_the_pose(diagnosis: Diagnosis, here: PoseReport) -> Iterator[str]:
    where = diagnosis.pose if diagnosis.pose in ("home", "the given pose") else f"pose '{diagnosis.pose}'"
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
    for dependence in here.redundant:
        yield f"redundant wherever it is assembled (overconstrained): {_follows(dependence)}"
    if here.redundant:
        yield (
            "the forces of these constraints are not unique, and small errors of lengths would lock the "
            "mechanism: remove them, or close the loop with a joint that leaves more free."
        )
    if here.contradictory and not diagnosis.contradictory:
        yield f"at {where} no speeds keep these together: {_listed(here.contradictory)}."
    if diagnosis.is_shaky:
        yield (
            f"at {where} the constraints leave {_number(len(diagnosis.speeds) - here.rank, 'speed')} free, "
            "but no pose nearby keeps them: the mechanism is shaky, and does not move."
        )
    if diagnosis.is_singular:
        lost = (here.around or 0) - here.rank
        yield (
            f"{where} is singular, a dead point: of the constraints that are independent around it {lost} "
            f"{'is' if lost == 1 else 'are'} not so there. Start somewhere else, or expect the motion to branch."
        )
    if here.locks and not diagnosis.driven:
        one = "" if len(here.locks) == 1 else "one of "
        yield f"nothing can move; to set something free, take away {one}{_quoted(here.locks)}."
    elif not diagnosis.freedom and not diagnosis.driven and not diagnosis.is_shaky:
        yield "nothing can move."
    if here.dependent and here.independent and not diagnosis.is_shaky:
        yield f"choose as independent: {_listed(here.independent)}; the others follow: {_listed(here.dependent)}."


def _follows(dependence: Dependence) -> str:
    if not dependence.of:
        return f"'{dependence.row}' does not restrict the speeds."
    return f"'{dependence.row}' follows from {_quoted(dependence.of)}."


def _number(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def _listed(words: Iterable[str]) -> str:
    return listed(words, _MOST)


def _quoted(names: Iterable[str]) -> str:
    return _listed(f"'{name}'" for name in names)


def _state(values: Mapping[str, float]) -> str:
    return _listed(f"{name} = {value:.4g}" for name, value in values.items())
