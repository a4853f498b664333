"""From a model file to functions without reading the file, deriving or compiling, where all that was done before.

What `load` then returns is a System that is read when somebody looks at it; its equations are derived when somebody
looks at them. To compile them takes neither: their functions lie on disk under a mark (see
`compiled.store.functions`), and the mark under the content of the file (see `compiled.store.origins`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from ...files.reading import read_file
from ...files.version import stamp, word_of
from .deferred import Deferred, become
from .origins import marks_of

if TYPE_CHECKING:
    from ...dynamics.equations import Equations
    from ...model import Model, System
    from ..functions import Functions

#: Files whose content is all that their reader reads.
_ALONE = (".urdf",)

_SIZE_LIMIT = 20_000_000


def load(path: str | os.PathLike[str], **options: Any) -> System:
    """The mechanism of a file, read now or, where it was read before, when it is looked at."""
    content = _content(path)
    word = _word(content, options)
    if not word:
        return _read(path, options)
    marks = marks_of(word)
    if marks is not None:
        return cast("System", Unread(Reading(path, {**options, "content": content}, word), marks))
    return Reading(path, {**options, "content": content}, word).system()


class Reading:
    """A file's content and how to read it, read once for all that need it."""

    def __init__(self, path: str | os.PathLike[str], options: dict[str, Any], word: str) -> None:
        self._path, self._options, self._word = path, options, word
        self._model: Model | None = None
        self._lock = Lock()

    def system(self) -> System:
        """The System, with tables of its own."""
        from ...model import System

        with self._lock:
            if self._model is None:
                self._model = replace(_read(self._path, self._options).model(), origin=self._word)
        return System.of(self._model)


class Unread(Deferred):
    """A System that is known to be one; it is read when it is looked at."""

    def __init__(self, reading: Reading, marks: dict[str, str]) -> None:
        super().__init__(reading.system, _system_type, start=(reading, marks))

    def derive(self, formalism: str = "auto", *more: Any, **options: Any) -> Equations:
        """The equations of motion: known ones, which are derived when they are looked at, or those of the System."""
        # Another thread may just have looked at it.
        reading, marks = vars(self).get("start", (self, {}))
        if more or options or formalism not in marks:
            become(self)
            return self.derive(formalism, *more, **options)  # by then the System's own
        return cast("Equations", Underived(lambda: reading.system().derive(formalism), marks[formalism]))


class Underived(Deferred):
    """Equations that are known to exist; they are derived when they are looked at."""

    mark: str

    def __init__(self, derive: Callable[[], Equations], mark: str) -> None:
        super().__init__(derive, _equations_type, mark=mark)

    def compile(self, *, bake: bool = False, cache: bool = True, backend: str = "auto") -> Functions:
        """Native functions, out of the cache without a look at the equations."""
        from ..functions import Functions

        return Functions(cast("Equations", self), bake=bake, cache=cache, backend=backend)


def _system_type() -> type:
    from ...model import System

    return System


def _equations_type() -> type:
    from ...dynamics.equations import Equations

    return Equations


def _read(path: str | os.PathLike[str], options: dict[str, Any]) -> System:
    from ...formats import load

    return load(path, **options)


def _content(path: str | os.PathLike[str]) -> bytes:
    """What is in the file, or nothing where its reader had better look itself and say what is wrong."""
    try:
        name = os.fspath(path)
        return read_file(name, _SIZE_LIMIT) if str(name).lower().endswith(_ALONE) else b""
    except (OSError, TypeError, ValueError):
        return b""


def _word(content: bytes, options: dict[str, Any]) -> str:
    """One word for a file and how it is read, or none where it is not plain."""
    if not content.strip() or not {"limits", "content"}.isdisjoint(options):
        return ""
    try:
        told = json.dumps(options, default=os.fspath)
    except (TypeError, ValueError):
        return ""
    return word_of(stamp(), "origin", told, sha256(content).hexdigest())
