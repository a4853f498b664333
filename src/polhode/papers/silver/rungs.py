"""The ladder of inverse dynamics: what each method costs, as printed, as written and as planned.

C. Mladenova's Table 3 compares the operations that an arm of n joints takes, from Uicker and Kahn's n⁴ to recursions
that grow with n. `ladder` counts every method of it that polhode has, and that of Stepanenko and Vukobratović (Silver,
1.3), on general arms and on arms as they are built; `ladder_of` counts them on a mechanism of one's own:

    as written      every rotation, offset and inertia full of numbers, as the papers count; of the mechanism only the
                    shape of its tree and the kinds of its joints
    with its zeros  the same lines, but a product with a 0, 1 or -1 of this mechanism costs nothing, nor a sum with 0
    planned         derived on the graph and planned: what is shared, factored or known beforehand is not paid again

Hollerbach (1980) gives Luh, Walker and Paul 150n - 48 multiplications and 131n - 48 additions, 852 / 738 for six
joints; `as_written` counts 122n - 114 and 104n - 109 on the same recursion in Silver's lines, 618 / 515. Both are
pencil counts: no zero of a particular arm is used. `differences` writes the recursion out with every convention that
costs, counts it, and drops each convention in turn:

    z_i  = A_i z_0                                                                               the axis is turned
    ω_i  = A ω_{i-1} + z_i q̇_i
    ω̇_i  = A ω̇_{i-1} + z_i q̈_i + A ω_{i-1} × z_i q̇_i
    v̇_i  = A v̇_{i-1} + ω̇_i × p_i + ω_i × (ω_i × p_i)                                             at the link's far end
           + z_i q̈_i + 2 ω_i × z_i q̇_i                                                           a joint may slide
    F_i  = m_i (v̇_i + ω̇_i × s_i + ω_i × (ω_i × s_i)),    N_i = I_i ω̇_i + ω_i × I_i ω_i
    f_i  = A f_{i+1} + F_i
    n_i  = A n_{i+1} + p_i × A f_{i+1} + (p_i + s_i) × F_i + N_i
    τ_i  = n_i · z_i

With frames at the near ends, offsets are crossed with ω_{i-1}, which is zero at the base, and p + s is not needed.
All four conventions together give both of Hollerbach's formulas exactly. His paper is not at hand: that this is how he
counted is a reading, which the two formulas support and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ...errors import PolhodeError, check_kind, whole_number
from ...expr import Matrix, Vector, quiet_collector
from ...formalisms.uicker_kahn import only_single_joints
from ...kinematics.tree import Tree, build_tree
from ...model.model import Model
from ...model.system import System
from .counts import (
    METHODS,
    Count,
    Formula,
    Method,
    Tally,
    as_written,
    as_written_on,
    customised,
    fitted,
    general_arm,
    known,
    on_the_graph,
    puma_like_arm,
)


@dataclass(frozen=True)
class Rung:
    """One method: its counts for n = 1, 2, … joints, and for arms as they are built."""

    method: Method
    written: tuple[Count, ...] = ()
    graph: tuple[Count, ...] = ()
    built: tuple[tuple[str, Count], ...] = ()

    @property
    def growth(self) -> tuple[Formula | None, Formula | None]:
        """Multiplications and additions as written, as polynomials in n."""
        return _growth(self.written)

    def printed(self, n: int) -> Count | None:
        """Table 3 for n joints, where it prints the whole formula."""
        formulas = self.method.multiplications, self.method.additions
        values = [None if formula is None else formula.at(n) for formula in formulas]
        return None if values[0] is None or values[1] is None else Count(values[0], values[1])


@dataclass(frozen=True)
class Ladder:
    """The methods of Table 3, their ancestor in fixed coordinates, and ours."""

    rungs: tuple[Rung, ...]
    joints: int

    def table(self) -> list[tuple[str, ...]]:
        """Header and rows as text, every count as multiplications / additions."""
        names = next((tuple(name for name, _ in rung.built) for rung in self.rungs if rung.built), ())
        last = f"n = {self.joints}"
        head = ("", "method", "printed", "as written", f"{last}: printed", "as written", "on the graph", *names)
        rows = [head]
        for rung in self.rungs:
            method = rung.method
            formulas = (method.multiplications, method.additions)
            cells = (
                rung.printed(self.joints),
                *(counts[-1] if counts else None for counts in (rung.written, rung.graph)),
            )
            built = dict(rung.built)
            rows.append((
                method.letter,
                method.authors,
                _pair(formulas),
                _pair(rung.growth),
                *(_cell(entry) for entry in (*cells, *(built.get(name) for name in names))),
            ))  # fmt: skip
        return rows

    def by_joints(self) -> list[tuple[str, ...]]:
        """Header and rows as text: each formalism for n = 1, 2, … joints."""
        rows: list[tuple[str, ...]] = [("method", "n", "printed", "as written", "on the graph")]
        for rung in self.rungs:
            for n, (written, graph) in enumerate(zip(rung.written, rung.graph, strict=True), start=1):
                rows.append((rung.method.authors, str(n), _cell(rung.printed(n)), _cell(written), _cell(graph)))
        return rows

    def as_json(self) -> list[dict[str, Any]]:
        """Plain data, for `--json`."""
        return [
            {
                "row": rung.method.letter,
                "method": rung.method.authors,
                "formalism": rung.method.formalism,
                "printed": _pair((rung.method.multiplications, rung.method.additions)),
                "growth": _pair(rung.growth),
                "as written": [asdict(entry) for entry in rung.written],
                "on the graph": [asdict(entry) for entry in rung.graph],
                "customised": {name: asdict(entry) for name, entry in rung.built},
            }
            for rung in self.rungs
        ]

    def __str__(self) -> str:
        return aligned(self.table())


def aligned(table: Sequence[Sequence[str]]) -> str:
    """A table as text, its columns one below the other."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
    return "\n".join(lines)


