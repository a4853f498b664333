"""The one error type, in the one shape that every message of polhode has.

    arm.yaml:41: joint 'elbow' axis: the axis has zero length.
      A revolute joint needs a direction, for example [0, 0, 1].        [E-JOINT-NUMBER]

A problem says where it is, what is wrong, and how to cure it; an error may carry several problems, so that a
user mends a file in one go.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The folder of this package.
PACKAGE = str(Path(__file__).parent) + os.sep
#: How many names are listed where none is like the one that was asked for.
_LISTED = 12


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: a sentence, its place, its cure and its code."""

    message: str
    place: str = ""
    cure: str = ""
    code: str = ""

    def __str__(self) -> str:
        head = f"{self.place}: {self.message}" if self.place else self.message
        tail = "  ".join(part for part in (self.cure, f"[{self.code}]" if self.code else "") if part)
        return f"{head}\n  {tail}" if tail else head


class PolhodeError(Exception):
    """A wrong model, file, name, value or call; `problems` lists all that was found.

    >>> print(PolhodeError("the axis has zero length.", "joint 'elbow'", "Give a direction."))
    joint 'elbow': the axis has zero length.
      Give a direction.

    >>> PolhodeError("the axis has zero length.", code="E-JOINT-NUMBER").as_json()
    [{'message': 'the axis has zero length.', 'place': '', 'cure': '', 'code': 'E-JOINT-NUMBER'}]
    """

    def __init__(
        self,
        message: str = "",
        place: str = "",
        cure: str = "",
        code: str = "",
        *,
        problems: Iterable[Problem] = (),
    ) -> None:
        listed_problems = tuple(problems)
        self.problems: tuple[Problem, ...] = listed_problems or (Problem(message, place, cure, code),)
        super().__init__("\n".join(map(str, self.problems)))

    def set_place(self, place: str) -> None:
        """Name the place of problems that have none."""
        if not all(problem.place for problem in self.problems):
            self.problems = tuple(replace(problem, place=problem.place or place) for problem in self.problems)
            self.args = ("\n".join(map(str, self.problems)),)

    def as_json(self) -> list[dict[str, str]]:
        """The problems as plain records, for `--json`."""
        return [asdict(problem) for problem in self.problems]


def fault_at(place: str, kind: type[PolhodeError] | None = None) -> Callable[[str, str, str], PolhodeError]:
    """The errors of one place: a function of message, cure and code.

    >>> print(fault_at("load")("the file is empty.", "Write a model.", "E-FILE-NAME"))
    load: the file is empty.
      Write a model.  [E-FILE-NAME]
    """

    def fault(message: str, cure: str, code: str) -> PolhodeError:
        return (kind or PolhodeError)(message, place=place, cure=cure, code=code)

    return fault


def speed_named(key: Any, speeds: Collection[str], coordinates: Collection[str]) -> str | None:
    """The name of a speed from how it is written: its name, or x' where it shares the name of a coordinate x."""
    if key in speeds:
        return str(key)
    name = key[:-1] if isinstance(key, str) and key.endswith("'") else None
    return name if name in speeds and name in coordinates else None


def suggestion(
    name: object, known: Iterable[str], otherwise: str = "", written: Callable[[str], str] = "'{}'".format
) -> str:
    """The cure for an unknown name: similar known ones; else the given cure, or all known ones.

    >>> suggestion("elbw", ["shoulder", "elbow"])
    "Did you mean 'elbow'?"
    >>> suggestion("knee", ["shoulder", "elbow"])
    'Known: shoulder, elbow.'
    """
    from difflib import get_close_matches

    offered = list(dict.fromkeys(known))
    close = get_close_matches(str(name), offered, n=2)
    if close:
        return "Did you mean " + " or ".join(map(written, close)) + "?"
    listed = f"{', '.join(offered[:_LISTED])}{' …' if len(offered) > _LISTED else ''}"
    return otherwise or f"Known: {listed or 'none'}."


