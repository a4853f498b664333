"""From a model file to functions without reading the file, deriving or compiling, where all that was done before.

What `load` returns is then a System that is read when somebody looks at it; its equations are derived when somebody
looks at them. To compile them takes neither: their functions are in the store under the derivation's key, which follows
from the digest of the model, and that is in the store under the content of the file.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..compiled.store import known_file
from ..files.reading import read_file
from ..files.version import key_of, version_digest
from ..formats.model_file import ModelFile
from ..model.system import System

if TYPE_CHECKING:
    from typing import Unpack

    from ..formats.options import ReaderOptions
    from ..model import System

#: Files whose content is all that their reader reads.
_ALONE = (".urdf",)

_SIZE_LIMIT = 20_000_000


def load(path: str | os.PathLike[str], **options: Unpack[ReaderOptions]) -> System:
    """The mechanism of a file, read now or, where it was read before, when it is looked at."""
    content = _content(path)
    read_options = dict(options)
    key = _key(path, content, read_options)
    if not key:
        from ..formats import load

        return load(path, **options)

    stored = known_file(key)
    file = ModelFile(os.fspath(path), content, read_options, key, *(stored or ()))
    system = System.unread(file)
    if stored is None:
        system.model()  # errors of the file are raised here
    if file.doubts:
        from ..formats.findings import tell

        tell(file.doubts)
    return system


def _content(path: str | os.PathLike[str]) -> bytes:
    """The file's content; empty if the reader should open the file itself and report what is wrong."""
    try:
        name = os.fspath(path)
        return read_file(name, _SIZE_LIMIT) if str(name).lower().endswith(_ALONE) else b""
    except (OSError, TypeError, ValueError):
        return b""


def _key(path: str | os.PathLike[str], content: bytes, options: dict[str, Any]) -> str:
    """The key of a file with its name and options; empty if the options are not plain."""
    if not content.strip() or not {"limits", "content"}.isdisjoint(options):
        return ""
    try:
        written = json.dumps(options, default=os.fspath)
    except (TypeError, ValueError):
        return ""
    parts = ascii(os.path.basename(path)), written, sha256(content).hexdigest()
    return key_of(version_digest("equations"), "file", *parts)
