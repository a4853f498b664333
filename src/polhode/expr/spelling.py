r"""How symbols are written, in text, LaTeX and SymPy: one spelling for each kind of quantity.

    a symbol                                     text        LaTeX          SymPy
    coordinate, parameter, input, …              x           x              x
    speed that is the rate of the coordinate x   x'          \dot{x}        x_dot
    speed with a name of its own                 v           v              v
    speed that shares the name of a coordinate
      whose rate it is not                       u_x         u_{x}          u_x
    acceleration of these three                  x'' v' u_x' \ddot{x} …     x_ddot v_dot u_x_dot
    further rates of these: the third of x       x'''        \dddot{x}      x_dot3
    effort                                       tau_x       \tau_{x}       tau_x
    multiplier of a constraint c                 lambda_c    \lambda_{c}    lambda_c
    reference of x, its rate, its second rate    ref_x ref_x' ref_x''        \mathrm{ref}_{x} …

The time t, the number pi and the rate alpha_stabilisation keep these words for themselves: a parameter that is called t
is written t_. In text a name that could be read as something else, a number or a sum, stands in quotes: '1', 'a + b''.
In SymPy the words of Python and the functions that an expression can hold are kept free likewise, and a name that is no
identifier becomes one: `crank 0` is crank_0. Other names that SymPy's `sympify` reads as its own when it reads text (E,
I, S, N, O, Q, beta, gamma, zeta, …) stay, so that `subs` finds them; text with them is read with `locals`.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from ..errors import ModelError
from .node import Expr, symbol

#: Roles of a speed. Without one it is the rate of the coordinate of its name; it may have a name of its own, or be a
#: quasi-velocity, another combination of rates that shares the name of a coordinate.
OWN: Final = "own"
QUASI: Final = "quasi"

#: What is written before a name, and how many primes after it, by kind and role.
_STYLES: Final = {
    ("speed", ""): ("", 1), ("speed", QUASI): ("u", 0), ("effort", ""): ("tau", 0),
    ("acceleration", ""): ("", 2), ("acceleration", OWN): ("", 1), ("acceleration", QUASI): ("u", 1),
    ("multiplier", ""): ("lambda", 0), ("line", ""): ("line", 0), ("position", ""): ("position", 0),
    ("velocity", ""): ("velocity", 0), ("reference", ""): ("ref", 0),
}  # fmt: skip
#: Quantities that no model names, and the words kept for them.
_OURS: Final = {"time": "t", "stabilisation": "alpha_stabilisation"}
_KEPT: Final = {*_OURS.values(), "pi"}
#: Words that mean something in code that SymPy writes.
_KEPT_IN_SYMPY: Final = _KEPT | {
    "sin", "cos", "tan", "exp", "log", "sqrt", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "Abs", "abs",
    "sign", "Min", "Max", "min", "max", "floor",
}  # fmt: skip
_DOTS: Final = ("", "_dot", "_ddot")
_ACCENTS: Final = ("", r"\dot", r"\ddot", r"\dddot", r"\ddddot")
_FURTHER: Final = "further rate "
_REFERENCE: Final = "reference"
_SEPARATORS: Final = " -.:,/"

GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
    "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta",
    "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega", "varphi", "vartheta", "varepsilon", "varrho",
}  # fmt: skip
_LETTERS: Final = {
    "varphi": "φ", "phi": "ϕ", "vartheta": "ϑ", "varepsilon": "ε", "epsilon": "ϵ", "varrho": "ϱ", "lambda": "λ",
    "Lambda": "Λ",
}  # fmt: skip


def greek_letter(name: str) -> str:
    """The letter that TeX draws for the name of a Greek letter."""
    case = "CAPITAL" if name[0].isupper() else "SMALL"
    return _LETTERS.get(name) or unicodedata.lookup(f"GREEK {case} LETTER {name.upper()}")


#: Names of Greek letters, by the letter.
_GREEK_NAMES: Final = {greek_letter(name): name for name in sorted(GREEK)}
_WORD: Final = f"(?:[A-Za-z]+|[{''.join(_GREEK_NAMES)}])"
_PLAIN = re.compile(rf"({_WORD})([0-9]*)((?:_(?:{_WORD}[0-9]*|[A-Za-z0-9]+))*)\Z")
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "%": r"\%", "&": r"\&", "#": r"\#",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def acceleration_of(speed: Expr) -> Expr:
    """The symbol for the rate of a speed."""
    return symbol(speed.name, "acceleration", _role(speed))


def further_rate(acceleration: Expr, count: int) -> Expr:
    """The symbol for the derivative of an acceleration in time, `count` times."""
    return symbol(acceleration.name, f"{_FURTHER}{count}", _role(acceleration))


def reference_symbol(name: str, order: int = 0) -> Expr:
    """The symbol of a reference value, or of its time derivative of an `order`."""
    return symbol(name, f"{_REFERENCE} rate {order}" if order else _REFERENCE)


def is_reference(x: Expr) -> bool:
    """Whether a symbol is a reference value or a derivative of one."""
    return str(x.data[0]).startswith(_REFERENCE)


def next_rate_of_reference(x: Expr) -> Expr:
    """The symbol for the derivative in time of a reference, or of a derivative of it."""
    more = str(x.data[0]).removeprefix(f"{_REFERENCE} rate ")
    return reference_symbol(x.name, int(more) + 1 if more.isdigit() else 1)


def spelled(x: Expr) -> str:
    """A symbol in text."""
    head, primes = style_of(x)
    name = word_of(x)
    return head + (name if _is_plain(head, name) else repr(name)) + "'" * primes


def identifier(x: Expr) -> str:
    """A symbol's name in SymPy: an identifier; a symbol of no model keeps its name."""
    if x.data[0] == "symbol":
        return x.name
    head, primes = style_of(x)
    word = head + _as_identifier(word_of(x)) + (_DOTS[primes] if primes < len(_DOTS) else f"_dot{primes}")
    word = word if word.isidentifier() else f"_{word}"
    kept = keyword.iskeyword(word) or (word in _KEPT_IN_SYMPY and x.data[0] not in _OURS)
    return f"{word}_" if kept else word


