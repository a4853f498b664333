"""What is stored on disk between runs, in two kinds of entry.

- What a model file led to: the digest of its model, the keys of its derivations, and a synopsis of each. A file that is
  listed was read without complaint, and so were its equations derived, by this very polhode.
- A compiled function of a derivation: its parameters, its program, and its code for one state. It is loaded without
  equations, plan or compiler. Code for many states, or for a loop, is another part of the function, stored when it was
  first wanted (`native.stored_code`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..codegen.ir.program import Array, Outline, Program
from ..dynamics.synopsis import Synopsis
from ..errors import Problem
from ..files.cache import UNREADABLE, default_cache
from ..files.version import key_of
from ..formats.model_file import ModelFile
from ..native.backends import LaneFacts, Native, lane_code, scalar_entry
from ..native.compiled import Compiled, compile_program
from ..native.stored_code import ONE_STATE, CodeStore, Entry, count
from .planning import Planned, plan_of

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation
    from ..native.stored_code import Code
    from .closed_loop import Laws
    from .quantities import Asked


# ---- what a model file led to ----------------------------------------------------------------------------------


def known_file(key: str) -> tuple[str, Mapping[str, Synopsis], tuple[Problem, ...]] | None:
    """The digest of the model, the synopses of its derivations, what its reader warned of; None if it is not known."""
    payload = default_cache().find(key)
    if payload is None:
        return None
    try:
        found = json.loads(payload)
        made = {str(each): Synopsis.read(data) for each, data in found["derivations"].items()}
        return str(found["model"]), made, tuple(Problem(*map(str, each)) for each in found["doubts"])
    except (*UNREADABLE, AttributeError):
        return None


def _remember_file(derivation: Derivation) -> None:
    """Note what the file of a derivation led to."""
    file = derivation.source
    if not isinstance(file, ModelFile) or not file.key or derivation.rows is not None:
        return
    digest, known, _ = known_file(file.key) or ("", {}, ())
    if digest != file.digest or derivation.key not in known:
        told = {key: each.data for key, each in sorted({**known, derivation.key: derivation.synopsis}.items())}
        doubts = [[each.message, each.place, each.cure, each.code] for each in file.doubts]
        content = {"model": file.digest, "derivations": told, "doubts": doubts}
        default_cache().store(file.key, json.dumps(content).encode())


# ---- a compiled function ---------------------------------------------------------------------------------------


class StoredFunction:
    """A function of a derivation: from the disk where it is known, else planned, compiled and stored."""

    def __init__(self, derivation: Derivation, name: Asked, bake: bool, laws: Laws | None = None) -> None:
        self.derivation, self.name, self.bake, self.laws = derivation, name, bake, laws
        self.facts: Facts | None = None  # once it is compiled
        more = [] if laws is None else [laws.digest]
        self._store = CodeStore(default_cache(), key_of(derivation.key, repr(name), str(bake), *more))
        self._plan: Planned | None = None
        self._lacks_llvm = False

    def plan(self) -> Planned:
        """Its plan; one that is made here is stored without code, which is compiled when it is wanted."""
        if self._plan is None:
            self._plan = self._store.read_or_make(ONE_STATE, self._planned, self._plan_in)
        return self._plan

    def compiled(self, backend: str) -> Compiled:
        """The function as native code, or by the backend that works here if LLVM does not."""
        facts, code = self._store.read_or_make(ONE_STATE, self._with_code, self._loaded)
        self.facts = facts
        if code is None:
            return compile_program(self.plan().program, backend=backend)

        def program() -> Program:
            return self.plan().program

        of_lanes = partial(lane_code, program, self._store)
        side_by_side = facts.in_lanes.are_faster, facts.in_lanes.round_alike
        native = Native("llvm", facts.outline.saved, code, of_lanes, facts.lanes, *side_by_side)
        return Compiled(facts.outline, native, (True, backend), program, self._store)

    def _planned(self) -> Entry:
        """All but the code."""
        from ..codegen.ir.serialise import dump_program

        if self._plan is None:
            self._plan = plan_of(self.derivation.equations, self.name, self.bake, laws=self.laws)
        program, table = self._plan.program, self.derivation.model.parameters
        values = {key: table[key].value for key in self._plan.parameters}
        facts = {
            "outline": asdict(program.outline),
            "parameters": [[key, None if value is None else float(value).hex()] for key, value in values.items()],
            "quaternions": list(self.derivation.equations.quaternions),
        }
        return Entry(facts, dump_program(program).encode())

    def _plan_in(self, entry: Entry) -> Planned:
        from ..codegen.ir.serialise import load_program

        names = tuple(str(name) for name, _ in entry.facts["parameters"])
        return self._plan or Planned(load_program(entry.program.decode()), names)

    def _with_code(self) -> Entry:
        """The entry with code; without, where LLVM does not work, or where only this process knows what it calls."""
        from ..codegen.ir.calls import user_functions
        from ..native.engine import host

        entry = self._planned()
        _remember_file(self.derivation)
        program = self.plan().program
        if user_functions(program):
            return replace(entry, facts={**entry.facts, "code": None})
        try:
            return scalar_entry(program, replace(entry, facts={**entry.facts, "lanes": host().lanes}))
        except OSError:
            self._lacks_llvm = True
            return entry

    def _loaded(self, entry: Entry) -> tuple[Facts, Code | None]:
        """What is known of the function, and its code, None where it has none that other processes can run."""
        facts = Facts.read(entry.facts)
        if entry.facts.get("code"):
            return facts, entry.load()
        self._plan = self._plan_in(entry)
        if "code" not in entry.facts and not self._lacks_llvm:
            raise ValueError("it is planned, and not compiled")
        return facts, None


@dataclass(frozen=True)
class Facts:
    """What the entry of a function says, checked: what it takes and gives, the parameters in order with the model's
    values (None where it has none), where unit quaternions begin among the coordinates."""

    outline: Outline
    parameters: Mapping[str, float | None]
    quaternions: tuple[int, ...]
    lanes: int
    in_lanes: LaneFacts

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Facts:
        outline = given["outline"]
        return cls(
            Outline(
                name=str(outline["name"]),
                arrays=tuple(Array(str(array["name"]), count(array["size"])) for array in outline["arrays"]),
                parameters=count(outline["parameters"]),
                outputs=tuple((str(name), tuple(map(count, shape))) for name, shape in outline["outputs"]),
                saved=count(outline["saved"]),
                length=count(outline["length"]),
            ),
            {str(name): None if value is None else float.fromhex(value) for name, value in given["parameters"]},
            tuple(map(count, given["quaternions"])),
            count(given.get("lanes", 1)),
            LaneFacts.read(given),
        )
