"""Joints one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import ModelError, check_kind
from .protocol import JointType, Stage


@dataclass(frozen=True, init=False)
class Compound(JointType):
    """Successive joints without bodies between them, from the parent to the child.

    >>> from polhode.model.joints import Prismatic, Revolute
    >>> Compound(Revolute("z"), Prismatic("x")).speeds
    2
    """

    joints: tuple[JointType, ...]

    kind = "compound"
    outermost_first = False

    def __init__(self, *joints: JointType) -> None:
        object.__setattr__(self, "joints", joints)
        for joint in joints:
            _check_part(joint)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(joint.stages[place] for joint in self.joints for place in joint.from_parent)


def _check_part(joint: Any) -> None:
    cure = 'Give joint types, for example Compound(Revolute("x"), Prismatic("z")).'
    check_kind(JointType, "a joint type", joint, "compound joint", cure)
    if joint.nominal is not None:
        raise ModelError(
            f"a {joint.kind} with a nominal orientation cannot be a part of a compound joint.",
            cure="Leave out its axis and reference, or put a massless body between.",
            code="E-BLOCK-006",
        )