def _growth(counts: Sequence[Count]) -> tuple[Formula | None, Formula | None]:
    return fitted([count.multiplications for count in counts]), fitted([count.additions for count in counts])


def _pair(formulas: tuple[Formula | None, Formula | None]) -> str:
    return "–" if None in formulas else f"{formulas[0]} / {formulas[1]}"


def _cell(entry: Count | None) -> str:
    return "–" if entry is None else str(entry)


def ladder(n_max: int = 6, *, customise: bool = True) -> Ladder:
    """Count every method of Table 3 for 1 to n_max joints; with `customise`, for two six-joint arms as built too."""
    n_max = whole_number(n_max, "one joint or more", least=1, place="ladder n_max")
    arms = (general_arm().model(), puma_like_arm().model()) if customise else ()
    return Ladder(tuple(_rung(method, n_max, arms) for method in METHODS), n_max)


def _rung(method: Method, n_max: int, arms: Sequence[Model]) -> Rung:
    formalism = method.formalism
    if formalism is None:
        return Rung(method)
    return Rung(
        method,
        tuple(as_written(formalism, n) for n in range(1, n_max + 1)),
        tuple(on_the_graph(formalism, n) for n in range(1, n_max + 1)),
        tuple((system.name, customised(formalism, system)) for system in arms),
    )


# ---- a mechanism of one's own ---------------------------------------------------------------------------------

#: The sum of Uicker and Kahn grows with the fourth power of the depth: it is counted, and planned, up to so many links.
_COUNTED, _PLANNED = 12, 6


@dataclass(frozen=True)
class OwnRung:
    """One method on a mechanism; `printed` is Table 3 for so many joints, None stands for what was not counted."""

    method: Method
    printed: Count | None
    written: Count | None
    with_zeros: Count | None
    planned: Count | None


