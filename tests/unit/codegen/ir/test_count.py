"""Operation counts say what one evaluation costs, the functions of force laws among it."""

from __future__ import annotations

from pathlib import Path

import polhode as ph


def tyre() -> ph.System:
    s = ph.System("slipping wheel")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    slip = x.u[0] - s.input("rim")
    grip = 3 * ph.tanh(slip) + ph.exp(-slip) + ph.atan2(slip, x.q[0]) + ph.tanh(x.q[0])
    s.joint_force(x, -grip)
    return s


def test_functions_of_force_laws_are_counted_by_name(tmp_path: Path) -> None:
    equations = tyre().derive()
    found = equations.operations()
    assert found.by_name == {"atan2": 1, "exp": 1, "tanh": 2} and found.functions == 4 and found.sincos == 0
    assert str(found).endswith("0 sine-cosine pairs, 1 atan2, 1 exp, 2 tanh")
    equations.export("c", tmp_path)
    source = (tmp_path / "slipping_wheel_forward_dynamics.c").read_text(encoding="utf-8")
    assert "1 atan2, 1 exp, 2 tanh" in " ".join(source.replace("*", " ").split())
