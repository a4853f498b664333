"""An object that is made when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

#: One for all: what is made may itself look at something deferred.
_MAKING = RLock()


_set_type = vars(object)["__class__"].__set__


class Deferred:
    """Stands for what `make` will give, of the type `kind` gives, and becomes it, in place, when anybody looks at it.

    What a subclass defines is answered without; whatever else is asked for, or set, makes the object first. From then
    on it is of the made object's type and has its attributes.

    >>> class Stone:
    ...     def __init__(self):
    ...         print("made")
    ...         self.mass = 2
    >>> later = Deferred(Stone, lambda: Stone)
    >>> isinstance(later, Stone)
    True
    >>> later.mass
    made
    2
    >>> later.mass, type(later) is Stone
    (2, True)
    """

    def __init__(self, make: Callable[[], object], kind: Callable[[], type], **known: Any) -> None:
        vars(self).update(known, _make=make, _kind=kind)

    @property
    def __class__(self) -> type:
        kind: Callable[[], type] | None = vars(self).get("_kind")
        return type(self) if kind is None else kind()

    @__class__.setter
    def __class__(self, kind: type) -> None:
        _set_type(self, kind)

    def __getattr__(self, name: str) -> Any:
        become(self)
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        become(self)
        setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        become(self)
        return bool(self == other)

    def __hash__(self) -> int:
        become(self)
        return hash(self)

    def __repr__(self) -> str:
        become(self)
        return repr(self)

    def __dir__(self) -> list[str]:
        become(self)
        return dir(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        become(self)
        return self.__reduce_ex__(protocol)


def become(deferred: Deferred) -> None:
    """Make the object, once however many threads ask, and turn into it."""
    with _MAKING:
        attributes = vars(deferred)
        if issubclass(type(deferred), Deferred):
            made = attributes["_make"]()
            attributes.clear()
            attributes.update(vars(made))
            object.__setattr__(deferred, "__class__", type(made))
