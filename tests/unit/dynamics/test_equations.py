"""The Coriolis matrix: Christoffel's where speeds are rates, compiled and exported as any result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.expr import as_expr, evaluate


def arm() -> ph.System:
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    m = s.parameter("m", 2)
    s.joint("pan", s.ground, s.body("post", m, (0.1, 0, 0.2), inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("lift", "post", s.body("link", m, (0.5, 0.1, 0), inertia=(1, 2, 2)), ph.Revolute("y"), at=(0.2, 0, 1))
    s.joint("reach", "link", s.body("hand", 1, (0, 0, 0.3)), ph.Prismatic("x"), at=(0.5, 0, 0))
    return s


def test_it_is_compiled_in_batches_and_exported(tmp_path: Path) -> None:
    e = arm().derive()
    f, q, u = e.compile(), np.linspace(-1, 1, 12).reshape(4, 3), np.linspace(2, -1, 12).reshape(4, 3)
    C = f.coriolis_matrix(q, u)
    assert C.shape == (4, 3, 3)
    values = dict(zip((*e.q, *e.u), (*q[1], *u[1]), strict=True)) | {e.system.parameters["m"].symbol: 2.0}
    exact = evaluate([as_expr(entry) for entry in e.coriolis_matrix.entries()], values)
    assert C[1].ravel() == pytest.approx(exact, rel=1e-12)
    written = e.export("c", tmp_path, of="coriolis_matrix")
    assert any("Coriolis matrix, " in path.read_text() for path in written if path.suffix == ".c")
    assert "\\cos" in e.latex("C")
