"""What notes say is true by construction."""

from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.program import Output
from polhode.compiled.annotations import Catalogue, meanings
from polhode.compiled.catalogue import CATALOGUE, plan_of
from polhode.compiled.export import annotated
from polhode.expr import as_expr, cos, evaluate, sin
from polhode.model.samples import six_degree_of_freedom_arm
from polhode.papers.silver.counts import puma_like_arm

MODELS = Path(__file__).parents[3] / "models"


def ur5() -> ph.System:
    try:
        robots = metadata.distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except metadata.PackageNotFoundError:
        pytest.skip("the UR5 comes with example-robot-data: pip install polhode[test]")
    return ph.load(Path(str(robots)) / "ur_description" / "urdf" / "ur5_robot.urdf")


@pytest.fixture(scope="module")
def arm() -> ph.Equations:
    return six_degree_of_freedom_arm().derive()


@pytest.fixture(scope="module")
def pendulums() -> ph.Equations:
    return ph.load(MODELS / "double_pendulum.yaml").derive()


def said(found: dict[int, str], value: object) -> str:
    return found[as_expr(value).fp]


def test_velocities_sines_and_mass_matrices_are_named(arm: ph.Equations) -> None:
    found = meanings(arm.record, "inverse_dynamics")
    for body in ("forearm", "gripper"):
        turned = arm.pose(body).R.T @ (arm.jacobian(body) @ arm.u)[:3]
        for axis, component in zip("xyz", turned, strict=True):
            assert said(found, component) == f"angular velocity of {body}, {axis} in its own frame"
    found = meanings(arm.record, "inverse_dynamics")
    s1, _, e, t1, *_ = arm.q
    assert said(found, sin(t1)) == "sine of t1" and said(found, cos(s1)) == "cosine of s1"
    assert said(found, cos(s1 + e)) == "cosine of e + s1"
    found = meanings(arm.record, "forward_dynamics")
    M = arm.mass_matrix
    assert said(found, M[2, 0]) == "mass matrix, shoulder w1 row, elbow column"
    assert said(found, M[1, 1]) == "mass matrix, shoulder w2 row, shoulder w2 column"


def test_pivots_and_composite_inertias_are_noted(pendulums: ph.Equations) -> None:
    found = meanings(pendulums.record, "forward_dynamics")
    M = pendulums.mass_matrix
    felt = M[0, 0] - M[0, 1] * M[0, 1] / M[1, 1]
    assert said(found, felt) == "inertia that first feels, everything beyond it free"
    assert said(found, 1 / felt) == "1 over the inertia that first feels, all beyond it free"
    alone = pendulums.record.forcing[1] / M[1, 1]
    assert said(found, alone) == "acceleration of second if all before it stood still"
    found = meanings(pendulums.record, "mass_matrix")
    m1, m2, l1 = (pendulums.system.parameters[name].symbol for name in ("m1", "m2", "l1"))
    assert said(found, m1 + m2) == "mass of all that first carries"
    assert said(found, m1 * l1 * l1 / 3) == "inertia of upper, xx"
    g = pendulums.system.gravity[2]
    assert said(meanings(pendulums.record, "bias"), m2 * g) == "weight of lower"


def test_gravity_has_a_note_where_it_is_a_symbol_and_as_a_number_none(arm: ph.Equations) -> None:
    assert arm.system.gravity[2].fp not in meanings(arm.record, "inverse_dynamics")
    (a, b) = ph.symbols("a b", "parameter")
    system = ph.System("pendulum", gravity=(0, 0, -a * b))
    system.joint("hinge", system.ground, system.body("rod", mass=2, com=(0, 0, -1)), ph.Revolute("y"))
    assert said(meanings(system.derive().record, "inverse_dynamics"), -a * b) == "gravity, z"


def test_a_noted_value_is_that_quantity_with_that_sign() -> None:
    """Run the program with every slot put out, and compare with the quantity by itself."""
    arm = six_degree_of_freedom_arm().derive("composite_body")
    planned = annotated(arm.record, "forward_dynamics")
    program, choose = planned.program, np.random.default_rng(3)
    inputs = {array.name: choose.normal(size=array.size) for array in program.arrays}
    parameters = choose.uniform(0.5, 2, size=program.parameters)
    end = program.first_run + len(program.run)
    found = interpret(replace(program, outputs=(Output("y", (end,), tuple(range(end))),)), inputs, parameters)["y"]
    symbols = dict(zip([*arm.q, *arm.u, *arm.tau], np.concatenate(list(inputs.values())), strict=True))
    symbols |= {
        arm.system.parameters[key].symbol: value for key, value in zip(planned.parameters, parameters, strict=True)
    }
    symbols |= {p.symbol: 1.0 for p in arm.system.parameters.values() if p.symbol not in symbols}
    known = meanings(arm.record, "forward_dynamics")
    turning = [x for body in ("forearm", "gripper") for x in arm.pose(body).R.T @ (arm.jacobian(body) @ arm.u)[:3]]
    values = [*arm.mass_matrix.entries(), *arm.bias, *arm.forcing, *arm.forward_dynamics, *turning]
    quantities = {said(known, value): value for value in values if value}
    checked, minus = 0, 0
    for slot, note in program.notes.items():
        name = note.removeprefix("minus ")
        if name in quantities:
            (expected,) = evaluate([quantities[name]], symbols)
            assert found[slot] == pytest.approx(-expected if note != name else expected, rel=1e-9), note
            checked, minus = checked + 1, minus + (note != name)
    assert checked > 20 and minus > 0


