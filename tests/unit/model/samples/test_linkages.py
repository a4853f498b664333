"""The sample of a Stewart platform."""

from __future__ import annotations

from polhode.model.samples.linkages import stewart_platform


def test_each_part_has_its_mass_where_it_is_drawn() -> None:
    for body in stewart_platform().bodies.values():
        assert all(tuple(body.com) == tuple(shape.at) for shape in body.shapes), body.name
