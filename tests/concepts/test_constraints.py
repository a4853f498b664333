"""What every constraint must keep; a new one in CONSTRAINTS needs a mechanism here, and is then tested by being there.

Two of them are not in the package: files beside this one, and the line for each that adds it to the list.
"""

import pickle
import random
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.compare import agreement
from polhode.constraints import Constraints
from polhode.constraints.wrenches import constraint_wrenches
from polhode.errors import ModelError
from polhode.expr import Expr, as_expr, directional, evaluate, same
from polhode.formalisms.registry import names
from polhode.formats import dumps_yaml, loads_yaml, schema
from polhode.formats.document import parse
from polhode.kinematics.motion import flow, link_jacobian
from polhode.model.constraints import CONSTRAINTS
from polhode.model.constraints.protocol import Constraint
from polhode.show.scene import Painter
from polhode.simulate.trajectory.trajectory import Trajectory

from .rack import Rack
from .rod import Rod

ADDED: dict[str, type[Constraint]] = {"rod": Rod, "rack": Rack}


@pytest.fixture(autouse=True, scope="module")
def with_two_more() -> object:
    with pytest.MonkeyPatch.context() as patch:
        for kind, constraint in ADDED.items():
            patch.setitem(CONSTRAINTS, kind, constraint)
        yield


def flight(system: ph.System, name: str, **body: object) -> list[Expr]:
    """A body that moves freely, by coordinates that are rates' integrals."""
    six = ph.Compound(*map(ph.Prismatic, "xyz"), *map(ph.Revolute, "zxy"))
    made = system.body(name, 2, inertia=(1, 2, 3), **body)  # type: ignore[arg-type]
    joint = system.joint("flight", system.ground, made, six, coordinates=["x", "y", "z", "yaw", "lean", "spin"])
    return list(joint.q)


def bars(system: ph.System) -> None:
    """Two bars on the ground that swing about axes which are not parallel."""
    for name, axis, x in (("left", "y", 0), ("right", (0, 3, 4), 1)):
        system.body(name, 2, (0, 0, "-0.5"), (1, 2, 3))
        system.joint(name, system.ground, name, ph.Revolute(axis), at=(x, 0, 0))


def closure(system: ph.System) -> None:
    system.body("crank", 2, (0, 0, "0.5"), (1, 2, 3))
    system.body("coupler", 1, ("0.5", 0, 0), (1, 1, 1))
    system.joint("crank", system.ground, "crank", ph.Revolute("y"))
    system.joint("elbow", "crank", "coupler", ph.Revolute("y"), at=(0, 0, 1))
    system.close("it", system.ground, "coupler", ph.Compound(ph.Prismatic("x"), ph.Revolute("y")), at_b=(3, 0, 0))


def condition(system: ph.System) -> None:
    bars(system)
    left, right = (system.joints[name].q[0] for name in ("left", "right"))
    system.constrain(ph.sin(left) - right / 2, "it")


def wheel(system: ph.System) -> None:
    flight(system, "wheel")
    system.roll_wheel("it", "wheel", "0.5")


def ball(system: ph.System) -> None:
    flight(system, "ball")
    system.roll_ball("it", "ball", "0.5", rotation=("y", "0.3"))


def disc(system: ph.System) -> None:
    system.joint("move", system.ground, system.body("disc", 2, inertia=(1, 2, 3)), ph.Planar("y"))
    system.roll_disc("it", "disc", "0.25", lambda x: ph.cos(x) / 2)


def knife_edge(system: ph.System) -> None:
    flight(system, "sleigh", com=("0.2", 0, 0))
    system.knife_edge("it", "sleigh", at=(1, 0, 0))


def no_slip(system: ph.System) -> None:
    coordinates = flight(system, "plate")
    system.no_slip("it", "plate", at=(coordinates[0], 0, 1), directions=["x", (1, 2, 0)])


