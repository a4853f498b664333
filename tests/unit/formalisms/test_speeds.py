"""Speeds that a formalism brings: what is said of those that cannot be had."""

from __future__ import annotations

from typing import Any

import pytest

import polhode as ph
from polhode.formalisms.registry import FORMALISMS
from polhode.formalisms.speeds import check_speeds


def hoop(closed: bool = False) -> ph.System:
    system = ph.System("hoop")
    hoop = system.body("hoop", 1, (0.1, 0, 0), (1, 1, 1))
    system.joint("fly", system.ground, hoop, ph.Free())
    if closed:
        system.knife_edge("blade", "hoop")
    return system


@pytest.mark.parametrize(("formalism", "options", "code", "said"), [
    ("kane", {"speeds": "sayer"}, "E-DERIVE-NAME", "there is no choice of speeds 'sayer'.*'sayers'"),
    ("kane", {"speeds": 3}, "E-DERIVE-NAME", "there is no choice of speeds 3"),
    ("auto", {}, "E-DERIVE-UNSUPPORTED", r"'auto' has no speeds 'sayers'.*derive\('kane', speeds='sayers'\)"),
    ("kane", {"independent": ["fly_wx"]}, "E-DERIVE-TWICE", "'sayers' and independent speeds are two choices"),
    ("kane", {"pseudo": {"v": "fly_wx"}}, "E-DERIVE-TWICE", "'sayers' and pseudo-velocities are two choices"),
])  # fmt: skip
def test_speeds_that_cannot_be_had_get_one_sentence(
    formalism: str, options: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(ph.PolhodeError, match=f"(?s){said}") as caught:
        hoop().derive(formalism, **{"speeds": "sayers", **options})
    assert caught.value.problems[0].code == code and caught.value.problems[0].cure


def test_ties_of_speeds_are_named_and_each_choice_derives() -> None:
    with pytest.raises(ph.PolhodeError, match=r"(?s)those of a tree, and 'blade' ties.*E-DERIVE-UNSUPPORTED"):
        hoop(closed=True).derive("kane", speeds="sayers")
    model = hoop().model()
    for name, formalism in FORMALISMS.items():
        for speeds in formalism.speeds:
            check_speeds(model, name, speeds)
            assert callable(formalism.load(speeds))
