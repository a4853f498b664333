"""What a run refuses before it begins: options that there are not, and wishes that no machine can meet."""

import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.model.unit import si_values
from polhode.simulate import AssemblyOptions, Trajectory, assemble


def mass(name: str = "x") -> ph.Equations:
    """A mass on a line, pushed by an input F."""
    s = ph.System("mass", gravity=(0, 0, 0))
    s.joint(name, s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(name, s.input("F"))
    return s.derive()


def refused(call: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(ph.PolhodeError) as caught:
        call(*args, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"rate": 1e12}, "E-RUN-SIZE"),
        ({"samples": 10**10}, "E-RUN-SIZE"),
        ({"samples": 10**400}, "E-RUN-NUMBER"),
        ({"method": "rk4", "step": 1e-12}, "E-RUN-SIZE"),
        ({"method": "rk4", "step": 5}, "E-RUN-NUMBER"),
        ({"method": "euler", "step": "short"}, "E-CALL-TYPE"),
        ({"samples": "many"}, "E-RUN-NUMBER"),
        ({"samples": ["a", "b"]}, "E-RUN-TYPE"),
        ({"rate": "fast"}, "E-CALL-TYPE"),
        ({"rtol": "tight"}, "E-CALL-TYPE"),
        ({"method": "rk4", "rtol": 1e-6}, "E-RUN-UNSUPPORTED"),
        ({"method": "gauss4", "atol": 1e-6}, "E-RUN-UNSUPPORTED"),
        ({"method": "rk4", "step": 0.01, "max_steps": 99}, "E-RUN-TOO_MANY_STEPS"),
        ({"max_steps": "many"}, "E-CALL-TYPE"),
        ({"step": "short"}, "E-CALL-TYPE"),
    ],
)
def test_f35_a_wish_that_cannot_be_met_is_refused(options: dict[str, Any], code: str) -> None:
    assert f"[{code}]" in refused(mass().simulate, 1, **options)


@pytest.mark.parametrize(("options", "sentence"), [
    ({"events": 5}, "events: 5 is not a list of events"),
    ({"functions": 5}, "functions: 5 is not what equations.compile() gives"),
    ({"audit": "x"}, "audit: 'x' is not True, False or a tolerance"), ({"audit": float("nan")}, "audit: nan is not"),
    ({"hold": 5}, "simulate hold: 5 is not a list of coordinates"),
    ({"progress": 5}, "progress: 5 is not True, False, None or a function"),
])  # fmt: skip
def test_an_option_of_the_wrong_kind_is_told_before_the_run(options: dict[str, Any], sentence: str) -> None:
    def controller(t: float, q: Any, u: Any) -> list[float]:
        raise AssertionError("the run began")

    assert sentence in refused(mass().simulate, 1, tau=controller, **options)


def test_names_and_steps_are_checked() -> None:
    run = mass().simulate(0.1)
    assert "no value ['x']" in refused(run.__getitem__, ["x"]) and "no speed ['x']" in refused(run.speed, ["x"])
    run = mass().simulate(1, method="rk4", step=0.3)
    assert run.info["step"] == pytest.approx(1 / 3)
    assert any("the step is 0.333333 s, not 0.3 s" in notice for notice in run.notices)
    assert not mass().simulate(1, method="rk4", step=0.25).notices
    message = refused(mass().simulate, 1, inputs={"F": [0.0, 1.0]})
    assert "sampled(times, values)" in message
    pushed = mass().simulate(1, inputs=lambda t, q, u: {"F": np.interp(t, [0, 1], [0, 6])})
    assert pushed["x"][-1] == pytest.approx(1, abs=1e-6)
    run = mass().simulate(0.01)
    assert "[E-TRAJECTORY-NAME]" in refused(run.speed, [("z", 0.3)])
    assert "[E-TRAJECTORY-NAME]" in refused(run.__getitem__, [1])
    assert "[E-CODE-NAME]" in refused(mass().compile(cache=False, backend="numpy").evaluate, np.zeros(3), foo=1)


@pytest.mark.parametrize(("wrong", "right"), [("strat", "start"), ("methd", "method"), ("rtoll", "rtol")])
def test_an_option_that_there_is_not_is_told_with_its_likes(wrong: str, right: str) -> None:
    options: Any = {wrong: 1}
    message = refused(mass().simulate, 1, **options)
    assert f"no option '{wrong}'" in message and f"'{right}'" in message
    assert "'hold'" in refused(four_bar().derive().assemble, {"crank": 0.1}, hould=["crank"])


def test_a_type_checker_knows_every_option() -> None:
    own = [p.name for p in inspect.signature(assemble).parameters.values() if p.kind == p.KEYWORD_ONLY]
    assert sorted(AssemblyOptions.__annotations__) == sorted(own)


def test_a_warning_points_at_the_line_that_called() -> None:
    def user(equations: ph.Equations) -> Trajectory:
        return equations.simulate(0.01, start={"crank": 0.3, "coupler": 0.0, "rocker": 0.0})

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        user(four_bar().derive())
    told = {(each.filename, each.lineno) for each in caught if "to keep the constraints" in str(each.message)}
    assert told == {(__file__, user.__code__.co_firstlineno + 1)}


def test_a_warning_points_into_a_package_whose_name_only_begins_like_ours() -> None:
    plugin = f"{Path(ph.__file__).parent}_plugins/own.py"
    written = "def go(equations, **start):\n    return equations.simulate(0.01, start=start)"
    names: dict[str, Any] = {}
    exec(compile(written, plugin, "exec"), names)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names["go"](four_bar().derive(), crank=0.3, coupler=0.0, rocker=0.0)
    told = {(each.filename, each.lineno) for each in caught if "to keep the constraints" in str(each.message)}
    assert told == {(plugin, 2)}


def test_f11_a_name_that_no_text_can_hold_does_not_break_a_table(tmp_path: Path) -> None:
    run = mass("half \ud800").simulate(0.1)
    message = refused(run.to_csv, tmp_path / "run.csv")
    assert "E-FILE-WRITE" in message and r"\ud800" in message
    assert not list(tmp_path.iterdir())


def test_f11_a_warning_that_quotes_half_a_character_can_be_printed() -> None:
    with pytest.warns(UserWarning, match=r"parameter '\\ud800'") as told:
        s = ph.System("s")
        s.parameter("\ud800", 1, "mm")
        si_values(s.parameters, {"\ud800": 1})
    str(told[0].message).encode()
