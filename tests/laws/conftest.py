"""A System written down again with changes, for laws that say what a change must not change."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from polhode.model.body import Body
from polhode.model.records import GROUND, Joint
from polhode.model.system import System


def write_again(
    system: System,
    *,
    body: Callable[[Body], Body] = lambda body: body,
    joint: Callable[[Joint], Joint] = lambda joint: joint,
    order: Callable[[Sequence[Joint]], Sequence[Joint]] = lambda joints: joints,
    gravity: Any = None,
    prepare: Callable[[System], None] = lambda system: None,
) -> System:
    """The same system through the public calls, each body and joint passed through a function first.

    `prepare` may add bodies to the new system before the joints are made; loads and frames are taken over as they are.
    """
    copy = System(system.name, gravity=system.gravity if gravity is None else gravity)
    for kind in ("parameters", "inputs"):
        for name, entry in getattr(system, kind).items():
            getattr(copy, kind[:-1])(name, entry.value, entry.unit)
    for old in system.bodies.values():
        if old.name != GROUND:
            new = body(old)
            copy.body(new.name, new.mass, new.com, new.inertia)
    prepare(copy)
    for old_joint in order(list(system.joints.values())):
        new_joint = joint(old_joint)
        copy.joint(
            new_joint.name,
            new_joint.parent,
            new_joint.child,
            new_joint.type,
            at=new_joint.in_parent.p,
            rotation=new_joint.in_parent.R,
            child_at=new_joint.in_child.p,
            child_rotation=new_joint.in_child.R,
            coordinates=[q.name for q in new_joint.q],
            speeds=[u.name for u in new_joint.u],
        )
    for frame in system.frames.values():
        copy.frame(frame.name, body(system.bodies[frame.body]).name, frame.pose.p, frame.pose.R)
    for load in system.loads:
        copy._add("loads", load.name, load)
    return copy


@pytest.fixture
def rewritten() -> Callable[..., System]:
    return write_again
