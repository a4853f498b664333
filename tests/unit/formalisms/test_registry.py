"""A method asked for by the name that it has elsewhere is answered by the name that it has here."""

from __future__ import annotations

import re

import pytest

import polhode as ph
from polhode.formalisms.registry import names


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("lagrange", "poincare"),
        ("Lagrange's", "routh"),
        ("euler-lagrange", "poincare"),
        ("Euler Lagrange", "routh"),
        ("hamilton", "poincare"),
        ("newton", "newton_euler"),
        ("rnea", "newton_euler"),
        ("CRBA", "composite_body"),
        ("aba", "articulated_body"),
        ("kanes", "kane"),
        ("Sayers", "kane"),
        ("newton_eular", "newton_euler"),
        ("autp", "auto"),
    ],
)
def test_the_refusal_says_what_a_method_is_called_here(asked: str, answer: str) -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match=r"there is no formalism .*\n.*E-DERIVE-NAME") as refused:
        s.derive(asked)
    offered = set(re.findall(r"'(\w+)'", str(refused.value).partition("\n")[2])) - {"embedded"}
    assert answer in offered and offered <= {"auto", *names(historical=True)}
