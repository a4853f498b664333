"""Without passes `derive` takes the book's recursions, with passes those that save operations."""

from __future__ import annotations

import pytest

from polhode.formalisms import registry
from polhode.formalisms.deriving import derive
from polhode.kinematics.passes import USUAL
from polhode.model.samples import six_degree_of_freedom_arm

RECURSIONS = [each.name for each in registry.FORMALISMS.values() if each.shortened]


def test_the_three_classical_recursions_have_a_short_form() -> None:
    assert RECURSIONS == ["newton_euler", "composite_body", "articulated_body"]


@pytest.mark.parametrize("name", RECURSIONS)
@pytest.mark.parametrize("passes", [(), USUAL], ids=["book", "short"])
def test_passes_say_which_file_is_taken(name: str, passes: tuple[str, ...]) -> None:
    found = derive(six_degree_of_freedom_arm().model(), name, passes=passes)
    home = f"polhode.formalisms.{'short.' if passes else ''}{name}"
    taken = {each.__module__ for each in (found.recipe.mass_matrix, found.recipe.inverse, found.recipe.forward) if each}
    assert home in taken
