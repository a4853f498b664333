"""Plans kept on disk: a mechanism that was planned before is neither derived nor planned again.

The key is made of the mechanism's digest, what was asked for, and polhode's own source; the entry is plain text,
checked like compiled code before it is used.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

from .codegen.program_text import dump_program, load_program
from .equations import Equations
from .errors import PolhodeError
from .functions import Planned, plan_of
from .model.digest import digest
from .runtime.cache import default_cache


def kept_plan(equations: Equations, name: str, bake: bool) -> Planned:
    """The plan of a function, from the disk where it is known."""
    passes = "usual" if equations.passes is None else ",".join(equations.passes)
    ties = [] if equations.constraints is None else equations.constraints.names
    words = [_source_digest(), digest(equations.system), equations.formalism, passes, name, str(bake)]
    words += [repr(equations.speeds), repr(ties)]
    key = sha256("\n".join(words).encode()).hexdigest()
    made: list[Planned] = []

    def make() -> bytes:
        made.append(plan_of(equations, name, bake))
        record = {"parameters": made[0].parameters, "program": dump_program(made[0].program)}
        return json.dumps(record).encode()

    payload = default_cache().get_or_make(key, make)
    if made:
        return made[0]
    try:
        record = json.loads(payload)
        return Planned(load_program(record["program"]), tuple(map(str, record["parameters"])))
    except (ValueError, KeyError, TypeError, PolhodeError):
        return plan_of(equations, name, bake)


@cache
def _source_digest() -> str:
    """A digest of polhode's own files: a changed polhode plans anew."""
    word = sha256()
    folder = Path(__file__).parent
    for file in sorted(folder.rglob("*.py")):
        word.update(file.relative_to(folder).as_posix().encode())
        word.update(file.read_bytes())
    return word.hexdigest()
