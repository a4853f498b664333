"""Sayers (1991): the simulation program in the paper's variables, with the steps of the elimination."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.built_program import built, compiler_of, with_run
from tests.seeds import TRIAL, seeds

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import Expr, same, substitute
from polhode.expr.reading import printed_order, readings
from polhode.model.samples import motor_driven_pendulum
from polhode.model.samples.random_system import random_system
from polhode.model.system import System
from polhode.papers.sayers.notation import prime
from polhode.papers.sayers.program import statements
from polhode.papers.sayers.tables import SayersTables

SATELLITE = ph.load(Path(__file__).parents[2] / "models" / "satellite.yaml")
HOSTILE = ['*/ system("x") /*', "a\nb", "Größe & \\ ??/", "Z1", "z1", "P1"]


def driven() -> System:
    """Welded, prescribed and driven by an input that acts in time, with names of all kinds and a ball in a socket."""
    system = ph.System(HOSTILE[0])
    masses = [system.parameter(name, 1 + 0.2 * k) for k, name in enumerate(HOSTILE[1:])]
    push, bodies = system.input("push", 0.5), [system.ground]
    for k, mass in enumerate(masses):
        bodies.append(system.body(f"body {k}", mass, (0.1, 0.2 * mass, -0.3), (1, 1 + mass / 9, 1.5)))
    system.joint("turn", bodies[0], bodies[1], ph.Revolute("y"))
    system.joint("weld", bodies[1], bodies[2], ph.Fixed(), at=(0, 0, -1), rotation=("x", masses[0] / 3))
    system.joint("socket", bodies[2], bodies[3], ph.Spherical(), at=(0, 1, 0))
    system.joint("moved", bodies[3], bodies[4], ph.Prismatic("x"))
    slide = system.joint("slide", bodies[4], bodies[5], ph.Prismatic((0.6, 0, 0.8)))
    system.joint_force(slide, -ph.maximum(ph.tanh(slide.q[0]), ph.minimum(2, push)) * ph.atan2(slide.q[0], 3) ** 2)
    system.prescribe("moved", ph.sin(system.time) / 3)
    system.force(bodies[5], (push * ph.cos(system.time), 0, ph.absolute(push)))
    return system


MECHANISMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "satellite": (lambda: SATELLITE, {"start": "flexing"}),
    "first-order states": (motor_driven_pendulum, {"start": {"hinge": 0.5}}),
    "names and kinds": (driven, {}),
}


#: Every two of mechanism, target and speeds; in a trial all three.
WAYS = [
    (name, target, speeds)
    for k, name in enumerate(MECHANISMS)
    for j, target in enumerate(("c", "fortran"))
    for i, speeds in enumerate(("sayers", None))
    if TRIAL or (i + j + k) % 2 == 0
]


@pytest.mark.parametrize(("name", "target", "speeds"), WAYS)
def test_the_program_takes_the_steps_of_simulate(name: str, target: str, speeds: str | None, tmp_path: Path) -> None:
    if compiler_of(target) is None:
        pytest.skip("no compiler")
    make, options = MECHANISMS[name]
    equations = make().derive("kane", speeds=speeds)
    program = built(equations, target, tmp_path, program="sayers", **options)
    table = program.table(with_run(program.text, 1.0, 0.01, 10), equations)
    run = equations.simulate(1.0, method="rk4", step=0.01, samples=table.t, **options)
    np.testing.assert_allclose(table.q, run.q, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(table.u, run.u, rtol=1e-9, atol=1e-11)


def meanings(report: SayersTables) -> dict[Expr, Expr]:
    """Every name of the program in the system's symbols, line by line."""
    known: dict[Expr, Expr] = {letter: node for node, letter in report.notation.letters_of.items()}
    for line in statements(report):
        known[line.name] = substitute([line.meaning], known)[0]
    return known


