"""Loops over batches, one after the other, in LLVM IR: one call from outside for many of `ph_batch` and `ph_lanes`.

ph_sequence(n, calls)      n calls; each is seven integers: the address of a loop, and its arguments
"""

from __future__ import annotations

from .rows import counted_loop

#: What each call consists of: the address of the loop, then what `ph_batch` takes.
FIELDS = ("function", "count", "ins", "strides", "work", "work_stride", "outs")
_INTEGERS = ("count", "work_stride")


def call_sequence_module() -> str:
    """The module; it serves every program."""
    body = [f"  %row = mul i64 %i, {len(FIELDS)}", "  %call = getelementptr i64, ptr %calls, i64 %row"]
    for offset, name in enumerate(FIELDS):
        kind = "i64" if name in _INTEGERS else "ptr"
        body.append(f"  %{name}.at = getelementptr i64, ptr %call, i64 {offset}")
        body.append(f"  %{name} = load {kind}, ptr %{name}.at, align 8")
    arguments = [f"{'i64' if name in _INTEGERS else 'ptr'} %{name}" for name in FIELDS[1:]]
    body.append(f"  call void %function({', '.join(arguments)})")
    return counted_loop("void @ph_sequence(i64 %n, ptr %calls)", [], body)
