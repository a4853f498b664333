"""What every formalism must answer, from the empty model to a tree of twelve bodies.

One of them is not in the package: a file beside this one, and the one line that adds it to the list.
"""

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.cli.app import main
from polhode.compare import agreement
from polhode.errors import ModelError
from polhode.expr import Matrix, evaluate, free_symbols, same, substitute, symbol
from polhode.formalisms.registry import FORMALISMS, names
from polhode.model.samples.random_system import random_state, random_system

from . import gibbs_appell

ROOT = Path(__file__).parents[2]


def empty() -> ph.System:
    return ph.System("empty")


def one_fixed_body() -> ph.System:
    system = ph.System("statue")
    statue = system.body("statue", mass=3, com=(0, 0, 1), inertia=[1, 1, 1])
    system.joint("plinth", system.ground, statue, ph.Fixed(), at=(1, 2, 3), rotation=[("z", 0.5)])
    return system


def welded_pair() -> ph.System:
    system = one_fixed_body()
    system.joint("glue", "statue", system.body("bird", mass=1), ph.Fixed(), at=(0, 0, 2))
    system.force("bird", (0, 0, 5))
    return system


def pendulum() -> ph.System:
    system = ph.System("pendulum", gravity=(0, 0, -ph.symbol("g", "parameter")))
    m, l = system.parameter("m", 2), system.parameter("l", 3)
    system.parameter("g", 9.81)
    bob = system.body("bob", mass=m, com=(0, 0, -l))
    system.joint("hinge", system.ground, bob, ph.Revolute("y"))
    return system


def falling_stone() -> ph.System:
    system = ph.System("stone")
    stone = system.body("stone", mass=2, inertia=[1, 2, 2.5])
    system.joint("air", system.ground, stone, ph.Free())
    return system


def spring_and_damper() -> ph.System:
    system = ph.System("wagon")
    wagon = system.body("wagon", mass=system.parameter("m", 4))
    rail = system.joint("rail", system.ground, wagon, ph.Prismatic("x"))
    system.joint_spring(rail, system.parameter("k", 10), rest=1, damping=system.parameter("c", 0.5))
    system.force(wagon, (system.input("push"), 0, 0))
    return system


def rolling_wheel() -> ph.System:
    system = ph.System("wheel")
    skate = ph.JointMap([[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]])
    wheel = system.body("wheel", mass=2, inertia=ph.disc(2, 1, "y"))
    system.joint("roll", system.ground, wheel, ph.Compound(skate, ph.Revolute("y")))
    return system


def two_islands() -> ph.System:
    system = ph.System("two pendulums")
    for side in ("left", "right"):
        bob = system.body(side, mass=1, com=(0, 0, -1))
        system.joint(f"{side} hinge", system.ground, bob, ph.Universal("x", "y"))
    return system