def shown(value: object, longest: int = 60) -> str:
    """A value as a message quotes it: short, on one line.

    >>> shown([1] * 1000)
    '[1, 1, 1, 1, 1, 1, ...]'
    """
    from reprlib import Repr

    if hasattr(value, "_short"):  # an expression is whole, or counted
        return str(value._short(longest))
    brief = Repr()
    brief.maxother = brief.maxstring = longest
    text = " ".join(brief.repr(value).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def path_of(value: Any) -> Path:
    """A path that a user gave."""
    with understood("a path", value, cure='Give a path, for example "run.csv".'):
        return Path(value)


@contextmanager
def understood(what: str, value: object, *, place: str = "", cure: str = "") -> Iterator[None]:
    """Read a value that a user gave; if it is of the wrong kind, say so, and name the place of any other problem.

    >>> with understood("a vector", 5, place="body 'bob' com", cure="Give three numbers."):
    ...     x, y, z = 5
    Traceback (most recent call last):
    ...
    polhode.errors.ModelError: body 'bob' com: 5 is not a vector.
      Give three numbers.  [E-CALL-TYPE]
    """
    try:
        yield
    except PolhodeError as error:
        error.set_place(place)
        raise
    except (TypeError, ValueError):
        raise wrong_kind(what, value, place, cure) from None
    except OverflowError:
        raise wrong_kind(what, value, place, cure, "E-CALL-NUMBER") from None


def number(
    value: Any,
    what: str = "a number",
    *,
    above: float = -inf,
    least: float = -inf,
    below: float = inf,
    place: str = "",
    cure: str = "",
) -> float:
    """A finite number within bounds, of which `least` is one of them; anything else is refused, also True and False.

    >>> number("0.1", "a tolerance > 0", above=0.0)
    0.1
    """
    if type(value) in (float, int) and above < value < below and least <= value and abs(value) < 1e300:
        return float(value)
    with understood(what, value, place=place, cure=cure):
        result = float(value)
        if isinstance(value, bool):
            raise TypeError
    if not (above < result < below and least <= result):
        raise wrong_kind(what, value, place, cure, "E-CALL-NUMBER")
    return result


def numbers(
    value: Any, what: str = "numbers", *, dims: Collection[int] = (0, 1, 2), place: str = "", cure: str = ""
) -> NDArray[np.float64]:
    """An array of finite floats with one of these numbers of axes; anything else is refused.

    >>> numbers([1, 2], dims=[1])
    array([1., 2.])
    """
    import numpy as np

    with understood(what, value, place=place, cure=cure):
        if isinstance(value, str):
            raise TypeError
        array = np.array(value, dtype=np.float64)
    if array.ndim not in dims or not np.isfinite(array).all():
        raise wrong_kind(what, value, place, cure, "E-CALL-NUMBER" if array.ndim in dims else "E-CALL-SHAPE")
    return array


def whole_number(
    value: Any, what: str = "a whole number", *, least: float = -inf, most: float = inf, place: str = "", cure: str = ""
) -> int:
    """A whole number from `least` to `most`; anything else is refused, also True and False.

    >>> whole_number(3.0, least=1)
    3
    """
    with understood(what, value, place=place, cure=cure):
        result = int(value)
        if isinstance(value, bool | str):
            raise TypeError
    if result != value or not least <= result <= most:
        raise wrong_kind(what, value, place, cure, "E-CALL-NUMBER")
    return result


def name_list(given: Any, what: str, *, place: str = "", cure: str = "") -> list[str]:
    """The names in a list, or one name alone; anything else is refused.

    >>> name_list("hinge", "a list of joints"), name_list(("a", "b"), "a list of joints")
    (['hinge'], ['a', 'b'])
    """
    with understood(what, given, place=place, cure=cure):
        names = [given] if isinstance(given, str) else list(given)
        if not all(isinstance(name, str) for name in names):
            raise TypeError
    return names


def by_name(given: Any, place: str, what: str = "values by name", cure: str = "Give {name: value}.") -> dict[Any, Any]:
    """What a mapping has, and nothing for None; anything else is refused.

    >>> by_name({"l": 2}, "parameters")
    {'l': 2}
    """
    if given is None:
        return {}
    check_kind(Mapping, what, given, place, cure)
    return dict(given)


def check_kind(kind: Any, what: str, value: object, place: str, cure: str = "") -> None:
    """Raise where a value is of another kind.

    >>> check_kind(bool, "True or False", 5, "bake")
    Traceback (most recent call last):
    ...
    polhode.errors.ModelError: bake: 5 is not True or False.
      Give True or False.  [E-CALL-TYPE]
    """
    if not isinstance(value, kind):
        raise wrong_kind(what, value, place, cure)


def wrong_kind(what: str, value: object, place: str, cure: str = "", code: str = "E-CALL-TYPE") -> ModelError:
    """The error of a value that is of another kind, or of another size, than it must be."""
    return ModelError(f"{shown(value)} is not {what}.", place=place, cure=cure or f"Give {what}.", code=code)


def check_pickles(value: Any, place: str) -> None:
    """Refuse a value to be pickled that contains a function without an importable name, such as a lambda.

    >>> check_pickles({"a": [len]}, "events")
    """
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        for part in value:
            check_pickles(part, place)
    elif "<" in getattr(value, "__qualname__", ""):
        cure = "Define it with def at the top of a module."
        raise PolhodeError(f"{value.__qualname__} does not pickle: no name leads to it.", place, cure, "E-CALL-TYPE")


def installed(name: str, extra: str, what: str = "", *, place: str = "", or_else: str = "", code: str) -> Any:
    """An optional package, or the error that says how to install it.

    >>> installed("json", "data", code="E-FILE-MISSING").loads("[1]")
    [1]
    """
    try:
        return import_module(name)
    except ImportError as error:
        message = f"{what or name.partition('.')[0]} is not installed."
        cure = f'Install it with: pip install "polhode[{extra}]"{or_else}.'
        raise PolhodeError(message, place=place, cure=cure, code=code) from error


def listed(words: Iterable[str], most: int = 6) -> str:
    """Words with commas and an 'and', as many as a sentence bears.

    >>> listed(["a", "b", "c"]), listed("abcd", most=2)
    ('a, b and c', 'a, b and 2 more')
    """
    items = list(words)
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def unknown(
    kind: str,
    name: object,
    known: Iterable[str],
    *,
    code: str = "",
    place: str = "",
    error: type[PolhodeError] | None = None,
) -> PolhodeError:
    """The error of a name that is not known, with those that are like it.

    >>> print(unknown("speed", "elbw", ["shoulder", "elbow"], code="E-RUN-NAME", place="start"))
    start: there is no speed 'elbw'.
      Did you mean 'elbow'?  [E-RUN-NAME]
    """
    word = f"'{name}'" if isinstance(name, str) else shown(name)
    return (error or PolhodeError)(f"there is no {kind} {word}.", place=place, cure=suggestion(name, known), code=code)


def check_known(kind: str, names: Iterable[object], known: Collection[str], *, place: str = "", code: str = "") -> None:
    """Raise at the first of the names that is not among those that are known."""
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise unknown(kind, name, known, place=place, code=code)


def no_attribute(owner: object, name: str, elsewhere: Mapping[str, str]) -> AttributeError:
    """The error of an attribute that is not there, with where it is, if that is known.

    >>> str(no_attribute(5, "derive", {"derive": "system.derive()"}))
    "'int' object has no attribute 'derive'; it is system.derive()"
    """
    more = f"; it is {elsewhere[name]}" if name in elsewhere else ""
    return AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}{more}", name=name, obj=owner)


