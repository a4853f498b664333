"""Plans: from the graphs of what was asked for to the program that computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..codegen.ir.program import Program
from .catalogue import arrays_of, catalogued
from .quantities import Asked, Outputs, label_of

if TYPE_CHECKING:
    from ..codegen.ir.count import Operations
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr
    from .closed_loop import Laws


@dataclass(frozen=True)
class Planned:
    """A function's program, and the names of the parameters that it takes, in order."""

    program: Program
    parameters: tuple[str, ...]


def plan_of(
    equations: EquationsOfMotion,
    asked: Asked,
    bake: bool = False,
    split_angles: bool = True,
    notes: Mapping[int, str] | None = None,
    laws: Laws | None = None,
) -> Planned:
    """The plan of one function of the catalogue; `z`, `multipliers`, `inputs` and `t` are arguments where they occur.

    With `bake`, parameters that have values become exact constants before the plan is made. `notes` say what values
    mean, by fingerprint. `laws` take the place of efforts and inputs.
    """
    from ..expr import quiet_collector

    wanted, make, _, own_arrays = catalogued(asked)
    with quiet_collector():
        own = own_arrays(equations)
        outputs = make(equations) if laws is None else laws.put_into(make(equations.driven(laws.given)))
        return plan_outputs(equations, label_of(asked), wanted, outputs, bake, split_angles, notes, own)


def plan_outputs(
    equations: EquationsOfMotion,
    label: str,
    wanted: Sequence[str],
    outputs: Outputs,
    bake: bool = False,
    split_angles: bool = True,
    notes: Mapping[int, str] | None = None,
    own_arrays: Mapping[str, list[Expr]] = MappingProxyType({}),
) -> Planned:
    """The plan of any outputs as a function of the wanted arrays; `z`, `inputs` and `t` are added where they occur."""
    from ..codegen.plan import plan
    from ..expr import free_symbols, substitute

    table = equations.system.parameters
    known = {p.symbol: p.value for p in table.values() if bake and p.value is not None}
    if known:
        roots = substitute([root for _, _, entries in outputs for root in entries], known)
        start = 0
        for _, _, entries in outputs:
            entries[:] = roots[start : start + len(entries)]
            start += len(entries)
    if equations.omitted:
        from ..dynamics.omission import without_omitted

        for _, _, entries in outputs:
            entries[:] = without_omitted(equations, label, entries)
    met = set(free_symbols(root for _, _, entries in outputs for root in entries))
    arrays = {**arrays_of(equations), **own_arrays}
    met -= {symbol for key in wanted for symbol in arrays[key]}  # z may be wanted, or be a part of x
    extra = [key for key in ("z", "multipliers", "inputs", "t") if any(symbol in met for symbol in arrays[key])]
    parameters = {key: p.symbol for key, p in table.items() if p.symbol in met}
    program = plan(
        label,
        [(key, arrays[key]) for key in (*wanted, *extra)],
        outputs,
        list(parameters.values()),
        notes,
        split_angles=split_angles,
    )
    return Planned(program, tuple(parameters))


def operations_of(
    equations: EquationsOfMotion, of: Asked = "forward_dynamics", bake: bool = False, split_angles: bool = True
) -> Operations:
    """How many operations a function takes, read off its plan."""
    from ..codegen.ir.count import count

    return count(plan_of(equations, of, bake=bake, split_angles=split_angles).program)
