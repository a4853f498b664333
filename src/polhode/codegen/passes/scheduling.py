"""The order of instructions: values are made shortly before they are used, and few are alive at a time.

A list schedule: of the instructions whose operands are there, the one that ends the lives of most operands goes next,
among equals the one whose operands are freshest. The same program always gives the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

#: Longer programs, which are split into functions, run faster (by a tenth or more, measured) in the order of writing.
LONGEST = 40_000


def schedule(operands: Sequence[Sequence[int]]) -> list[int]:
    """An order for instructions, given for each the earlier instructions that it reads."""
    count = len(operands)
    if count > LONGEST:
        return list(range(count))
    reads = [tuple(dict.fromkeys(args)) for args in operands]
    waiting = [len(args) for args in reads]
    uses = [0] * count
    users: list[list[int]] = [[] for _ in range(count)]
    for k, args in enumerate(reads):
        for arg in args:
            uses[arg] += 1
            users[arg].append(k)
    made_at = [0] * count
    done = [False] * count

    def rank(k: int) -> tuple[int, int, int]:
        ended = sum(uses[arg] == 1 for arg in reads[k])
        freshest = max((made_at[arg] for arg in reads[k]), default=0)
        return -ended, -freshest, k

    heap: list[tuple[int, int, int]] = []
    for k in range(count):
        if not waiting[k]:
            heappush(heap, rank(k))
    order: list[int] = []
    while heap:
        entry = heappop(heap)
        k = entry[2]
        if done[k]:
            continue
        now = rank(k)
        if now > entry:  # it was better when it was filed
            heappush(heap, now)
            continue
        done[k] = True
        order.append(k)
        made_at[k] = len(order)
        again = [user for user in users[k] if _is_ready(user, waiting)]
        for arg in reads[k]:
            uses[arg] -= 1
            if uses[arg] == 1:
                again += [user for user in users[arg] if not done[user] and not waiting[user]]
        for user in dict.fromkeys(again):
            heappush(heap, rank(user))
    return order


def _is_ready(user: int, waiting: list[int]) -> bool:
    """Take one operand off what an instruction waits for; whether none is left."""
    waiting[user] -= 1
    return not waiting[user]
