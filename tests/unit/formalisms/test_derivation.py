"""What a derivation is stored under."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
