"""An object that is made when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

#: One for all: what is made may itself look at something deferred.
_MAKING = RLock()


_set_type = vars(object)["__class__"].__set__


class Deferred:
    """Stands for what `make` will give, and becomes it, in place, when anybody looks at it.

    What a subclass defines is answered without; whatever else is asked for, or set, makes the object first. From then
    on it is of the made object's type and has its attributes.

    >>> class Stone:
    ...     def __init__(self):
    ...         print("made")
    ...         self.mass = 2
    >>> later = Deferred(Stone)
    >>> later.mass
    made
    2
    >>> later.mass, type(later) is Stone
    (2, True)
    """

    def __init__(self, make: Callable[[], object], **known: Any) -> None:
        vars(self).update(known, _make=make)

    @property
    def __class__(self) -> type:
        return _become(self)

    @__class__.setter
    def __class__(self, kind: type) -> None:
        _set_type(self, kind)

    def __getattr__(self, name: str) -> Any:
        _become(self)
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        _become(self)
        setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        _become(self)
        return bool(self == other)

    def __hash__(self) -> int:
        _become(self)
        return hash(self)

    def __repr__(self) -> str:
        _become(self)
        return repr(self)

    def __dir__(self) -> list[str]:
        _become(self)
        return dir(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        _become(self)
        return self.__reduce_ex__(protocol)


def _become(deferred: Deferred) -> type:
    """Make the object, once however many threads ask, and turn into it."""
    with _MAKING:
        if issubclass(type(deferred), Deferred):
            made = vars(deferred)["_make"]()
            attributes = vars(deferred)
            attributes.clear()
            attributes.update(vars(made))
            object.__setattr__(deferred, "__class__", type(made))
    return type(deferred)
