"""What readers take besides a path."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from os import PathLike

    from .robot_file.assembly import Packages
    from .robot_file.markup import Limits
    from .touching import Contacts
    from .urdf.joints import Locked


#: Defaults that differ between readers, as help shows them.
DEFAULTS = {"base": type("Default", (), {"__repr__": lambda self: "'fixed' in URDF, 'floating' in SDF"})()}


class ReaderOptions(TypedDict, total=False):
    """The options of all readers, of which each has some; see `read_urdf`, `read_sdf` and `read_mjcf`."""

    base: str
    symbolic: Sequence[str]
    packages: Packages
    root: str | None
    dynamics: bool
    mimic: str
    locked: Locked
    inertia: str
    massless: str
    snap: float | str
    limits: Limits | None
    content: bytes | None
    srdf: str | PathLike[str] | None
    ignore: Collection[str]
    contacts: Contacts
    stops: Any
    friction: bool