def spelled_latex(x: Expr) -> str:
    r"""A symbol in LaTeX."""
    head, primes = style_of(x)
    name = word_of(x)
    accent = _ACCENTS[primes] if primes < len(_ACCENTS) else ""
    text = _accented(f"{_word(head[:-1])}_{{{latex_name(name)}}}", accent) if head else latex_name(name, accent)
    return f"{{{text}}}^{{({primes})}}" if primes and not accent else text


#: The three notations.
NOTATIONS: Final = {"text": spelled, "SymPy": identifier, "LaTeX": spelled_latex}


def distinct_spellings(
    symbols: Iterable[Expr], known: Mapping[tuple[str, str], Expr] | None = None, place: str = ""
) -> dict[tuple[str, str], Expr]:
    """Symbols by notation and spelling; raise if two are written alike."""
    known = known or {}
    spellings: dict[tuple[str, str], Expr] = {}
    for x in symbols:
        for notation, write in NOTATIONS.items():
            written = write(x)
            other = known.get((notation, written)) or spellings.setdefault((notation, written), x)
            if other is not x:
                raise ModelError(
                    f"the {described(x)} and the {described(other)} would both be written {written} in {notation}.",
                    place=place,
                    cure="Give one of them another name.",
                    code="E-MODEL-TWICE",
                )
    return spellings


def described(x: Expr) -> str:
    """A symbol by its kind and its name, as addressed."""
    return f"{x.data[0]} '{x.name}'"


def _role(x: Expr) -> str:
    return x.data[2] if len(x.data) == 3 and isinstance(x.data[2], str) else ""


def rates_of(x: Expr) -> tuple[str, int]:
    """The kind of a symbol, and how many derivatives in time of that kind it is."""
    kind = str(x.data[0])
    for before, plain in ((_FURTHER, "acceleration"), (f"{_REFERENCE} rate ", _REFERENCE)):
        if kind.startswith(before):
            return plain, int(kind.removeprefix(before))
    return kind, 0


def style_of(x: Expr) -> tuple[str, int]:
    """The prefix of a symbol's name, and its number of primes or dots."""
    kind, more = rates_of(x)
    head, primes = _STYLES.get((kind, _role(x)), ("", 0))
    primes += more
    return (f"{head}_" if head else ""), primes


def word_of(x: Expr) -> str:
    """A symbol's name, with an underscore where it is a word that is kept for something else."""
    kind, name = x.data[0], x.name
    if kind in _OURS:
        return _OURS[kind]
    return f"{name}_" if name in _KEPT and kind != "symbol" else name


def _is_plain(head: str, name: str) -> bool:
    """Whether a name can be read as a name only: words with single blanks, dots or colons between, a letter first."""
    words = re.split("[ .:]", name)
    return f"{head}{words[0]}".isidentifier() and all(word and f"a{word}".isidentifier() for word in words)


def _as_identifier(name: str) -> str:
    """The name with an underscore for what parts words, and the number of its code point for any other odd letter."""
    plain = unicodedata.normalize("NFKC", name) == name  # as Python reads identifiers
    kept = [letter for letter in set(name) if f"a{letter}".isidentifier() and (plain or letter.isascii())]
    return "".join(
        letter if letter in kept else "_" if letter in _SEPARATORS else f"_{ord(letter):x}" for letter in name
    )


# ---- LaTeX -----------------------------------------------------------------------------------------------------


def latex_name(name: str, accent: str = "") -> str:
    r"""A name, typeset if plain and escaped otherwise; an accent is put on its first word."""
    parts = name_parts(name)
    if parts is None:
        return _accented(rf"\text{{{latex_escape(name)}}}", accent)
    word, below = parts
    subscript = ",".join(part if part.isdigit() else _word(part) for part in below)
    head = _accented(_word(word), accent)
    return f"{head}_{{{subscript}}}" if below else head


def name_parts(name: str) -> tuple[str, list[str]] | None:
    """The first word of a plain name and what stands below it; None of a name that is not plain."""
    match = _PLAIN.match(name)
    if match is None:
        return None
    word, digits, rest = match.groups()
    return word, [part for part in (digits, *rest.split("_")) if part]


def _accented(body: str, accent: str) -> str:
    return f"{accent}{{{body}}}" if accent else body


def latex_escape(text: str) -> str:
    """Text for \\text{…}, with TeX's special characters escaped."""
    return "".join(_ESCAPES.get(letter, letter if letter.isprintable() else " ") for letter in text)


def is_greek(name: str) -> bool:
    """Whether a name begins with a Greek letter, by name or as typed."""
    parts = name_parts(name)
    return parts is not None and (parts[0] in GREEK or parts[0] in _GREEK_NAMES)


def _word(word: str) -> str:
    word = _GREEK_NAMES.get(word, word)
    if word in GREEK:
        return f"\\{word}"
    return word if len(word) == 1 else rf"\mathrm{{{word}}}"
