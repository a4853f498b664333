"""Functions that a user gives from Python: C source, a Python callable, or both. No file can name one."""

from __future__ import annotations

import inspect
import keyword
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from weakref import WeakValueDictionary

from ...errors import ModelError, PolhodeError, wrong_kind
from .function import Opaque

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,47}", re.ASCII)
#: Words of C and of math.h, and names that generated code keeps for itself.
_TAKEN = re.compile(
    r"(call|table|v)[0-9]+|(ph|polhode)_.*|auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|"
    r"for|goto|if|inline|int|long|main|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|"
    r"unsigned|void|volatile|while|a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(10|1p|2|b)?|pow|sqrt|cbrt|hypot|fabs|fma|"
    r"f(min|max|dim|mod)|ceil|floor|trunc|l?l?(round|rint)|[jy][01n]|[tl]gamma|erfc?|np",
    re.ASCII,
)
_KNOWN: WeakValueDictionary[str, UserFunction] = WeakValueDictionary()
_SERIAL: Counter[str] = Counter()


@dataclass(frozen=True, eq=False)
class UserFunction(Opaque):
    """A function by its name in C, its source and its Python callable; without source identified by name and count."""

    name: str
    parameters: int
    source: str
    python: Callable[..., Any] | None = field(repr=False)
    derivatives: tuple[UserFunction | None, ...] = field(repr=False)
    key: str = field(repr=False)

    @property
    def label(self) -> str:
        return self.name

    @property
    def arity(self) -> int:
        return self.parameters

    @property
    def digest(self) -> str:
        return self.key

    @property
    def foldable(self) -> bool:
        return False  # a plan kept on disk must not hold a number from a user's callable

    def partial(self, place: int) -> UserFunction:
        slope = self.derivatives[place]
        if slope is None:
            message = f"its derivative by argument {place} is needed and was not given."
            cure = f"Give function({self.name!r}, …, derivatives={{{place}: another function}})."
            raise ModelError(message, f"function '{self.name}'", cure, "E-FUNCTION-DERIVATIVE")
        return slope

    def at(self, *point: float) -> float:
        if self.python is None:
            message = "it is given in C alone and cannot be evaluated in Python."
            cure = "Give python= as well, or evaluate compiled code."
            raise PolhodeError(message, f"function '{self.name}'", cure, "E-FUNCTION-MISSING")
        try:
            return float(self.python(*point))
        except (ArithmeticError, ValueError):  # as floating-point units do it: log(-1) is nan
            return math.nan

    def over(self, *arrays: Any) -> Any:
        import numpy as np

        return np.vectorize(self.at, otypes=[np.float64])(*arrays)

    def __reduce__(self) -> tuple[Callable[[str, str], UserFunction], tuple[str, str]]:
        return known, (self.name, self.key)


def checked(
    name: str,
    c: str = "",
    python: Callable[..., Any] | None = None,
    derivatives: Mapping[int, UserFunction] | None = None,
    arity: int | None = None,
) -> UserFunction:
    """A function from C source, a callable, or both, if they make one."""
    place = f"function '{str(name)[:48]}'"
    if not isinstance(name, str) or not _NAME.fullmatch(name) or _TAKEN.fullmatch(name) or keyword.iskeyword(name):
        cure = "Use letters, digits and underscores, and no word of C, Python or math.h."
        raise ModelError("this cannot be a function's name.", place, cure, "E-FUNCTION-NAME")
    if not isinstance(c, str):
        raise wrong_kind("C source", c, place, 'Give c="double f(double x) { … }".', "E-FUNCTION-TYPE")
    if not c and python is None:
        raise ModelError("it has neither C source nor a callable.", place=place, cure="Give c= or python=.",
                         code="E-FUNCTION-MISSING")  # fmt: skip
    if python is not None and not callable(python):
        raise ModelError(f"{python!r} cannot be called.", place=place, cure="Give a function.", code="E-FUNCTION-TYPE")
    count = _arguments(name, c, python, arity, place)
    by_argument = dict(derivatives or {})
    for index, derivative in by_argument.items():
        if index not in range(count) or not isinstance(derivative, UserFunction) or derivative.arity != count:
            message = f"derivatives[{index!r}] is no function of {count} arguments by one of 0 to {count - 1}."
            cure = "Give functions made by polhode.function, by the number of the argument."
            raise ModelError(message, place, cure, "E-FUNCTION-TYPE")
    slopes = tuple(by_argument.get(index) for index in range(count))
    words: list[object] = [name, count, c, *(slope.digest if slope else "" for slope in slopes)]
    if not c:
        words.append(_SERIAL[name])
        _SERIAL[name] += 1
    key = blake2b("\x1f".join(map(str, words)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    function = UserFunction(name, count, c, python, slopes, key)
    _KNOWN[key] = function
    return function


def known(name: str, digest: str) -> UserFunction:
    """The function of this digest in this process, if any; none is loaded from a file."""
    function = _KNOWN.get(digest)
    if function is None:
        message = "it is used here but has not been made in this process."
        cure = "Make it with polhode.function first."
        raise PolhodeError(message, f"function '{name[:48]}'", cure, "E-FUNCTION-MISSING")
    return function


def _arguments(name: str, c: str, python: Callable[..., Any] | None, arity: int | None, place: str) -> int:
    """Number of arguments: as stated, as in the C source, or as in the callable's signature."""
    counts = [] if arity is None else [arity]
    if c:
        counts.append(_parameters_in_c(name, c, place))
    elif arity is None and python is not None:
        try:
            counts.append(len(inspect.signature(python).parameters))
        except (TypeError, ValueError):
            counts.append(0)
    if min(counts) < 1 or max(counts) > 8 or len(set(counts)) != 1:
        cure = "Say how many: arity=1 to 8, and the same in C."
        raise ModelError(f"it takes {' or '.join(map(str, counts))} arguments.", place, cure, "E-FUNCTION-SHAPE")
    return counts[0]


def _parameters_in_c(name: str, c: str, place: str) -> int:
    head = re.search(rf"\bdouble\s+{name}\s*\(([^()]*)\)\s*\{{", c)
    parameters = head.group(1).split(",") if head else []
    plain = re.compile(r"\s*(const\s+)?double\s+(const\s+)?[A-Za-z_]\w*\s*", re.ASCII)
    if not parameters or not all(plain.fullmatch(parameter) for parameter in parameters) or "\0" in c:
        message = f"its C source has no function `double {name}(double …, double …) {{ … }}`."
        raise ModelError(message, place, "Define it with that name, doubles in and a double out.", "E-FUNCTION-MISSING")
    return len(parameters)
