"""Chosen numbers become parameters whose values are the file's."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from polhode.errors import FormatError
from polhode.expr import evaluate, substitute
from polhode.formats.urdf import load_urdf

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="forearm"><inertial><origin xyz="0.1 0 0"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="forearm"/><origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    return path


@pytest.mark.parametrize(("patterns", "names"), [
    (["mass:forearm"], {"mass:forearm": Fraction(3, 2)}),
    (["mass:*"], {"mass:upper": 3, "mass:forearm": Fraction(3, 2)}),
    (["length:*"], {"length:elbow.x": Fraction(2, 5)}), (["com:up*"], {"com:upper.x": Fraction(1, 5)}),
    (["com:upper.y"], {"com:upper.y": 0}),
    (["inertia:upper.xx", "gravity"], {"gravity": Fraction("9.81"), "inertia:upper.xx": Fraction(1, 100)}),
])  # fmt: skip
def test_patterns_choose_parameters(arm: Path, patterns: list[str], names: dict[str, Fraction]) -> None:
    system = load_urdf(arm, symbolic=patterns)
    assert {name: parameter.value for name, parameter in system.parameters.items()} == names


def test_parameters_at_their_values_give_the_plain_equations(arm: Path) -> None:
    plain = load_urdf(arm).derive("newton_euler")
    system = load_urdf(arm, symbolic=["mass:*", "length:*", "com:*", "inertia:*", "gravity"])
    symbolic = system.derive("newton_euler")
    values = {parameter.symbol: parameter.value for parameter in system.parameters.values()}
    filled = substitute(list(symbolic.inverse_dynamics), values)
    at = {s: 0.1 + 0.2 * k for symbols in (plain.q, plain.u, plain.udot) for k, s in enumerate(symbols)}
    assert evaluate(filled, at) == pytest.approx(evaluate(plain.inverse_dynamics, at), rel=1e-12)
    assert all(a == b for a, b in zip(filled, plain.inverse_dynamics, strict=True))


def test_a_pattern_that_chooses_nothing_is_an_error(arm: Path) -> None:
    with pytest.raises(FormatError, match="Did you mean 'mass:forearm'"):
        load_urdf(arm, symbolic=["mass:forarm"])