def rod(system: ph.System) -> None:
    bars(system)
    system.constraint("it", Rod, a="left", b="right", at_a=(0, 0, -1), at_b=(0, "0.5", -1), length="1.1")


def rack(system: ph.System) -> None:
    system.body("slide", 2, inertia=(1, 2, 3))
    system.joint("slide", system.ground, "slide", ph.Compound(ph.Prismatic("x"), ph.Revolute("y")))
    system.body("pinion", 1, (0, 0, "0.1"), (1, 2, 3))
    system.joint("turn", system.ground, "pinion", ph.Revolute("y"), at=(0, 0, 1))
    system.constraint("it", Rack, body="pinion", radius="0.5", on="slide")


#: For each kind a mechanism, and how many freedoms the constraint leaves it.
MECHANISMS: dict[str, tuple[Callable[[ph.System], None], int]] = {
    "closure": (closure, 1), "condition": (condition, 1), "wheel": (wheel, 3), "ball": (ball, 3), "disc": (disc, 1),
    "knife_edge": (knife_edge, 5), "no_slip": (no_slip, 4), "rod": (rod, 1), "rack": (rack, 2),
}  # fmt: skip
KINDS = [*(kind for kind, each in CONSTRAINTS.items() if each.store == "constraints"), *ADDED]


@cache
def made(kind: str) -> ph.System:
    system = ph.System(kind)
    MECHANISMS[kind][0](system)
    return system


@cache
def derived(kind: str) -> ph.Equations:
    return made(kind).derive("newton_euler")


@cache
def run(kind: str) -> Trajectory:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the start is only near to where the constraint holds
        return derived(kind).simulate(0.4, start=_start(kind))


def _start(kind: str) -> dict[str, float]:
    return {q.name: 0.2 + 0.1 * k for joint in made(kind).joints.values() for k, q in enumerate(joint.q)}


def constraints(kind: str) -> Constraints:
    found = derived(kind).constraints
    assert found is not None
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_its_fields_are_its_attributes_and_it_is_plain_data_and_unknown_and_missing_fields_are_told(kind: str) -> None:
    element = made(kind).constraints["it"]
    assert type(element) is CONSTRAINTS[kind] and all(hasattr(element, field.name) for field in element.fields)
    assert (type(element).__doc__ or "").split("\n")[0].endswith(".")
    again = pickle.loads(pickle.dumps(made(kind).model()))
    assert again.digest == made(kind).model().digest
    system, constraint = ph.System("empty"), CONSTRAINTS[kind]
    refused("it has no field 'colour'", lambda: system.constraint("it", constraint, colour="red"), ModelError)
    required = [field.name for field in constraint.fields if field.is_required]
    if required:
        refused(f"its field '{required[0]}' is missing", lambda: system.constraint("it", constraint), ModelError)