def twelve_bodies() -> ph.System:
    """A binary tree of hinges about x, y and z in turn."""
    system = ph.System("tree of twelve")
    bodies = [system.ground]
    for k in range(1, 13):
        body = system.body(f"b{k}", mass=1 + k % 3, com=(0.1, 0, 0.2), inertia=ph.box(1, 1, 2, 0.5))
        system.joint(f"j{k}", bodies[k // 2], body, ph.Revolute("xyz"[k % 3]), at=(0.3, 0, 0.1 * (k % 2)))
        bodies.append(body)
    return system


MODELS: dict[str, tuple[Callable[[], ph.System], int]] = {
    "empty": (empty, 0), "one fixed body": (one_fixed_body, 0), "welded pair": (welded_pair, 0),
    "pendulum": (pendulum, 1), "falling stone": (falling_stone, 6), "spring and damper": (spring_and_damper, 1),
    "rolling wheel": (rolling_wheel, 3), "two islands": (two_islands, 4), "twelve bodies": (twelve_bodies, 12),
}  # fmt: skip


@pytest.fixture(autouse=True)
def with_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMALISMS, ADDED.name, ADDED)


@cache
def derived(make: Callable[[], ph.System], formalism: str) -> ph.Equations:
    """What several tests look at is derived once."""
    return make().derive(formalism)


ADDED = gibbs_appell.FORMALISM
every_formalism = pytest.mark.parametrize("formalism", [*names(), "auto", ADDED.name])
every_model = pytest.mark.parametrize(("make", "size"), MODELS.values(), ids=MODELS)


@every_formalism
@every_model
def test_every_result_has_the_shape_of_the_speeds(make: Callable[[], ph.System], size: int, formalism: str) -> None:
    made = derived(make, formalism)
    assert made.formalism == formalism and len(made.u) == len(made.tau) == len(made.udot) == len(made.speeds) == size
    assert made.mass_matrix.shape == (size, size if size else 0)
    for vector in (made.bias, made.forcing, made.inverse_dynamics, made.forward_dynamics):
        assert len(vector) == size
    assert len(made.coordinate_rates) == len(made.q) == len(made.coordinates)
    assert {*free_symbols([made.kinetic_energy])} <= {*free_symbols([*made.q, *made.u]), *parameters(made.system)}
    assert [len(part) for part in made.momentum] == [3, 3]


def parameters(system: ph.System) -> list[ph.Expr]:
    return [entry.symbol for entry in system.parameters.values()]


@every_formalism
@every_model
def test_every_formalism_agrees_with_newton_and_euler(make: Callable[[], ph.System], size: int, formalism: str) -> None:
    assert derived(make, formalism).agrees_with(derived(make, "newton_euler"))


@every_formalism
@every_model
def test_accelerations_solve_the_equations(make: Callable[[], ph.System], size: int, formalism: str) -> None:
    made = derived(make, formalism)
    values = random_state(made.system, 5)
    u_dot = evaluate(made.forward_dynamics, values)
    M = [evaluate(row, values) for row in made.mass_matrix]
    f = evaluate(made.forcing, values)
    for row, right in zip(M, f, strict=True):
        assert sum(a * b for a, b in zip(row, u_dot, strict=True)) == pytest.approx(right, abs=1e-9)


@every_formalism
def test_a_pendulum_swings_as_in_the_textbook(formalism: str) -> None:
    made = pendulum().derive(formalism)
    m, l, g = (symbol(name, "parameter") for name in "mlg")
    (q,), (tau,) = made.q, made.tau
    assert same(made.mass_matrix.entries(), [m * l**2]) and same(made.bias, [m * g * l * ph.sin(q)])
    assert same(made.forward_dynamics, [tau / (m * l**2) - g / l * ph.sin(q)])


@every_formalism
def test_a_stone_falls_and_turns_as_euler_says(formalism: str) -> None:
    made = falling_stone().derive(formalism)
    wx, wy, wz = made.u[:3]
    A, B, C = 1, 2, 2.5
    rates = substitute(made.forward_dynamics, dict.fromkeys(made.tau, 0))
    assert same(rates[:3], [(B - C) / A * wy * wz, (C - A) / B * wz * wx, (A - B) / C * wx * wy])
    upright = dict(zip(made.q[:4], (1, 0, 0, 0), strict=True)) | dict.fromkeys(made.u, 0)
    assert same(substitute(rates, upright), [0, 0, 0, 0, 0, -9.81])


@every_formalism
def test_loads_enter_with_their_signs(formalism: str) -> None:
    system = spring_and_damper()
    made = system.derive(formalism)
    m, k, c = (symbol(name, "parameter") for name in "mkc")
    (x,), (v,), (tau,) = made.q, made.u, made.tau
    push = system.inputs["push"].symbol
    assert same(made.forward_dynamics, [(tau + push - k * (x - 1) - c * v) / m])


@every_formalism
def test_separate_islands_do_not_feel_each_other(formalism: str) -> None:
    M = two_islands().derive(formalism).mass_matrix
    assert same(M[:2, 2:].entries(), Matrix.zeros(2, 2).entries())


@every_formalism
def test_a_joint_that_moves_no_mass_is_named(formalism: str) -> None:
    system = pendulum()
    system.joint("trivial", "bob", system.body("ghost"), ph.Revolute("x"))
    refused("trivial", lambda: system.derive(formalism).forward_dynamics, ModelError)


@every_formalism
def test_a_body_that_hangs_on_nothing_is_named(formalism: str) -> None:
    system = pendulum()
    system.body("loose", mass=1)
    refused("loose", lambda: system.derive(formalism), ModelError)


@every_formalism
def test_deriving_twice_gives_the_very_same_expressions(formalism: str) -> None:
    system = random_system(3, bodies=4, max_speeds=8)
    one, other = system.derive(formalism), system.derive(formalism)
    pairs = zip(
        [*one.forward_dynamics, *one.inverse_dynamics, *one.mass_matrix.entries()],
        [*other.forward_dynamics, *other.inverse_dynamics, *other.mass_matrix.entries()],
        strict=True,
    )
    assert all(a is b for a, b in pairs)


@every_formalism
@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_loops_and_rolling_are_kept_by_every_formalism(formalism: str, constraints: str) -> None:
    """Accelerations agree with the recursive ones, and the reference derivation agrees with both."""
    system = sliding_ladder()
    made = {name: system.derive(name, constraints=constraints) for name in (formalism, "newton_euler")}
    assert made[formalism].agrees_with(made["newton_euler"])
    judged = agreement({name: each.record for name, each in made.items()})
    assert judged, judged


def sliding_ladder() -> ph.System:
    """A ladder on a wall and a driven floor: its feet slide along both."""
    system = ph.System("ladder", gravity=(0, 0, "-9.81"))
    floor, ladder = system.body("floor", mass=1), system.body("ladder", mass=3, inertia=ph.rod(3, 2, "x"))
    system.joint("lift", system.ground, floor, ph.Prismatic("z"))
    system.joint("fall", system.ground, ladder, ph.Planar("y"))
    system.prescribe("lift", ph.sin(system.time) / 10)
    system.close("wall", system.ground, ladder, ph.Compound(ph.Prismatic("z"), ph.Revolute("y")), at_b=(-1, 0, 0))
    system.close("foot", floor, ladder, ph.Compound(ph.Prismatic("x"), ph.Revolute("y")), at_b=(1, 0, 0))
    return system


@every_formalism
def test_every_formalism_is_compared_and_counted(formalism: str) -> None:
    found = spring_and_damper().compare([formalism], run=False)
    assert found.agree and found.formalisms == (formalism,)


@every_formalism
def test_the_command_derives_a_model_file_by_every_formalism(
    formalism: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ROOT / "models" / "pendulum.yaml"
    monkeypatch.setattr(sys, "argv", ["polhode", "derive", str(file), "--formalism", formalism, "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)["formalism"] == formalism


def test_the_documents_name_every_formalism_and_an_unknown_formalism_is_refused_with_a_hint() -> None:
    text = (ROOT / "docs" / "formalisms.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in {*names(historical=True)} - {ADDED.name})
    refused("newton_euler", lambda: pendulum().derive("newton-euler"))
