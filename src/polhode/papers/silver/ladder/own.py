"""The ladder on a mechanism of one's own: what each method costs there, as a pencil counts it and as it is planned.

as written      every rotation, offset and inertia full of numbers, as the papers count; of the mechanism only the
                shape of its tree and the kinds of its joints
with its zeros  the same lines, but a product with a 0, 1 or -1 of this mechanism costs nothing, nor a sum with 0
planned         derived on the graph and planned: what is shared, factored or known beforehand is not paid again
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ....errors import PolhodeError, check_kind
from ....expr import quiet_collector
from ....formalisms.uicker_kahn import only_single_joints
from ....kinematics.tree import Tree, build_tree
from ....model.model import Model
from ....model.system import System
from .planned import customised
from .report import Rung, aligned
from .table_3 import OURS, TABLE_3, Method, known
from .written import Count, as_written_on

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
            rows.append((rung.method.authors, *("–" if each is None else str(each) for each in counts)))
        return rows

    def as_json(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        parts = ("printed", "written", "with_zeros", "planned")
        return {
            "system": self.system,
            "joints": self.joints,
            "rungs": [
                {
                    "method": rung.method.authors,
                    "formalism": rung.method.formalism,
                    **{
                        part.replace("_", " "): None if (count := getattr(rung, part)) is None else asdict(count)
                        for part in parts
                    },
                }
                for rung in self.rungs
            ],
        }

    def __str__(self) -> str:
        return aligned(self.table())


def ladder_of(system: System | Model) -> OwnLadder:
    """Count every method of the ladder on a mechanism: any tree of joints with one degree of freedom each.

    >>> from polhode.papers.silver.ladder import general_arm
    >>> arm = ladder_of(general_arm(2))
    >>> str(arm["silver"].written), str(arm["silver"].with_zeros)
    ('130 / 99', '118 / 86')
    """
    check_kind(System | Model, "a system", system, "ladder", "Give a System, or its model().")
    model = system.model() if isinstance(system, System) else system
    if len(model.joints) == 0:
        raise PolhodeError(
            "there is no joint to count operations of.", place=f"system '{model.name}'", cure="Add one.",
            code="E-LADDER-004",
        )  # fmt: skip
    if model.constraints:
        raise PolhodeError(
            "the methods of the ladder are for open chains and trees, and this mechanism has constraints.",
            place=f"constraint '{next(iter(model.constraints))}'",
            cure="See `compare`, which counts constrained mechanisms too.",
            code="E-LADDER-003",
        )
    model = replace(model, loads=())  # they are no part of the methods, and cost the same in each
    with quiet_collector():
        tree = build_tree(model)
        only_single_joints(tree, "every method of the ladder")
        methods = [method for method in (*TABLE_3, OURS) if method.formalism is not None]
        return OwnLadder(model.name, len(tree.u), tuple(_rung(method, model, tree) for method in methods))


def _rung(method: Method, model: Model, tree: Tree) -> OwnRung:
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
