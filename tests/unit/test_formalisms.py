"""Which formalisms there are, what they are called, which speeds they bring, and joints that move no mass."""

import re
from typing import Any

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.formalisms import articulated_body as book
from polhode.formalisms import registry
from polhode.formalisms.deriving import derive
from polhode.formalisms.registry import FORMALISMS, check_speeds, names
from polhode.formalisms.short import articulated_body as short
from polhode.geometry.twist import Wrench
from polhode.kinematics.passes import USUAL
from polhode.kinematics.tree import build_tree
from polhode.model.samples import six_degree_of_freedom_arm


@pytest.mark.parametrize(("asked", "answer"), [
    ("lagrange", "poincare"), ("Lagrange's", "routh"), ("euler-lagrange", "poincare"), ("Euler Lagrange", "routh"),
    ("hamilton", "poincare"), ("newton", "newton_euler"), ("rnea", "newton_euler"), ("CRBA", "composite_body"),
    ("aba", "articulated_body"), ("kanes", "kane"), ("Sayers", "kane"), ("newton_eular", "newton_euler"),
    ("autp", "auto"),
])  # fmt: skip
def test_the_refusal_says_what_a_method_is_called_here(asked: str, answer: str) -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match=r"there is no formalism .*\n.*E-DERIVE-NAME") as caught:
        s.derive(asked)
    offered = set(re.findall(r"'(\w+)'", str(caught.value).partition("\n")[2])) - {"embedded"}
    assert answer in offered and offered <= {"auto", *names(historical=True)}


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


@pytest.mark.parametrize("way", [book, short], ids=["book", "short"])
def test_a_joint_that_moves_no_mass_is_named(way: object) -> None:
    system = ph.System("empty hand")
    arm = system.body("arm", mass=1, com=(1, 0, 0))
    system.joint("shoulder", system.ground, arm, ph.Revolute("y"))
    system.joint("wrist", arm, system.body("hand"), ph.Revolute("x"), at=(1, 0, 0))
    tree = build_tree(system.model())
    free = [Wrench.zero() for _ in tree.links]
    with pytest.raises(ModelError, match="wrist"):
        way.forward_dynamics(tree, tree.u, tree.tau, free, tree.gravity)  # type: ignore[attr-defined]