@pytest.mark.parametrize("make", [six_degree_of_freedom_arm, ur5, puma_like_arm])
@pytest.mark.parametrize("of", ["forward_dynamics", "inverse_dynamics"])
def test_quantities_of_the_recursions_have_notes_and_steps_between_them_none(make: type[ph.System], of: str) -> None:
    program = annotated(make().derive().record, of).program
    slots = [slot for slot, _ in program.numbered()]
    assert 0.3 < sum(slot in program.notes for slot in slots) / len(slots) < 0.7
    assert not any(note.startswith(("in ", "part of ")) for note in program.notes.values())


def test_numbers_have_no_notes_though_some_are_equal_to_a_quantity() -> None:
    """0.6 is a direction cosine of the slide, and a difference of second moments; 2 u is a speed, and a momentum."""
    system = ph.System("table", gravity=(0, 0, -10))
    table = system.body("A", mass=2, inertia=(1, 1.6, 1))
    system.joint("push", system.ground, table, ph.Prismatic((0.6, 0.8, 0)))
    system.joint("turn", table, system.body("B", mass=2, com=(0.6, 0, 0), inertia=(0.4, 1, 1)), ph.Revolute("z"))
    equations = system.derive()
    for of in ("forward_dynamics", "inverse_dynamics", "mass_matrix", "momentum", "energy"):
        program = annotated(equations.record, of).program
        assert not set(program.notes) & set(range(len(program.constants)))
        assert not set(meanings(equations.record, of)) & {as_expr(x).fp for x in ("0.6", "0.8", "0.36")}
    push, turn = equations.u
    notes = meanings(equations.record, "forward_dynamics")
    assert said(notes, push) == "speed of push" and said(notes, turn) == "speed of turn"
    assert not {(k * x / 5).fp for k in (3, 4, 6, 8, 10) for x in (push, turn)} & set(notes)


def test_results_have_names_and_notes_change_nothing(arm: ph.Equations) -> None:
    system = ph.System("block", gravity=(0, 0, 0))
    system.joint("slide", system.ground, system.body("block", mass=2), ph.Prismatic("x"))
    program = annotated(system.derive().record, "inverse_dynamics").program
    assert program.notes[program.outputs[0].slots[0]] == "effort on slide"
    for of in ("forward_dynamics", "mass_matrix"):
        assert annotated(arm.record, of).program == plan_of(arm.record, of).program
        assert not plan_of(arm.record, of).program.notes
    with pytest.raises(ph.PolhodeError, match="Did you mean 'bias'"):
        meanings(arm.record, "biass")
    note = "torque that moves the " + "very " * 7 + "long arm, x in the frame of the forearm"
    known = Catalogue()
    known.name(ph.symbols("a b")[0], note)
    assert list(known.sentences.values()) == [note.removesuffix(" in the frame of the forearm")]


@pytest.mark.slow
@pytest.mark.parametrize("formalism", ["poincare", "newton_euler", "composite_body", "articulated_body"])
@pytest.mark.parametrize("of", list(CATALOGUE))
def test_every_function_of_every_formalism_has_notes_that_fit_a_line(formalism: str, of: str) -> None:
    program = annotated(ph.load(MODELS / "double_pendulum.yaml").derive(formalism).record, of).program
    assert program.notes or not program.run
    assert all(0 < len(note) <= 80 for note in program.notes.values())


def test_a_result_that_is_a_negative_number_needs_no_note() -> None:
    system = ph.System("two axes")
    carriage = system.body("carriage", mass=2)
    system.joint("along", system.ground, carriage, ph.Prismatic("x"))
    system.joint("back", carriage, system.body("tool", mass=3), ph.Prismatic((-1, 0, 0)))
    equations = system.derive()
    program = annotated(equations.record, "mass_matrix").program
    assert [program.constants[slot] for slot in program.outputs[0].slots] == [5.0, -3.0, -3.0, 3.0]


def test_units_stand_beside_parameters_and_long_names_are_shortened() -> None:
    system = ph.System("damper")
    c = system.parameter("c", 1, "N*s/m")
    block = system.body("block", mass=1)
    joint = system.joint("x", system.ground, block, ph.Prismatic("x"))
    system.joint_force(joint, -c * joint.u[0])
    assert "parameter c, N*s per m" in meanings(system.derive().record, "bias").values()
    system = ph.System("long words")
    body = system.body("x" * 100, mass=1, com=(1, 0, 0))
    system.joint("j" * 100, system.ground, body, ph.Revolute("y"), coordinates=["c" * 100])
    notes = annotated(system.derive().record, "forward_dynamics").program.notes.values()
    assert any("jjj." in note for note in notes) and not any("j" * 20 in note or "c" * 20 in note for note in notes)