@pytest.mark.parametrize("speeds", ["sayers", None])
@pytest.mark.parametrize("seed", seeds(2, of=12))
def test_each_line_follows_from_those_before_and_the_last_are_the_accelerations(seed: int, speeds: str | None) -> None:
    equations = random_system(seed, bodies=4, max_speeds=9).derive("kane", speeds=speeds).record
    report = SayersTables(equations, speeds is not None)
    known, notation = meanings(report), report.notation
    assert same([known[prime(notation.letters_of[u])] for u in report.literal.speeds], equations.forward_dynamics)
    assert same([known[name] for name in notation.rate_names], equations.coordinate_rates)
    assert same(report.written_out(line.meaning for line in statements(report) if line.name.name == "f1"),
                [substitute([report.sums[1][0]], known)[0]])  # fmt: skip


def test_the_source_reads_as_the_paper(tmp_path: Path) -> None:
    """(24), (29), M and f, and each step of the elimination with what it is."""
    SATELLITE.derive("kane", speeds="sayers").export("c", tmp_path, program="sayers", prefix="s")
    lines = [line.strip() for line in (tmp_path / "s_state_rates.c").read_text().splitlines()]
    for line in (
        "const double P1 = p_M_C * p_L2 / P2;", "const double Z1 = u1 + u5 * P1;", "const double q6p = u6 - S5 * q4p;",
        "const double q4p = (C6 * u4 - u5 * S6) / C5;", "const double C7 = cos(q7);", "out_xdot[5] = q6p;",
    ):  # fmt: skip
        assert line in lines, line
    assert any(re.match(r"const double Z\d+ = 1\.0 / \w+; +/\* reciprocal of M\(10,10\) \*/", line) for line in lines)
    assert any(re.search(r"/\* M\(8,8\) without u10p \*/", line) for line in lines)
    assert any(line.startswith("const double u3p = Z") for line in lines)
    assert not any(re.search(r"\bv\d+\b", line) for line in lines), "every value has a name"


def test_names_without_letters_or_digits_are_distinct(tmp_path: Path) -> None:
    """`tau` alone is the array of efforts."""
    s = System("ω")
    body: Any = s.ground
    for name in "αβ":
        link = s.body(f"link {name}", 1, com=(s.parameter(f"{name}ß", 1), 0, 0), inertia=(1, 1, 1))
        s.joint(name, body, link, ph.Revolute("y"))
        body = link
    s.derive("kane").export("c", tmp_path, program="sayers")
    (source,) = tmp_path.glob("*state_rates.c")
    names = {*re.findall(r"const double (\w+) =", source.read_text())}
    assert {"tau_2", "tau_3", "p_2", "p_3"} <= names and not {"tau", "p"} & names


def test_what_has_no_such_program_is_refused(tmp_path: Path) -> None:
    for equations, said in (
        (SATELLITE.derive(), "that of Kane's method, and system 'satellite' was derived by 'auto'"),
        (ph.load(Path(__file__).parents[2] / "models" / "fourbar.yaml").derive("kane"), "that of a tree"),
    ):
        with pytest.raises(PolhodeError, match=rf"(?s){said}.*E-CODE-UNSUPPORTED"):
            equations.export("c", tmp_path / "out", program="sayers")
    with pytest.raises(PolhodeError, match=r"(?s)no program 'sayer'.*E-CODE-NAME"):
        SATELLITE.derive("kane").export("c", tmp_path / "out", program="sayer")
    assert not (tmp_path / "out").exists()


# ---- the report ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", seeds(4, of=12))
def test_sums_of_the_report_are_collected(seed: int) -> None:
    """No two terms of a sum have the same factors, and a sum has one number."""
    report = random_system(seed, bodies=4, max_speeds=9).derive("kane").sayers_tables
    entries = [*report.mass_matrix.entries(), *report.forcing, *report.variables.values()]
    for entry in entries:
        for reading in readings(printed_order(entry, {})).values():
            factors = [frozenset((id(base), power) for base, power in term.factors) for term in reading]
            assert len({*factors}) == len(factors), entry


