"""Valid files made hostile: at the level of bytes, of words and numbers, and of lines."""

import re
from random import Random

#: Numbers as they should not be, and some that are only unusual.
NUMBERS = [
    "nan", "-inf", "1e999", "-1e999", "1e308", "1e300", "-1e200", "1e-320", "1e-400", "0", "-0", "-1", "0x10",
    "1,5", "1.5m",
    "", " ", "1e", "--1", "1" * 400, "0." + "3" * 300, "9007199254740993", "1e22", "2**0.5", "1/0", "1_000", "٣",
    "½", "+",
    "170141183460469231731687303715884105727", "1e-8", "3.14159", "-3.14159265358979", "true", "null",
]  # fmt: skip
#: Words as they should not be.
WORDS = [
    "", " ", "ground", "x", "-y", "xx", "t", "pi", "sin", "name", "no such name", "a" * 200, "ü", "\u202e", "\x00",
    "\ud800",
    "__import__('os')", "${HOME}", "../../x", "<", "&amp;", "&",
    '"', "'", "[", "{", "}", "*a", "&a", "!!python/name:os.system",
    "\n", "\t", "lambda", "q'", "d(q)", "world", "fixed", "free", "auto", "1", "-1",
]  # fmt: skip
_BYTES = b"[]{}:,-\"'#&*!|>%@`~?<>/\\\n\t 019.exX\xff\x00()=+"
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][\w-]*")


def mutated(content: bytes, chance: Random) -> bytes:
    """The content with one to four things changed."""
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 4])):
        content = chance.choice([_bytes_changed, _number_changed, _number_changed, _word_changed, _lines_changed])(
            content, chance
        )
    return content


def _bytes_changed(content: bytes, chance: Random) -> bytes:
    k = chance.randrange(len(content) + 1)
    size = chance.choice([1, 1, 1, 2, 5, 20, 200])
    piece = bytes(chance.choice(_BYTES) for _ in range(chance.choice([1, 1, 2, 4])))
    return chance.choice(
        [
            content[:k] + piece + content[k:],
            content[:k] + piece + content[k + len(piece) :],
            content[:k] + content[k + size :],
            content[:k] + content[k : k + size] * 2 + content[k + size :],
            content[:k],
            content[:k] + bytes([chance.randrange(256)]) + content[k + 1 :],
        ]
    )


def _number_changed(content: bytes, chance: Random) -> bytes:
    return _replaced(content, _NUMBER, NUMBERS, chance)


def _word_changed(content: bytes, chance: Random) -> bytes:
    text = content.decode("utf-8", "replace")
    others = sorted(set(_WORD.findall(text)))
    return _replaced(content, _WORD, [*WORDS, *chance.sample(others, min(len(others), 40))], chance)


def _replaced(content: bytes, pattern: re.Pattern[str], instead: list[str], chance: Random) -> bytes:
    text = content.decode("utf-8", "replace")
    found = list(pattern.finditer(text))
    if not found:
        return content
    here = chance.choice(found)
    made = text[: here.start()] + chance.choice(instead) + text[here.end() :]
    return made.encode("utf-8", "surrogatepass")


def _lines_changed(content: bytes, chance: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(j, lines[i])
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines[i] = b" " * chance.choice([1, 2, 4]) + lines[i]
    return b"".join(lines)
