"""What is stored on disk between runs, in three kinds of entry.

- What a model file led to: the digest of its model, the keys of its derivations, and a synopsis of each. A file that is
  listed was read without complaint, and so were its equations derived, by this very polhode.
- A function of a derivation: its parameters, its program, and the digest of that program.
- The code of a program: for one state, and, stored when it was first wanted, for many states or for a loop
  (`native.stored_code`).

Each is stored under the content of the source that it follows from (`files.version`): a changed formalism derives anew,
and where that leads to the same program, its code is found. No equations, plan or compiler are needed to load it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..codegen.ir.program import Array, Outline, Program
from ..dynamics.synopsis import Synopsis
from ..errors import Problem
from ..files.cache import UNREADABLE, default_cache
from ..files.version import key_of, source_digest
from ..formats.model_file import ModelFile
from ..native.backends import stored_native
from ..native.compiled import Compiled, compile_program
from ..native.stored_code import PROGRAM, CodeStore, Entry, count
from .catalogue import Planned, plan_of

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation
    from .closed_loop import Laws
    from .quantities import FunctionKey


# ---- what a model file led to ----------------------------------------------------------------------------------


def known_file(key: str) -> tuple[str, Mapping[str, Synopsis], tuple[Problem, ...]] | None:
    """The digest of the model, the synopses of its derivations, the reader's warnings; None if it is not stored."""
    payload = default_cache().find(key)
    if payload is None:
        return None
    try:
        content = json.loads(payload)
        synopses = {str(derivation): Synopsis.read(data) for derivation, data in content["derivations"].items()}
        return str(content["model"]), synopses, tuple(Problem(*map(str, doubt)) for doubt in content["doubts"])
    except (*UNREADABLE, AttributeError):
        return None


def _remember_file(derivation: Derivation) -> None:
    """Store the synopses of the derivations from a file."""
    file = derivation.source
    if not isinstance(file, ModelFile) or not file.key or derivation.rows is not None:
        return
    digest, past, _ = known_file(file.key) or ("", {}, ())
    if digest != file.digest or derivation.key not in past:
        records = {key: s.data for key, s in sorted({**past, derivation.key: derivation.synopsis}.items())}
        doubts = [[doubt.message, doubt.place, doubt.cure, doubt.code] for doubt in file.doubts]
        content = {"model": file.digest, "derivations": records, "doubts": doubts}
        default_cache().store(file.key, json.dumps(content).encode())


# ---- a compiled function ---------------------------------------------------------------------------------------


class StoredFunction:
    """A function of a derivation: from the disk where it is known, else planned, compiled and stored."""

    def __init__(self, derivation: Derivation, name: FunctionKey, bake: bool, laws: Laws | None = None) -> None:
        self.derivation, self.name, self.bake, self.laws = derivation, name, bake, laws
        self.facts: Facts | None = None  # once it is compiled
        more = [source_digest(type(name)), *([] if laws is None else [laws.digest])]
        self._store = CodeStore(default_cache(), key_of(derivation.key, repr(name), str(bake), *more))
        self._plan: Planned | None = None

    def plan(self) -> Planned:
        """Its plan; a new one is stored without code, which is compiled at its first use."""
        if self._plan is None:
            self._plan = self._store.read_or_make(PROGRAM, self._new_entry, self._plan_in)
        return self._plan

    def _plan_in(self, entry: Entry) -> Planned:
        from ..codegen.ir.serialise import load_program

        names = tuple(Facts.read(entry.facts).parameters)
        return self._plan or Planned(load_program(entry.program.decode()), names)

    def compiled(self, backend: str) -> Compiled:
        """The function as native code, or by the backend that works here if LLVM does not."""
        facts = self._store.read_or_make(PROGRAM, self._new_entry, lambda entry: Facts.read(entry.facts))
        self.facts = facts

        def program() -> Program:
            return self.plan().program

        store = CodeStore(default_cache(), facts.program)
        try:
            native = None if facts.is_bound else stored_native(program, store, facts.outline.saved)
        except OSError:  # LLVM does not work here
            native = None
        if native is None:
            return compile_program(program(), backend=backend)
        return Compiled(facts.outline, native, (True, backend), program, store)

    def _new_entry(self) -> Entry:
        """The program and the function's facts, as an entry of the store."""
        from ..codegen.ir.calls import user_functions
        from ..codegen.ir.serialise import dump_program

        self._plan = plan_of(self.derivation.equations, self.name, self.bake, laws=self.laws)
        _remember_file(self.derivation)
        program, table = self._plan.program, self.derivation.model.parameters
        values = {key: table[key].value for key in self._plan.parameters}
        text = dump_program(program)
        facts = {
            "outline": asdict(program.outline),
            "parameters": [[key, None if value is None else float(value).hex()] for key, value in values.items()],
            "quaternions": list(self.derivation.equations.quaternions),
            "program": key_of(text),
            "bound": bool(user_functions(program)),
        }
        return Entry(facts, text.encode())


@dataclass(frozen=True)
class Facts:
    """What the entry of a function says, checked: what it takes and gives, the parameters in order with the model's
    values (None where it has none), where unit quaternions begin among the coordinates, the digest of its program."""

    outline: Outline
    parameters: Mapping[str, float | None]
    quaternions: tuple[int, ...]
    program: str
    is_bound: bool  # to this process: it calls functions that no other has

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
            str(given["program"]),
            given["bound"] is True,
        )