def test_like_terms_numbers_and_parts_of_a_load_are_one() -> None:
    """F on both sides of a joint, 2/5 + 1/20, and what comes and goes."""
    system = ph.System("crank")
    F = system.input("F", 1)
    first = system.body("first", 1, (0, 0, -1), (0.4, 0.4, 0.1))
    second = system.body("second", 1, (0.05, 0, -0.2), (0.05, 0.05, 0.05))
    system.joint("a", system.ground, first, ph.Revolute("y"))
    system.joint("b", first, second, ph.Revolute("y"), at=(0, 0, -1))
    system.force(second, (F, 0, 0), at=(0, 0, -0.3))
    text = str(system.derive("kane").sayers_tables)
    for line in text.partition("Constants, ")[2].splitlines():
        terms = re.split(r" [+-] ", line.partition(" = ")[2])
        assert len({*terms}) == len(terms), line
        assert sum(bool(re.fullmatch(r"-?[\d/]+", term)) for term in terms) <= 1, line


def test_a_body_without_freedom_has_its_column() -> None:
    """Table 7, 0 DOF: it turns as its parent does; its mass is counted there (15), its inertia is a rotor's (19)."""
    system = ph.System("tool")
    m = {name: system.parameter(f"m_{name}", 1) for name in "ABCD"}
    for name, mass in m.items():
        system.body(name, mass, (0, 0.1, 0.2), (1, 2, 3))
    system.joint("turn", system.ground, "A", ph.Revolute("y"))
    system.joint("weld", "A", "B", ph.Fixed(), at=(0, 0, -1), rotation=("x", 0.3))
    system.joint("second weld", "B", "C", ph.BuildingBlock(), at=(1, 0, 0))
    system.joint("bolted", system.ground, "D", ph.Fixed())
    report = system.derive("kane").sayers_tables

    def cells(table: Any, row: str) -> list[str]:
        return [report.cell_text(table.cell(row, body)) for body in "ABCD"]

    assert report.table_2.bodies == ("A", "B", "C", "D")
    assert cells(report.table_2, "Parent") == ["N", "A", "B", "N"]
    assert cells(report.table_2, "Translation category") == ["recursive", "fixed", "fixed", "fixed"]
    assert cells(report.table_2, "Rotation category") == ["recursive", "rotor", "rotor", "rotor"]
    assert cells(report.table_2, "Composite body mass") == ["m_A + m_B + m_C", "m_B + m_C", "m_C", "m_D"]
    assert cells(report.table_2, "Unit vectors")[1:3] == ["a1, b2, b3", "a1, b2, b3"]
    assert cells(report.table_2, "Rotational coordinates") == ["q1", "—", "—", "—"]
    assert cells(report.table_8, "ω^B")[:2] == ["u1 n2", "u1 n2"]
    his = system.derive("kane", speeds="sayers")
    assert same(report.written_out(report.mass_matrix.entries()), his.mass_matrix.entries())
    assert same(report.written_out(report.forcing), his.forcing)


def test_three_angles_cost_what_29_costs() -> None:
    """q4' and q5' from five multiplications of which one divides, q6' by one multiplication and one addition more."""
    report = SATELLITE.derive("kane").sayers_tables
    lines = {name: text for name, _, text in (line.partition(" = ") for line in report._equations(latex=False))}
    assert lines["q4'"] == "(C6 u4 - S6 u5)/C5" and lines["q5'"] == "C6 u5 + S6 u4" and lines["q6'"] == "u6 - S5 q4'"
    system = ph.System("ball")
    system.joint(
        "turn", system.ground, system.body("ball", 1, (0, 0, 0), (1, 2, 3)), ph.BuildingBlock(rotations=(1, 2, 3))
    )
    count = system.derive("kane", speeds="sayers").operations("coordinate_rates")
    assert (count.multiplications, count.additions, count.divisions) == (5, 3, 1)


@pytest.mark.parametrize("sequence", [(3, 1, 3), (1, 2, 3), (2, 3, 2), (3, 2, 1)])
def test_rates_of_every_sequence_are_those_of_the_tree(sequence: tuple[int, int, int]) -> None:
    system = ph.System("ball")
    ball = system.body("ball", 1, (0.1, 0, 0), (1, 2, 3))
    system.joint("turn", system.ground, ball, ph.BuildingBlock("xyz", rotations=sequence))
    his = system.derive("kane", speeds="sayers")
    assert his.agrees_with(system.derive("composite_body"))
    assert same(his.coordinate_rates, his.record.in_independent_speeds(his.record.tree.coordinate_rates()))
