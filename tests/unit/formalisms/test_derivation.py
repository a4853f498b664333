"""What a derivation is stored under."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import polhode as ph
from polhode.expr import same

#: A formalism of one's own, that is right or, with a flipped sign, wrong.
OWN = """
from polhode.formalisms import newton_euler
from polhode.dynamics.equations import Recipe

def recipe(system, tree):
    made = newton_euler.recipe(system, tree)
    return Recipe(inverse=lambda ud: made.inverse(ud) * ({sign}), mass_matrix=made.mass_matrix)
"""
SCRIPT = """
import sys; sys.path.insert(0, sys.argv[1])
import polhode as ph
from polhode.formalisms.registry import FORMALISMS, Formalism
FORMALISMS["own"] = Formalism("own", module="own_formalism", passes="none")
s = ph.System("pendulum")
s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
print(s.derive("own").compile().inverse_dynamics([0.5], [0], [0])[0])
"""


def test_a_formalism_of_ones_own_that_was_changed_is_derived_anew(tmp_path: Path) -> None:
    """Its functions are stored; those of the file as it was before are not taken."""

    def effort(sign: int) -> float:
        (tmp_path / "own_formalism.py").write_text(OWN.format(sign=sign))
        there = {**os.environ, "POLHODE_CACHE_DIR": str(tmp_path / "store"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
        return float(subprocess.run(command, capture_output=True, text=True, check=True, env=there).stdout)

    assert effort(1) == -effort(-1) != 0


def cart() -> ph.System:
    s = ph.System("cart")
    slide = s.joint("slide", s.ground, s.body("cart", 1), ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
    s.joint("pole", "cart", s.body("pole", 1, (0, 0, 1)), ph.Revolute("y"), coordinates=["lean"], speeds=["w"])
    assert slide
    return s


def test_texts_and_speeds_by_name_are_read_and_pickle() -> None:
    s = cart()
    v, w, lean = s.joints["slide"].u[0], s.joints["pole"].u[0], s.joints["pole"].q[0]
    by_text = s.derive("hamel", pseudo={"tip": "v + cos(lean)*w", "w": "w"})
    assert same(by_text.bias, s.derive("hamel", pseudo={"tip": v + ph.cos(lean) * w, "w": w}).bias)
    s = ph.System("pendulum")
    u = s.joint("q", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y")).u[0]
    by_name, by_symbol = (s.derive("hamel", pseudo={"q": value}) for value in ("q", u))
    assert by_name.speeds == ["q"] and same(by_name.bias, by_symbol.bias)
    assert s.derive("hamel", pseudo={"w": "2*u(q)"}).speeds == ["w"]
    with pytest.raises(ph.PolhodeError, match=r"no speed in it.\n.*'q' is the coordinate here: write u\(q\)"):
        s.derive("hamel", pseudo={"w": "2*q"})
    s = cart()
    first, second = (s.derive(pseudo={"tip": f"v + {k}*w", "w": "w"}) for k in (1, 2))
    assert len({first.derivation.key, second.derivation.key, s.derive().derivation.key}) == 3
    again = pickle.loads(pickle.dumps(first))
    assert again.speeds == ["tip", "w"] and same(again.bias, first.bias)


@pytest.mark.parametrize(("options", "said"), [
    ({"pseudo": ["v", "w"]}, "a mapping from names to expressions"), ({"pseudo": {"tip": "v +", "w": "w"}}, "tip"),
    ({"pseudo": {"tip": object(), "w": "w"}}, "derive pseudo 'tip'"),
    ({"pseudo": {"": "v", "w": "w"}}, "needs a name"),
    ({"pseudo": {"tip": "v", "w": "w"}, "independent": ["v", "w"]}, "two choices of one thing"),
])  # fmt: skip
def test_what_is_no_pseudo_velocity_is_told(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ph.PolhodeError, match=said):
        cart().derive("hamel", **options)