@dataclass(frozen=True)
class OwnLadder:
    """All methods of Table 3 that are here, and ours, on one mechanism."""

    system: str
    joints: int
    rungs: tuple[OwnRung, ...]

    def __getitem__(self, formalism: str) -> OwnRung:
        """The rung of a formalism."""
        name = known(formalism)
        return next(rung for rung in self.rungs if rung.method.formalism == name)

    def table(self) -> list[tuple[str, ...]]:
        """Header and rows as text, every count as multiplications / additions."""
        rows: list[tuple[str, ...]] = [("method", "printed", "as written", "with its zeros", "planned")]
        for rung in self.rungs:
            counts = (rung.printed, rung.written, rung.with_zeros, rung.planned)
            rows.append((rung.method.authors, *("–" if number is None else str(number) for number in counts)))
        return rows

    def as_json(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        parts = ("printed", "written", "with_zeros", "planned")
        return {
            "system": self.system,
            "joints": self.joints,
            "rungs": [
                {"method": rung.method.authors, "formalism": rung.method.formalism}
                | {part.replace("_", " "): asdict(count) if (count := getattr(rung, part)) else None for part in parts}
                for rung in self.rungs
            ],
        }

    def __str__(self) -> str:
        return aligned(self.table())


def ladder_of(system: System | Model) -> OwnLadder:
    """Count every method of the ladder on a mechanism: any tree of joints with one degree of freedom each."""
    check_kind(System | Model, "a system", system, "ladder", "Give a System, or its model().")
    model = system.model() if isinstance(system, System) else system
    if len(model.joints) == 0:
        raise PolhodeError(
            "there is no joint to count operations of.", place=f"system '{model.name}'", cure="Add one.",
            code="E-PAPER-MISSING",
        )  # fmt: skip
    if model.constraints:
        message = "the methods of the ladder are for open chains and trees, and this mechanism has constraints."
        cure = "See `compare`, which counts constrained mechanisms too."
        raise PolhodeError(message, f"constraint '{next(iter(model.constraints))}'", cure, "E-PAPER-UNSUPPORTED")
    model = replace(model, loads=())  # they are no part of the methods, and cost the same in each
    with quiet_collector():
        tree = build_tree(model)
        only_single_joints(tree, "every method of the ladder")
        methods = [method for method in METHODS if method.formalism is not None]
        return OwnLadder(model.name, len(tree.u), tuple(_own_rung(method, model, tree) for method in methods))


def _own_rung(method: Method, model: Model, tree: Tree) -> OwnRung:
    formalism = method.formalism or ""
    size, long = len(tree.links), formalism == "uicker_kahn"
    counted, planned = not long or size <= _COUNTED, not long or size <= _PLANNED
    return OwnRung(
        method,
        Rung(method).printed(size) if _is_arm(tree) else None,
        as_written_on(formalism, tree, zeros=False) if counted else None,
        as_written_on(formalism, tree, zeros=True) if counted else None,
        customised(formalism, model) if planned else None,
    )


def _is_arm(tree: Tree) -> bool:
    """Whether a tree is what Table 3 counts: hinges one after the other."""
    in_a_row = all(link.parent == i - 1 for i, link in enumerate(tree.links))
    return in_a_row and all(link.H and any(link.H[0][0]) and not any(link.H[0][1]) for link in tree.links)


# ---- between two counts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """Conventions of counting by hand."""

    either_joint: bool = True  # terms of a turn and of a slide for every joint
    far_frames: bool = True  # a link's frame is at its far end: offsets are crossed with its own ω, and p + s is formed
    axis_turned: bool = True  # z_i is three numbers like any others, and A z_0 is formed
    first_link_full: bool = True  # the first link's ω and ω̇, which lie along its axis, are three numbers too

    def count(self, n: int) -> Count:
        """The operations for an arm of n joints."""
        tally = Tally()
        _recursion(self, n, tally)
        return Count(tally.multiplications, tally.additions)

    @property
    def growth(self) -> tuple[Formula | None, Formula | None]:
        """Multiplications and additions as formulas in n."""
        return _growth([self.count(n) for n in range(1, 6)])


def _recursion(reading: Reading, n: int, tally: Tally) -> None:
    """The lines above, on scalars that only count; the base stands, accelerated by gravity."""
    zero = Vector([0, 0, 0])
    w, wd, vd = zero, zero, tally.vector(3)
    A = [tally.matrix(3) for _ in range(n)]
    p, s = ([tally.vector(3) for _ in range(n)] for _ in range(2))
    axes, forces, moments = [], [], []
    for i in range(n):
        z = A[i] @ tally.vector(3) if reading.axis_turned else Vector([0, 0, 1])
        z_qd, z_qdd = z * tally.scalar(), z * tally.scalar()
        if not reading.far_frames:
            vd = vd + wd.cross(p[i]) + w.cross(w.cross(p[i]))
        w, wd, vd = A[i] @ w, A[i] @ wd, A[i] @ vd
        wd = wd + z_qdd + w.cross(z_qd)
        w = w + z_qd
        if i == 0 and reading.first_link_full:
            w, wd = tally.vector(3), tally.vector(3)
        if reading.far_frames:
            vd = vd + wd.cross(p[i]) + w.cross(w.cross(p[i]))
        if reading.either_joint:
            vd = vd + z_qdd + (w + w).cross(z_qd)
        F = (vd + wd.cross(s[i]) + w.cross(w.cross(s[i]))) * tally.scalar()
        I: Matrix = tally.matrix(3)
        axes.append(z)
        forces.append(F)
        moments.append(I @ wd + w.cross(I @ w))
    f, moment = zero, zero
    for i in reversed(range(n)):
        arm = p[i] + s[i] if reading.far_frames else s[i]
        if i < n - 1:
            f, moment = A[i + 1] @ f, A[i + 1] @ moment
        moment = moment + p[i].cross(f) + arm.cross(forces[i]) + moments[i]
        f = f + forces[i]
        _ = moment.dot(axes[i])


@dataclass(frozen=True)
class Difference:
    """A convention that is dropped, and what the count is without it and those before."""

    what: str
    count: Count
    multiplications: Formula | None
    additions: Formula | None


def differences(n: int = 6) -> list[Difference]:
    """Steps from Hollerbach's count of Luh to the counts of Silver's lines here, one convention at a time."""
    whole_number(n, "two joints or more, from which on the formulas hold", least=2, place="differences")
    reading = Reading()
    steps: list[tuple[str, dict[str, Any]]] = [
        ("Hollerbach's count of Luh, Walker and Paul", {}),
        ("no joint slides: z q̈ and 2ω × z q̇ are not formed", {"either_joint": False}),
        ("a link's frame is at its near joint: no p + s, and nothing moves the first offset", {"far_frames": False}),
        ("the axis is the link's own z: it is not turned, and its zeros are not multiplied", {"axis_turned": False}),
        ("the first link turns about its axis alone: two components of ω and ω̇ are zero", {"first_link_full": False}),
    ]
    result = []
    for what, dropped in steps:
        reading = replace(reading, **dropped)
        result.append(Difference(what, reading.count(n), *reading.growth))
    formulas = _growth([as_written("silver", k) for k in range(1, 6)])
    last = "Silver's lines serve any joint: 2ω + z q̇ is added up, and multiplied by nothing"
    return [*result, Difference(last, as_written("silver", n), *formulas)]
