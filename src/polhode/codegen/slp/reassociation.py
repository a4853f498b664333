"""Reassociation: a program as sums of many terms, products and functions, with signs beside what they belong to.

How a sum is bracketed, and in which order its terms come, is chance. Flattened, isomorphic sums look alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ir.ops import live_run
from ..ir.program import Program

_CHAIN = ("add", "sub", "neg")


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the run part: Σ ± args, ± a·b, or an operation on args (whose signs are then all plus)."""

    op: str
    args: tuple[int, ...]
    signs: tuple[int, ...]

    @property
    def commutes(self) -> bool:
        return self.op in ("sum", "mul")


def reassociated(program: Program) -> dict[int, Node]:
    """The live values of the run part by slot, operands first; a sum that serves only a larger one is part of that."""
    first, run = program.first_run, program.run
    wanted = live_run(program)
    inner = _inner(program, wanted)
    nodes: dict[int, Node] = {}
    for slot, step in enumerate(run, first):
        if slot not in wanted or slot in inner:
            continue
        if step.op in _CHAIN:
            nodes[slot] = _sum(program, slot, inner)
        elif step.op == "mul":
            (a, s), (b, t) = (without_negations(program, arg) for arg in step.args)
            nodes[slot] = Node("mul", (a, b), (s * t, 1))
        else:
            nodes[slot] = Node(step.op, step.args, (1,) * len(step.args))
    return nodes


def without_negations(program: Program, slot: int, sign: int = 1) -> tuple[int, int]:
    """A slot without negations around it, and the resulting sign."""
    first = program.first_run
    while slot >= first and program.run[slot - first].op == "neg":
        slot, sign = program.run[slot - first].args[0], -sign
    return slot, sign


def _inner(program: Program, wanted: frozenset[int]) -> frozenset[int]:
    """Sums and negations that are used once, by a sum."""
    first = program.first_run
    uses: dict[int, int] = {}
    served: set[int] = set()
    for output in program.outputs:
        for slot in output.slots:
            uses[slot] = 2
    for slot, step in enumerate(program.run, first):
        if slot in wanted:
            for arg in step.args:
                uses[arg] = uses.get(arg, 0) + 1
            if step.op in _CHAIN:
                served.update(step.args)
    return frozenset(
        slot for slot in served if slot >= first and uses[slot] == 1 and program.run[slot - first].op in _CHAIN
    )


def _sum(program: Program, root: int, inner: frozenset[int]) -> Node:
    terms: list[tuple[int, int]] = []
    stack = [(root, 1)]
    while stack:
        slot, sign = stack.pop()
        if slot != root and slot not in inner:
            terms.append(without_negations(program, slot, sign))
            continue
        step = program.run[slot - program.first_run]
        if step.op == "neg":
            stack.append((step.args[0], -sign))
        else:
            stack += [(step.args[1], -sign if step.op == "sub" else sign), (step.args[0], sign)]
    return Node("sum", tuple(slot for slot, _ in terms), tuple(sign for _, sign in terms))


def isomorphism_classes(program: Program, values: Mapping[int, Node]) -> dict[int, int]:
    """Isomorphism class of each slot: values of one shape, whatever their signs, constants and inputs of one array."""
    class_of: dict[int, int] = dict.fromkeys(range(program.first_input), 0)
    for number, array in enumerate(program.arrays):
        class_of.update(dict.fromkeys(program.slots_of(array.name), number + 2))
    class_of.update(dict.fromkeys(range(program.first_parameter, program.first_run), 1))
    classes: dict[tuple[str, tuple[int, ...]], int] = {}
    base = len(program.arrays) + 2
    for slot, node in values.items():
        parts = [class_of[arg] for arg in node.args]
        key = node.op, tuple(sorted(parts) if node.commutes else parts)
        class_of[slot] = classes.setdefault(key, base + len(classes))
    return class_of


def users_of(values: Mapping[int, Node]) -> dict[int, list[int]]:
    """For each slot the values that read it."""
    users: dict[int, list[int]] = {}
    for slot, node in values.items():
        for arg in dict.fromkeys(node.args):
            users.setdefault(arg, []).append(slot)
    return users


def use_hashes(
    values: Mapping[int, Node], shape: Mapping[int, int], users: Mapping[int, Sequence[int]], depth: int
) -> list[dict[int, int]]:
    """For each number of steps up to `depth` a hash of the uses of each value within so many steps."""
    numbers: dict[tuple[object, ...], int] = {}
    last: dict[int, int] = dict.fromkeys(values, 0)
    hashes = [last]
    for _ in range(depth):
        deeper: dict[int, int] = {}
        for slot in values:
            seen = sorted(
                (values[user].op, _beside(values[user], slot, shape), last[user]) for user in users.get(slot, ())
            )
            deeper[slot] = numbers.setdefault(tuple(seen), len(numbers) + 1)
        last = deeper
        hashes.append(last)
    return hashes


def _beside(node: Node, slot: int, shape: Mapping[int, int]) -> tuple[int, ...]:
    """The shapes of the other factors of products of a value."""
    return () if node.op == "sum" else tuple(sorted(shape[arg] for arg in node.args if arg != slot))