class ModelError(PolhodeError):
    """The described mechanism is not one that can exist, or not one that can move."""


class FormatError(PolhodeError):
    """A file is not of the format that its name or content indicates."""


class ValueMissing(PolhodeError):
    """A parameter or input was needed at run time and has no value."""


class ShapeError(PolhodeError):
    """An array has the wrong shape or type."""


class LimitError(PolhodeError):
    """A stated limit (file size, expression nodes, compile time) was passed."""


class SimulationError(PolhodeError):
    """A run stopped before its end; `trajectory` holds it so far."""

    def __init__(self, message: str, *, trajectory: object = None, cure: str = "", code: str = "") -> None:
        super().__init__(message, cure=cure, code=code)
        self.trajectory = trajectory


#: Where warnings go instead, while a reader that tells them with their lines is at work.
_COLLECTED: ContextVar[list[Problem] | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[list[Problem]]:
    """A list that collects the warnings of the block instead of showing them.

    >>> with collecting() as found:
    ...     warn("plain numbers are in SI units.", place="parameter 'c'", code="W-UNIT-MISSING")
    >>> found
    [Problem(message='plain numbers are in SI units.', place="parameter 'c'", cure='', code='W-UNIT-MISSING')]
    """
    problems: list[Problem] = []
    before = _COLLECTED.set(problems)
    try:
        yield problems
    finally:
        _COLLECTED.reset(before)


def warn(
    message: str, category: type[Warning] = UserWarning, *, place: str = "", cure: str = "", code: str = ""
) -> None:
    """Warn at the user's line: the nearest one that is not of this package."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(Problem(message, place, cure, code))
        return
    message = " ".join(part for part in (f"{place}:" if place else "", message, cure) if part)
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    line = f"{message}  [{code}]" if code else message
    printable = line.encode("utf-8", "backslashreplace").decode()  # a name may hold half a character
    warnings.warn(printable, category, stacklevel=level)
