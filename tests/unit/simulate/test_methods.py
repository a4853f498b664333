"""Values that are given later: plain numbers are in SI units, texts carry a unit, wherever a value is taken."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control import ComputedTorque
from polhode.formats import dumps_yaml, loads_yaml
from polhode.simulate import Trajectory


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def oscillator() -> ph.System:
    """20 kN/m and 500 g: ω² = 40,000 /s², f = 31.83 Hz."""
    s = ph.System("oscillator", gravity=(0, 0, 0))
    k, m = s.parameter("k", 20, unit="kN/m"), s.parameter("m", 500, unit="g")
    rail = s.joint("x", s.ground, s.body("block", m), ph.Prismatic("x"))
    s.joint_spring(rail, k)
    s.joint_force(rail, s.input("push", unit="N"))
    return s


def test_twenty_kilonewtons_a_metre_and_five_hundred_grams_swing_at_32_hertz() -> None:
    equations = oscillator().derive()
    (mode,) = equations.linearize().modes()
    assert mode.frequency == pytest.approx(np.sqrt(20000 / 0.5) / (2 * np.pi), rel=1e-12)
    assert mode.frequency == pytest.approx(31.830988618379067, rel=1e-12)
    run = equations.simulate(0.1, start={"x": "1 mm"}, samples=401)
    assert run["x"] == pytest.approx(1e-3 * np.cos(200 * run.t), abs=1e-10)


def test_a_model_file_says_the_same_and_comes_back_as_it_was_written() -> None:
    text = """
    parameters: {k: {value: 20, unit: kN/m}, m: 500 g, a: {value: 30, unit: deg}, w: 60 rpm}
    inputs: {push: 2 kN}
    states: {z: {rate: 0, start: 90 deg}}
    gravity: [0, 0, 0]
    bodies: {block: {mass: m}}
    joints: {x: {type: prismatic, parent: ground, child: block}}
    loads: [{type: joint_spring, joint: x, stiffness: k}]
    poses: {out: {coordinates: {x: 5 mm}, speeds: {x: 36 kph}}}
    """
    system = loads_yaml(text)
    values = {name: each.value for name, each in system.parameters.items()}
    assert values == {"k": 20000, "m": ph.expr.as_expr("1/2"), "a": ph.pi / 6, "w": 2 * ph.pi}
    assert (system.inputs["push"].value, system.states["z"].start) == (2000, ph.pi / 2)
    assert system.poses["out"].coordinates == {"x": 0.005} and system.poses["out"].speeds == {"x": 10.0}
    written = dumps_yaml(system)
    assert "k: {value: 20, unit: kN/m}" in written and "a: {value: 30, unit: deg}" in written
    again = loads_yaml(written)
    assert again.model().digest == system.model().digest and dumps_yaml(again) == written


def test_a_model_file_refuses_units_with_their_line() -> None:
    for line, said in (
        ("m: {value: 1, unit: m}", r"the mass m is in m, not in kg"),
        ("m: {value: 1, unit: bananas}", "no unit 'bananas'"),
        ("m: 3 bananas", "no unit 'bananas'"),
    ):
        text = f"parameters:\n  {line}\nbodies: {{b: {{mass: m}}}}\njoints: {{x: {{parent: ground, child: b}}}}\n"
        with pytest.raises(ph.PolhodeError, match=said) as caught:
            loads_yaml(text)
        assert ":2: " in str(caught.value) or ":3: " in str(caught.value)


GIVEN: list[Callable[[Any, dict[str, Any]], Any]] = [
    lambda e, p: e.simulate(0.01, start={"x": 1}, parameters=p)["x"][-1],
    lambda e, p: e.compile().bias([1.0], [0.0], parameters=p)[0],
    lambda e, p: e.linearize(parameters=p).modes()[0].frequency,
    lambda e, p: e.linearize().modes(p)[0].frequency,
    lambda e, p: e.linearize().numbers("A", p)[1, 0],
    lambda e, p: e.sweep({"x": [1.0]}, 0.01, measure="final:x", parameters=p)["final:x"][0],
    lambda e, p: e.sweep({"k": [p["k"]]}, 0.01, start={"x": 1}, measure="final:x")["final:x"][0],
    lambda e, p: e.stepper(dt=0.001, start={"x": 1}, parameters=p).step()[0][0],
    lambda e, p: e.equilibrium(start={"x": 1}, given={"push": 1}, parameters=p).coordinates["x"],
    lambda e, p: e.simulate(0.01, start={"x": 1}).of(e, p).energy.potential[0],
    lambda e, p: e.simulate(0.01, start={"x": [1.0, 2.0]}, parameters=p)["x"][0, -1],
    lambda e, p: ComputedTorque(e, kp=1, kd=1, parameters=p).nominal["k"],
    lambda e, p: str(e.conserved(p)),
]


@pytest.mark.parametrize("take", GIVEN)
def test_a_text_with_a_unit_is_taken_wherever_a_number_is(take: Callable[[Any, dict[str, Any]], Any]) -> None:
    equations = oscillator().derive()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = take(equations, {"k": 25000})
    assert take(equations, {"k": "25 kN/m"}) == plain == take(equations, {"k": "25 N/mm"})
    refused(r"'25 kg' is not in units of kN/m", lambda: take(equations, {"k": "25 kg"}))
    refused("no unit 'bananas'", lambda: take(equations, {"k": "25 bananas"}))


@pytest.mark.parametrize("take", GIVEN)
def test_a_plain_number_for_what_is_stated_in_another_unit_is_in_si_units_with_a_warning(
    take: Callable[[Any, dict[str, Any]], Any],
) -> None:
    equations = oscillator().derive()
    with pytest.warns(UserWarning, match=r"'k': plain numbers are in SI units, N/m; the model") as told:
        take(equations, {"k": 25000})
    assert len({str(each.message) for each in told}) == 1 and told[0].filename == __file__


def test_a_run_warns_once_and_texts_and_si_units_need_no_warning() -> None:
    equations = oscillator().derive()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = equations.simulate(0.01, start={"x": 1}, parameters={"k": 25000, "m": 1})
        assert run.energy.total[0] == pytest.approx(12500)
        run.reaction("x")
    assert sorted(str(each.message)[:13] for each in told) == ["parameter 'k'", "parameter 'm'"]
    batch = oscillator().derive().simulate(0.01, start={"x": "1 mm"}, parameters={"k": ["1 kN/m", "2 kN/m"]})
    alone = oscillator().derive().simulate(0.01, start={"x": 0.001}, parameters={"k": "2 kN/m"})
    np.testing.assert_array_equal(batch.q[1], alone.q)
    s = ph.System("s", gravity=(0, 0, 0))
    m, k = s.parameter("m", 1, "kg"), s.parameter("k", 1)
    s.joint_spring(s.joint("x", s.ground, s.body("b", m), "prismatic"), k)
    s.derive().simulate(0.1, start={"x": 1}, parameters={"m": 2, "k": 3})


def test_starts_speeds_inputs_and_efforts_may_have_units_and_a_sweep_over_texts_is_one_over_si_units() -> None:
    equations = oscillator().derive()
    run = equations.simulate(
        0.01, start={"x": "2 cm"}, speeds={"x": "3.6 kph"}, inputs={"push": "1 kN"}, tau={"x": "-1 kN"}, samples=3
    )
    assert (run["x"][0], run.speed("x")[0], run["push"][0]) == (0.02, 1.0, 1000.0)
    assert run.tau is not None and run.tau[0, 0] == -1000.0
    functions = equations.compile()
    text, plain = (functions.bias([0.0], [0.0], inputs={"push": push}) for push in ("1 kN", 1000.0))
    assert (text == plain).all() and text[0] == -1000.0
    for options in ({"start": {"x": "2 kg"}}, {"speeds": {"x": "2 m"}}, {"inputs": {"push": "2 J"}}):
        with pytest.raises(ph.PolhodeError, match="is not in units of"):
            equations.simulate(0.01, **options)
    sweep = oscillator().derive().sweep({"k": ["10 kN/m", "20 kN/m"], "x": ["1 mm"]}, 0.01)
    assert sweep.axes["k"].tolist() == [10000.0, 20000.0] and sweep.axes["x(0)"].tolist() == [0.001]
    assert sweep.units["k"] == "N/m"


def test_results_say_si_units_and_the_list_of_parameters_what_was_stated(tmp_path: Path) -> None:
    system = oscillator()
    assert "20" in (text := system._cell().text()) and "kN/m" in text and "20000" not in text
    folder = tmp_path / "code"
    system.derive().export("c", folder, ["bias"])
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert '"unit": "N/m"' in sources and "kN" not in sources and "20000" in sources


def test_a_name_that_ends_in_brackets_survives_a_table(tmp_path: Path) -> None:
    s = ph.System("s")
    s.joint("j", s.ground, s.body("b", 1), ph.Prismatic("x"), coordinates=["x [m]"], speeds=["x [m]"])
    s.input("in [1]")
    equations = s.derive()
    run = equations.simulate(1, speeds={"x [m]": 1}, samples=3)
    path = run.to_csv(tmp_path / "run.csv")
    assert path.read_text().splitlines()[0] == "time [s],q.x [m] [m],u.x [m] [m/s],input.in [1] [?]"
    again = Trajectory.from_csv(path)
    assert again.coordinates == again.speeds == ("x [m]",) and again.input_names == ("in [1]",)
    assert (again.q == run.q).all()
    assert again.to_csv(tmp_path / "plain.csv").read_text().startswith("time,q.x [m],u.x [m],input.in [1]\n")
    assert Trajectory.from_csv(tmp_path / "plain.csv").coordinates == ("x [m]",)
