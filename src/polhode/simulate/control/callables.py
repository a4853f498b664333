"""Python functions that give efforts and inputs: asked at every evaluation, or held between the samples of a clock.

A function takes t, or (t, q, u), or (t, q, u, z). One that is held is asked once at each of its sample times, with the
state there, and what it gave acts until the next: as a digital controller with a zero-order hold does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import LimitError, PolhodeError, check_kind, number
from ..initial_state import Floats

#: What a function may take, by the number of its arguments.
_ARGUMENTS = (1, 3, 4)
#: More sample times than this are refused.
MOST_SAMPLES = 10**8


class ControllerFailed(Exception):
    """A controller raised, or gave what cannot be used; the run stops with this sentence."""


@dataclass(frozen=True, eq=False, repr=False)
class Held:
    """A function that is evaluated at fixed intervals, from t = 0 on; its values are held in between."""

    function: Callable[..., Any]
    every: float

    def __repr__(self) -> str:
        return f"held({getattr(self.function, '__name__', type(self.function).__name__)} every {self.every:g} s)"


#: Options that may hold Python functions which a run asks.
_MAY_BE_PYTHON = ("tau", "inputs", "events", "until", "on")


def options_in_python(options: Mapping[str, Any]) -> list[str]:
    """The options of a run in which there are Python functions.

    >>> options_in_python({"tau": {"hinge": lambda t: 0.0}, "inputs": {"f": 1.0}, "progress": print})
    ['tau']
    """
    return [name for name in _MAY_BE_PYTHON if any(map(_is_python, _entries(options.get(name))))]


def _entries(given: Any) -> list[Any]:
    """What an option holds: both sides of a mapping, the entries of a list, or the one thing that it is."""
    if isinstance(given, Mapping):
        return [*given, *given.values()]
    return list(given) if isinstance(given, list | tuple) else [given]


def _is_python(given: Any) -> bool:
    from ...expr import Expr, Function

    return isinstance(given, Held) or (callable(given) and not isinstance(given, Expr | Function))


def held(function: Callable[..., Any], every: float) -> Held:
    """A Python function under a zero-order hold: asked once at t = 0, `every`, 2 `every`, … and held in between.

    >>> import polhode as ph
    >>> s = ph.System("slider", gravity=(0, 0, 0))
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    >>> run = s.derive().simulate(1, samples=5, tau={"v": ph.held(lambda t, q, u: -u[0] + 1, every=0.5)})
    >>> run.tau[:, 0].round(12).tolist(), round(float(run.u[-1, 0]), 12)
    ([1.0, 1.0, 0.5, 0.5, 0.5], 0.75)
    """
    check_kind(Callable, "a function", function, "held")
    return Held(function, number(every, "a sample time > 0 in seconds", above=0.0, place="held"))


@dataclass(frozen=True, eq=False)
class Asked:
    """A function with the columns that it gives, how to read what it gives, and the words for it in a sentence."""

    words: str
    function: Callable[..., Any]
    arguments: int
    columns: tuple[int, ...]
    read: Callable[[Any], Floats]
    every: float | None = None  # None where it is asked at every evaluation

    def __call__(self, t: float, q: Floats, u: Floats, z: Floats) -> Floats:
        """Its values at a state, of which it gets copies so that it cannot change it."""
        state = (q.copy(), u.copy(), z.copy())[: self.arguments - 1]
        try:
            given = self.function(t, *state)
        except Exception as error:
            raise ControllerFailed(f"{self.words} raised {type(error).__name__}: {error}") from error
        if given is None:
            whole = "values, {} where nothing is to act" if len(self.columns) != 1 else "a number"
            raise ControllerFailed(f"{self.words} returned None; it must return {whole}.")
        try:
            values = self.read(given)
        except PolhodeError as error:
            raise ControllerFailed(f"{self.words} gave no usable value: {error.problems[0].message}") from error
        return values


def asked(
    given: Callable[..., Any] | Held, words: str, columns: tuple[int, ...], read: Callable[[Any], Floats]
) -> Asked:
    """A function that a user gave, held or not, if it takes what a run can give it."""
    function, every = (given.function, given.every) if isinstance(given, Held) else (given, None)
    return Asked(words, function, _arguments(function, words), columns, read, every)


def _arguments(function: Callable[..., Any], words: str) -> int:
    """How many arguments a function is to be given: what it must have, and no more than it can take."""
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # as of some functions in C, which take numbers
        return 1
    plain = [each for each in listed if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    needed = sum(each.default is each.empty for each in plain)
    any_more = any(each.kind == each.VAR_POSITIONAL for each in listed)
    possible = [count for count in _ARGUMENTS if count >= needed and (any_more or count <= len(plain))]
    if not possible or any(each.kind == each.KEYWORD_ONLY and each.default is each.empty for each in listed):
        raise PolhodeError(
            f"{words} takes neither t nor (t, q, u).",
            cure="Give a function of t, of (t, q, u), or with states without mass of (t, q, u, z).",
            code="E-INPUT-012",
        )
    return 3 if 3 in possible and (any_more or not needed) else possible[0]


def sample_times(every: float, end: float, words: str) -> Floats:
    """The times after the start, and before the end of a run, at which a function is asked."""
    if end / every > MOST_SAMPLES:
        raise LimitError(
            f"{words} would be asked {end / every:.3g} times, more than {MOST_SAMPLES:,}.",
            place="held",
            cure="Give a longer sample time, or a shorter run.",
            code="E-INPUT-013",
        )
    return np.arange(1, int(end / every) + 1, dtype=np.float64) * np.float64(every)
