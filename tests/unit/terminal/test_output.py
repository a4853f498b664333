"""Tables as the command prints them."""

from __future__ import annotations

from polhode.terminal.output import table


def test_numbers_are_set_to_the_right() -> None:
    made = table(["name", "count", "share"], [("a", 1, 0.5)], numbers_from=1)
    assert [column.justify for column in made.columns] == ["left", "right", "right"]
