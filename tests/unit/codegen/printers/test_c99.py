"""The C printer's text and its comments."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.built_program import built, check_starts, compiler_of, crank_and_slider, with_run, with_values

import polhode as ph
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.printers.c99 import print_c
from polhode.codegen.printers.target import sanitised

PENDULUM = Program(
    "pendulum", (Array("q", 1),), 2, (-1.0,), (Instruction("div", (2, 3)),),
    (Instruction("sin", (1,)), Instruction("mul", (5, 4)), Instruction("mul", (6, 0))),
    (Output("ud", (1,), (7,)),), notes={4: "g/l of the pendulum"},
)  # fmt: skip


def test_the_source_reads_like_the_program() -> None:
    source = print_c(PENDULUM).source
    assert re.search(r"const double v4 = v2 / v3; +/\* g l of the pendulum \*/\n\n  w\[0\] = v4;", source)
    run = source.split("void pendulum(")[1]
    assert "const double v4 = w[0];" in run and "const double v5 = sin(v1);" in run and "out_ud[0] = v7;" in run
    assert not any(word in source for word in ("malloc", "static", "goto"))


@given(st.text())
def test_a_sanitised_note_can_neither_end_a_comment_nor_continue_a_line(note: str) -> None:
    clean = sanitised(note)
    assert clean.isascii() and len(clean) <= 80 and not set(clean) & set("*/\\?\n\r\"'#%&;{}<>")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_constant_is_read_back_to_the_same_bits(value: float) -> None:
    program = Program("constant", (), 0, (value,), (), (), (Output("y", (1,), (0,)),))
    printed = print_c(program).source.split("const double v0 = ")[1].split(";")[0]
    assert float(printed).hex() == value.hex()


pytestmark = pytest.mark.skipif(not compiler_of("c"), reason="there is no C compiler here")


def flying_crane() -> ph.System:
    """A free body that carries a driven boom, two geared hinges and a filtered thrust: all that a state can have."""
    s = ph.System("flying crane", gravity=(0, 0, "-9.81"))
    base = s.body("base", s.parameter("m", 3, "kg"), (0.1, 0, 0), (1, 2, 3))
    boom = s.body("boom", 1, (0.5, 0, 0), (0.1, 0.2, 0.2))
    link, hook = s.body("link", 1, (0, 0, -0.3), (0.1, 0.1, 0.1)), s.body("hook", 0.5, (0, 0, -0.2), (0.1, 0.1, 0.1))
    s.joint("flight", s.ground, base, ph.Free())
    s.joint("slew", base, boom, ph.Revolute("z"))
    s.joint("swing", boom, link, ph.Revolute("y"), at=(1, 0, 0))
    s.joint("end", link, hook, ph.Revolute("x"), at=(0, 0, -0.6))
    s.prescribe("slew", 0.4 * ph.sin(2 * s.time))
    s.couple("end", "swing", -1.5, 0.1)
    thrust = s.input("thrust", 20, "N")
    lag = s.state("lag", rate=lambda z: 5 * (thrust - z), start=10, unit="N")
    s.force(base, lag * base.z, at=(0, 0.2, 0))
    return s


@pytest.fixture(scope="module")
def crane() -> ph.Equations:
    return flying_crane().derive()


def test_quaternions_driven_and_coupled_joints_states_and_inputs(crane: ph.Equations, tmp_path: Path) -> None:
    start, speeds = {"flight_e1": 0.3, "swing": 0.5}, {"flight_wy": 0.4, "swing": -0.2}
    with pytest.warns(UserWarning, match="was scaled to 1"):
        program = built(crane, "c", tmp_path, start=start, speeds=speeds)
        run = crane.simulate(
            1, start=start, speeds=speeds, method="rk4", step=0.004, samples=26,
            inputs={"thrust": 35.0}, tau={"swing": 0.7}, parameters={"m": 2.5},
        )  # fmt: skip
    text = with_run(program.text, 1.0, 0.004, 10)
    text = with_values(text, parameters={"m": "+2.5e0"}, efforts={"swing": ".7 # N m"}, inputs={"thrust": 35})
    made = program.table(text, crane)
    assert np.array_equal(made.t, run.t)
    for found, expected in ((made.q, run.q), (made.u, run.u), (made.z, run.z)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    kinetic, potential = crane.compile().energy(run.q, run.u, parameters={"m": 2.5}, t=run.t)
    np.testing.assert_allclose(program.energies(), np.stack([kinetic, potential], axis=-1), rtol=0, atol=1e-11)


START = {"start": {"crank": 0.3, "slide": 2.8}, "speeds": {"crank": 1.0, "slide": -0.5}}


@pytest.mark.filterwarnings("ignore:to keep the constraints")
def test_dependent_coordinates_follow_the_independent_ones(tmp_path: Path) -> None:
    equations = crank_and_slider().derive(independent=["crank"])
    start = {"start": {"crank": 0.3, "slide": 2.8}, "speeds": {"crank": 1.0}}
    program = built(equations, "c", tmp_path, **start)
    made = program.table(with_run(program.text, 1.0, 0.004, 13), equations)
    run = equations.simulate(1, method="rk4", step=0.004, samples=made.t, **start)
    assert np.array_equal(made.t, run.t) and len(made.t) == 21, "the last row is at the end, after fewer steps"
    np.testing.assert_allclose(made.q, run.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(made.u, run.u, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:to keep the constraints")
def test_redundant_rows_are_left_out_and_checked(tmp_path: Path) -> None:
    equations = crank_and_slider(rods=2).derive()
    program = built(equations, "c", tmp_path, prefix="", **START)
    assert (tmp_path / "constraint_rows.c").exists()
    made = program.table(with_run(program.text, 1.0, 0.004, 10), equations)
    run = equations.simulate(1, method="rk4", step=0.004, samples=26, **START)
    np.testing.assert_allclose(made.q, run.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(made.u, run.u, rtol=0, atol=1e-12)
    assert made.drift.position < 1e-12 and made.drift.velocity < 1e-12
    check_starts(program)
    singular = with_values(
        program.text, speeds={"crank": 0, "slide": 0}, coordinates={"crank": math.pi / 2, "slide": 0}
    )
    assert program.run(singular).returncode == 1


def test_a_run_that_cannot_go_on_ends_in_a_sentence(tmp_path: Path) -> None:
    s = ph.System("escape")
    joint = s.joint("x", s.ground, s.body("bead", 1), ph.Prismatic("x"))
    s.joint_force(joint, joint.q[0] ** 3)
    program = built(s.derive(), "c", tmp_path, start={"x": 1.0})
    done = program.run(None, "table.csv")
    assert done.returncode == 1 and done.stderr.startswith("after t = ") and done.stderr.count("\n") == 1
    assert len((tmp_path / "table.csv").read_text().split("\n")) > 10, "what came before is kept"


def test_a_mechanism_without_freedom_still_has_a_table(tmp_path: Path) -> None:
    s = ph.System("rest")
    s.body("block", 1)
    s.joint("weld", s.ground, s.bodies["block"], ph.Fixed())
    program = built(s.derive(), "c", tmp_path, prefix="")
    done = program.run(with_run(program.text, 0.0, 0.1, 1))
    assert done.stdout == "time,energy.kinetic,energy.potential\n0,0,0\n"
