"""Plans kept on disk: a mechanism that was planned before is neither derived nor planned again.

The key is made of the equations' mark and of what was asked for; the entry is plain text, checked like compiled code
before it is used.
"""

from __future__ import annotations

import json

from ...codegen.ir.serialise import dump_program, load_program
from ...errors import PolhodeError
from ...files.cache import default_cache
from ...files.version import word_of
from ...formalisms.derivation import Derivation
from ..functions import Planned, plan_of
from ..quantities import Asked


def kept_plan(derivation: Derivation, name: Asked, bake: bool) -> Planned:
    """The plan of a function, from the disk where it is known."""
    key = word_of(derivation.key, "plan", repr(name), str(bake))
    made: list[Planned] = []

    def make() -> bytes:
        made.append(plan_of(derivation.equations, name, bake))
        record = {"parameters": made[0].parameters, "program": dump_program(made[0].program)}
        return json.dumps(record).encode()

    payload = default_cache().get_or_make(key, make)
    if made:
        return made[0]
    try:
        record = json.loads(payload)
        return Planned(load_program(record["program"]), tuple(map(str, record["parameters"])))
    except (ValueError, KeyError, TypeError, PolhodeError):
        return plan_of(derivation.equations, name, bake)
