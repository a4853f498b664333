"""Many runs one after the other in native code: ph_members(run, members).

Each member has a start, a row of the work array (its parameters), rows of the arrays that are its own (efforts, inputs)
and a place for its samples. All else, memory included, is the run's. A member that native code cannot bring to its end
leaves the reason; it is begun from the same place by whoever wants to know more.
"""

from __future__ import annotations

from ..llvm.builder import INTEGER, POINTER, Function, Layout, Record
from .run_record import RUN

#: Arrays that each member may have rows of: the work array, efforts, inputs.
OWN = ("work", "tau", "inputs")

MEMBERS = Layout(
    first=INTEGER, end=INTEGER, starts=POINTER, samples=POINTER, reasons=POINTER, steps=POINTER, evaluations=POINTER,
    most_steps=INTEGER,
    **{f"{name}_rows": POINTER for name in OWN},
    **{f"{name}_stride": INTEGER for name in OWN},
    **{f"{name}_index": INTEGER for name in OWN},
)  # fmt: skip


def members_function(fused: bool) -> Function:
    """Run members first … end - 1 from t = run.t to run.t_end."""
    f = Function("ph_members", fused=fused, run=POINTER, members=POINTER)
    own = f.arguments
    run, members = Record(RUN, own["run"]), Record(MEMBERS, own["members"])
    begin, end = run.t, run.t_end
    with f.loop(members.end, members.first) as member:
        for name in OWN:
            stride = getattr(members, f"{name}_stride")
            with f.when(stride > 0):
                row = getattr(members, f"{name}_rows").at(member * stride)
                run.arguments.store(getattr(members, f"{name}_index"), row, POINTER)
        run.t = begin
        run.t_old = begin
        run.t_end = end
        run.h = 0.0
        run.after_rejection = 0
        run.look = 0
        run.steps = 0
        run.rejected = 0
        run.evaluations = 0
        run.next_sample = 0
        run.budget = members.most_steps
        run.samples = members.samples.at(member * run.sample_count * run.size)
        start = members.starts.at(member * run.size)
        with f.loop(run.size) as i:
            run.x[i] = start[i]
        reason = f.variable(f.call("ph_begin", INTEGER, own["run"]))
        with f.when(reason.value.equals(0)):
            reason.value = f.call("ph_advance", INTEGER, own["run"])
        members.reasons.store(member, reason.value, INTEGER)
        members.steps.store(member, run.steps, INTEGER)
        members.evaluations.store(member, run.evaluations, INTEGER)
    run.t = begin
    return f
