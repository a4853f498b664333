"""Fortran lines of at most 132 columns."""

from __future__ import annotations

_LONGEST = 132


def fitted(text: str) -> str:
    """The text with longer lines continued on the next: statements by `&` on both sides, comments by `!`.

    Such a break is allowed anywhere in a statement, also inside of a character constant.

    >>> print(fitted("  call f(" + ", ".join(f"argument_{k}" for k in range(12)) + ")"))
      call f(argument_0, argument_1, argument_2, argument_3, argument_4, argument_5, argument_6, argument_7, argument_8, argument_9, &
        &argument_10, argument_11)
    """  # noqa: E501 - that is what it prints
    lines: list[str] = []
    for line in text.split("\n"):
        margin = " " * (len(line) - len(line.lstrip()))
        before, after = ("", f"{margin}! ") if line.lstrip().startswith("!") else ("&", f"{margin}  &")
        while len(line) > _LONGEST:
            room = _LONGEST - len(before)
            cut = line.rfind(" ", len(after), room) + 1 or room
            lines.append(line[:cut].rstrip() if not before else line[:cut] + before)
            line = after + line[cut:]
        lines.append(line)
    return "\n".join(lines)