def test_a_length_that_is_not_positive_is_refused() -> None:
    system = ph.System("two")
    bars(system)
    with pytest.raises(ModelError, match="the length 0 is not positive"):
        system.constraint("it", Rod, a="left", b="right", length=0)
    with pytest.raises(ModelError, match="both frames are on body 'left'"):
        system.constraint("it", Rod, a="left", b="left", length=1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rates_of_its_rows_are_the_derivatives_of_their_values(kind: str) -> None:
    """At an assembled pose, at any speeds: an auxiliary coordinate is where its definition puts it."""
    found, equations = constraints(kind), derived(kind)
    assert found.rows
    start = equations.assemble(_start(kind))
    dice = random.Random(kind)
    state = {**found.reference, **dict(zip(equations.q, start.q.tolist(), strict=True))}
    state |= {u: dice.uniform(-1, 1) for u in found.tree.u}
    along = flow(found.tree, equations.system.time)
    values = [row.value for row in found.rows if row.value is not None]
    rates = [row.rate for row in found.rows if row.value is not None]
    assert evaluate(directional(values, along), state) == pytest.approx(evaluate(rates, state), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_every_formalism_agrees_with_multipliers_and_embedded(kind: str) -> None:
    judge = made(kind).derive("poincare")
    for formalism in names():
        assert made(kind).derive(formalism).agrees_with(judge), formalism
    for formalism in ("poincare", "kane", "hamel"):
        assert made(kind).derive(formalism, constraints="embedded").agrees_with(judge), formalism


@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_derivation_covers_it_and_agrees_and_its_forces_do_the_work_of_its_multipliers(kind: str) -> None:
    found = agreement({"newton_euler": derived(kind).record, "network": made(kind).derive("network").record})
    assert found, str(found)
    assert not found.not_covered and "constraint row A" in found.checked
    found = constraints(kind)
    wrenches, efforts = constraint_wrenches(made(kind), found, found.multipliers)
    for place, (n, f) in enumerate(wrenches):
        for speed, w, v in link_jacobian(found.tree, place):
            efforts[speed] = as_expr(efforts[speed] + w.dot(n) + v.dot(f))
    assert same(efforts, found.A.T @ found.multipliers)


@pytest.mark.parametrize("kind", KINDS)
def test_its_reactions_on_the_two_bodies_balance(kind: str) -> None:
    bodies = made(kind).constraints["it"].bodies
    if not bodies:
        refused("acts on no body by itself", lambda: derived(kind).reaction("it"))
        return
    one, other = (derived(kind).reaction("it", at="ground", frame="ground", on=body) for body in bodies)
    assert same(list(one.force), [-entry for entry in other.force])
    assert same(list(one.torque), [-entry for entry in other.torque])


@pytest.mark.parametrize("kind", KINDS)
def test_diagnostics_count_the_freedoms_that_it_leaves(kind: str) -> None:
    found = made(kind).diagnose(_start(kind))
    assert found.can_be_assembled, found.text()
    assert found.freedom == MECHANISMS[kind][1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_assembles_and_keeps_it_and_its_forces_do_no_work(kind: str) -> None:
    made_run = run(kind)
    assert made_run.status == "done" and made_run.drift.position < 1e-9 and made_run.drift.velocity < 1e-8
    assert np.ptp(made_run.energy.total) < 1e-6 * max(1.0, np.abs(made_run.energy.total).max())


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_drawn_on_a_page(kind: str, tmp_path: Path) -> None:
    element = made(kind).constraints["it"]
    assert all(mark.kind in ("end", "plane", "curve") and mark.body in made(kind).bodies for mark in element.drawing)
    page = run(kind).animate(tmp_path / "it.html")
    assert page.stat().st_size > 1000


def test_a_rod_is_drawn_by_the_bars_that_lead_to_its_ends() -> None:
    drawn = {body.name: body for body in Painter(derived("rod").system, {}, {}).scene("rod").bodies}
    assert drawn["left"].tracer == pytest.approx([0, 0, -1]) and drawn["right"].tracer == pytest.approx([0, 0.5, -1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_file_says_it_and_follows_the_schema(kind: str) -> None:
    text = dumps_yaml(made(kind))
    again = loads_yaml(text)
    assert type(again.constraints["it"]) is CONSTRAINTS[kind] and dumps_yaml(again) == text
    assert again.derive("newton_euler").agrees_with(derived(kind))
    checker = jsonschema.Draft202012Validator(schema())
    data = parse(text, "it.yaml").data
    assert CONSTRAINTS[kind].table in data
    checker.validate({CONSTRAINTS[kind].table: data[CONSTRAINTS[kind].table]})


def test_what_is_wrong_with_one_from_outside_is_told_with_its_line() -> None:
    text = dumps_yaml(made("rod")).replace("length:", "lenght:")
    message = refused("there is no such key", lambda: loads_yaml(text, file="rod.yaml"))
    assert "Did you mean `length`?" in message and "constraints.it" in message
