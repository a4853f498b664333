"""Sayers (1991): the satellite of Figs. 1 and 2. Tables 2, 8 and 10 and equations (24) and (29), cell by cell.

Z variables are not defined in the paper; where a cell holds one, its meaning is read off the place where it first
stands, and every later use must then agree. What is printed wrong is in docs/errata.md.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.compiled.functions import Functions
from polhode.errors import PolhodeError
from polhode.expr import Expr, Vector, as_expr, cos, derivative, directional, same, sin, substitute
from polhode.formalisms.derivation import Derivation
from polhode.papers.sayers.tables import Cell, SayersTables, Table
from polhode.simulate import simulate

SATELLITE = ph.load(Path(__file__).parents[2] / "models" / "satellite.yaml")
EQUATIONS = SATELLITE.derive("kane", tables=True)
REPORT: SayersTables = EQUATIONS.sayers_tables
IN_HIS_SPEEDS = SATELLITE.derive("kane", speeds="sayers")
BODIES = "BCDEF"

q = dict(enumerate(EQUATIONS.q, start=1))
u = dict(enumerate(REPORT.literal.speeds, start=1))
C, S = ({k: wave(q[k]) for k in q} for wave in (cos, sin))
L = {k: SATELLITE.parameters[f"L{k}"].symbol for k in (1, 2, 3, 5, 6, 7, 8)}
(P1,) = REPORT.constants

#: What Tables 8 and 10 mean by their Z, each read off one cell.
Z: dict[int, Expr] = {3: u[6] + u[7], 13: u[6] + u[9]}
Z[4], Z[5] = u[4] * C[7] + u[5] * S[7], u[5] * C[7] - u[4] * S[7]
Z[6], Z[7] = C[8] * Z[3] - S[8] * Z[5], C[8] * Z[5] + S[8] * Z[3]
Z |= {8: S[7] * S[8], 9: S[7] * C[8], 10: C[7] * S[8], 11: C[7] * C[8], 12: Z[4] + u[8]}
Z[14] = u[5] * C[9] - u[4] * S[9]
Z[15], Z[16] = C[10] * Z[13] - S[10] * Z[14], C[10] * Z[14] + S[10] * Z[13]
Z |= {17: S[9] * S[10], 18: S[9] * C[10], 19: C[9] * S[10], 20: C[9] * C[10]}
Z[21] = u[4] * C[9] + u[5] * S[9] + u[10]
Z |= {22: P1 * S[7], 23: P1 * C[7], 33: L[3] - L[5] * C[8] + L[6] * S[8], 34: P1 * S[9], 35: P1 * C[9]}
Z |= {36: L[7] * S[9], 45: L[8] * C[10]}
Z[60] = C[9] * u[4] * u[9] + S[9] * u[5] * u[9]
Z[46] = L[7] * C[9] + Z[45]
Z |= {61: S[10] * Z[60] - u[10] * Z[16], 62: u[5] * u[6], 63: u[4] ** 2, 64: u[5] ** 2, 88: Z[16] * Z[21]}
Z |= {49: u[5] * u[7] * C[7], 50: u[4] * u[7] * S[7], 68: Z[3] * Z[5], 69: Z[4] ** 2}
Z[55] = S[8] * (C[7] * u[4] * u[7] + S[7] * u[5] * u[7]) - u[8] * Z[7]
Z[56] = u[8] * Z[6] - C[8] * (C[7] * u[4] * u[7] + S[7] * u[5] * u[7])

Printed = Mapping[str, Any]  # unit vectors (or pairs of them), each with its coefficient


def parts(item: Any) -> dict[str, Expr]:
    """A vector or dyadic of a table by its unit vectors."""
    return {" ".join(unit.text() for unit in units): entry for entry, units in item.terms}


def assert_same_sum(item: Any, printed: Printed) -> None:
    ours = parts(item)
    assert {*ours} == {*printed}
    assert same([ours[unit] for unit in printed], [as_expr(value) for value in printed.values()])


def assert_same_cells(cell: Cell, printed: Sequence[Printed]) -> None:
    assert len(cell) == len(printed)
    for item, vector in zip(cell, printed, strict=True):
        assert_same_sum(item, vector)


# ---- Table 2 -------------------------------------------------------------------------------------------------

#: As printed, but for spaces; "—" where a cell is blank.
TABLE_2 = {
    "Name": ("Bus", "Clock", "Camera", "E", "Boom"),
    "Parent": ("N", "B", "C", "B", "E"),
    "Level": ("1", "2", "3", "2", "3"),
    "Children": ("C, E", "D", "—", "F", "—"),
    "Translation category": ("nonrecursive", "fixed", "recursive", "fixed", "recursive"),
    "Composite body mass": ("M_B + M_C", "M_C", "M_D", "0", "M_F"),
    "Unit vectors": ("b1, b2, b3", "c1, c2, b3", "c1, d2, d3", "e1, e2, b3", "e1, f2, f3"),
    "Rotation category": ("nonrecursive", "rotor", "recursive", "rotor", "recursive"),
    "Translational coordinates": ("q1, q2, q3", "—", "—", "—", "—"),
    "Translational speeds": ("u1, u2, u3", "—", "—", "—", "—"),
    "Translational directions": ("n1, n2, n3", "—", "—", "—", "—"),
    "Direction of translational speeds": ("b1, b2, b3", "—", "—", "—", "—"),
    "Rotational coordinates": ("q4, q5, q6", "q7", "q8", "q9", "q10"),
    "Rotation speeds": ("u4, u5, u6", "u7", "u8", "u9", "u10"),
    "Directions of rotational speeds": ("b1, b2, b3", "b3", "c1", "b3", "e1"),
    "Joint point (in parent)": ("0, 0, 0", "0, 0, 0", "0, L3, -L1", "0, -L7, 0", "0, 0, 0"),
    "Mass center of composite body": ("0, 0, -P1", "0, 0, -L2", "0, -L5, -L6", "0, 0, 0", "0, -L8, 0"),
}


@pytest.mark.parametrize("row", TABLE_2)
def test_table_2_says_of_each_body_what_is_printed(row: str) -> None:
    assert [REPORT.cell_text(REPORT.table_2.cell(row, body)) for body in BODIES] == list(TABLE_2[row])


def test_table_2_has_no_other_rows_than_the_printed_ones() -> None:
    rest = {"Rotation directions", "Inertia dyadic of composite body"}
    assert {row.name for row in REPORT.table_2.rows} == {*TABLE_2} | rest
    assert REPORT.table_2.bodies == tuple(BODIES)


def test_table_2_gives_the_directions_of_rotation() -> None:
    printed: dict[str, Sequence[Printed]] = {
        "B": ({"n1": 1}, {"b2": C[6], "b1": S[6]}, {"b3": 1}),
        "C": ({"b3": 1},), "D": ({"c1": 1},), "E": ({"b3": 1},), "F": ({"e1": 1},),
    }  # fmt: skip
    for body, cell in printed.items():
        assert_same_cells(REPORT.table_2.cell("Rotation directions", body), cell)


def full(letter: str, units: str) -> dict[str, Expr]:
    """A full symmetric inertia dyadic of parameters I_X11 … I_X33."""
    names = units.split()
    values = {name: SATELLITE.parameters[name].symbol for name in SATELLITE.parameters if name.startswith("I_")}
    return {
        f"{a} {b}": values[f"I_{letter}{min(i, j)}{max(i, j)}"]
        for i, a in enumerate(names, start=1)
        for j, b in enumerate(names, start=1)
    }


def test_table_2_gives_the_inertia_dyadics_of_composite_bodies() -> None:
    """The clock's spin inertia, which the paper does not print, is ours: I_C3 (b3 b3)."""
    p = {name: entry.symbol for name, entry in SATELLITE.parameters.items()}
    lumped = p["M_B"] * P1**2 + p["M_C"] * (p["L2"] - P1) ** 2
    bus = full("B", "b1 b2 b3")
    bus["b1 b1"], bus["b2 b2"] = bus["b1 b1"] + lumped, bus["b2 b2"] + lumped
    printed: dict[str, Printed] = {
        "B": bus, "C": {"b1 b1": p["I_C"], "b2 b2": p["I_C"], "b3 b3": p["I_C3"]}, "D": full("D", "c1 d2 d3"),
        "E": {}, "F": {"e1 e1": p["I_F1"], "f2 f2": p["I_F2"], "f3 f3": p["I_F1"]},
    }  # fmt: skip
    for body, dyadic in printed.items():
        assert_same_cells(REPORT.table_2.cell("Inertia dyadic of composite body", body), [dyadic])


def test_the_constant_below_table_2() -> None:
    p = {name: entry.symbol for name, entry in SATELLITE.parameters.items()}
    assert P1.name == "P1"
    assert same([REPORT.constants[P1]], [p["L2"] * p["M_C"] / (p["M_B"] + p["M_C"])])


# ---- (24) and (29) -------------------------------------------------------------------------------------------


def printed_rates() -> list[Expr]:
    Z1, Z2 = P1 * u[5] + u[1], P1 * u[4] - u[2]
    q4 = (u[4] * C[6] - u[5] * S[6]) / C[5]
    return [
        C[5] * (Z1 * C[6] + Z2 * S[6]) + u[3] * S[5],
        -(Z2 * (C[6] * C[4] - S[6] * S[4] * S[5]) - Z1 * (C[6] * S[5] * S[4] + C[4] * S[6]) + u[3] * C[5] * S[4]),
        u[3] * C[5] * C[4] + Z1 * (-C[6] * C[4] * S[5] + S[6] * S[4]) - Z2 * (C[4] * S[5] * S[6] + C[6] * S[4]),
        q4, u[5] * C[6] + u[4] * S[6], u[6] - q4 * S[5], u[7], u[8], u[9], u[10],
    ]  # fmt: skip


def test_kinematical_equations_24_and_29_are_the_printed_ones() -> None:
    assert same([rate for _, rate in REPORT.kinematics], printed_rates())
    assert same(IN_HIS_SPEEDS.coordinate_rates, substitute(printed_rates(), REPORT.constants))


# ---- Tables 8 and 10 -----------------------------------------------------------------------------------------

NO: Printed = {}
B1, B2, B3 = {"b1": 1}, {"b2": 1}, {"b3": 1}
IN_D = [{"d3": Z[8], "d2": -Z[9], "c1": C[7]}, {"d3": -Z[10], "d2": Z[11], "c1": S[7]}, {"d3": C[8], "d2": S[8]}]
IN_F = [{"f3": Z[17], "f2": -Z[18], "e1": C[9]}, {"f3": -Z[19], "f2": Z[20], "e1": S[9]}, {"f3": C[10], "f2": S[10]}]
OF_BUS = {"b1": u[4], "b2": u[5], "b3": u[6]}

#: Vectors, a row each; None where the cell is blank or its Z have lost digits.
TABLE_8: dict[str, Sequence[Printed | None]] = {
    "ω^A'": (
        None, OF_BUS, {"c1": Z[4], "d3": Z[6], "d2": Z[7]}, OF_BUS,
        {"e1": u[4] * C[9] + u[5] * S[9], "f3": Z[15], "f2": Z[16]},
    ),
    "Aω^B": (NO, {"b3": u[7]}, {"c1": u[8]}, {"b3": u[9]}, {"e1": u[10]}),
    "ω^B": (
        OF_BUS, {"b2": u[5], "b1": u[4], "b3": Z[3]}, {"d3": Z[6], "d2": Z[7], "c1": Z[12]},
        {"b2": u[5], "b1": u[4], "b3": Z[13]}, {"f3": Z[15], "f2": Z[16], "e1": Z[21]},
    ),
    "α_rem^B": (NO, None, None, None, None),
    "α_rem^AB": (
        NO, {"b1": u[5] * u[7], "b2": -u[4] * u[7]}, {"d2": u[8] * Z[6], "d3": -u[8] * Z[7]},
        {"b1": u[5] * u[9], "b2": -u[4] * u[9]}, {"f2": u[10] * Z[15], "f3": -u[10] * Z[16]},
    ),
}  # fmt: skip

#: A vector for each speed. Printed with slips: Aω_i^D has nine entries, ω_i^D repeats some, ω_5^E reads b.
TABLE_8_PARTIALS: dict[str, Sequence[Sequence[Printed] | None]] = {
    "ω_i^A'": (
        None, [NO, NO, NO, B1, B2, B3, NO, NO, NO, NO], [NO, NO, NO, *IN_D, IN_D[2], NO, NO, NO],
        [NO, NO, NO, B1, B2, B3, NO, NO, NO, NO], [NO, NO, NO, *IN_F, NO, NO, IN_F[2], NO],
    ),
    "Aω_i^B": (
        [NO] * 10, [*[NO] * 6, B3, *[NO] * 3], [*[NO] * 7, {"c1": 1}, NO, NO], [*[NO] * 8, B3, NO],
        [*[NO] * 9, {"e1": 1}],
    ),
    "ω_i^B": (
        [NO, NO, NO, B1, B2, B3, NO, NO, NO, NO], [NO, NO, NO, B1, B2, B3, B3, NO, NO, NO],
        [NO, NO, NO, *IN_D, IN_D[2], {"c1": 1}, NO, NO], [NO, NO, NO, B1, B2, B3, NO, NO, B3, NO],
        [NO, NO, NO, *IN_F, NO, NO, IN_F[2], {"e1": 1}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", TABLE_8)
def test_table_8_gives_angular_velocities_and_remainders(row: str) -> None:
    for body, printed in zip(BODIES, TABLE_8[row], strict=True):
        if printed is not None:
            assert_same_cells(REPORT.table_8.cell(row, body), [printed])


@pytest.mark.parametrize("row", TABLE_8_PARTIALS)
def test_table_8_gives_partial_angular_velocities(row: str) -> None:
    for body, printed in zip(BODIES, TABLE_8_PARTIALS[row], strict=True):
        if printed is not None:
            assert_same_cells(REPORT.table_8.cell(row, body), printed)


def test_the_boom_s_remainder_in_table_8_reads_as_printed_in_f2() -> None:
    (cell,) = REPORT.table_8.cell("α_rem^B", "F")
    assert same([parts(cell)["f2"]], [u[10] * Z[15] - Z[60] * C[10]])
    assert same([parts(cell)["f3"]], [Z[61]])


def test_remainders_of_angular_acceleration_in_table_8_are_derivatives() -> None:
    """α_rem of (33), whose Z have lost digits in print: the rate of ω in the ground at u̇ = 0, along (24) and (29)."""
    flow = dict(zip(EQUATIONS.q, printed_rates(), strict=True))
    names = [name for name in SATELLITE.bodies if name != "ground"]
    for part, turn in zip(REPORT.literal.parts, REPORT.literal.rotational, strict=True):
        R = EQUATIONS.pose(names[part.basis]).R
        w = [as_expr(entry) for entry in R @ turn.w]
        assert same(directional(w, flow), [as_expr(entry) for entry in R @ turn.alpha_rem])


TABLE_10_VELOCITIES: dict[str, Sequence[Printed | None]] = {
    "B": [B1, B2, B3, *[NO] * 7],
    "C": [
        {"c1": C[7], "c2": -S[7]}, {"c2": C[7], "c1": S[7]}, B3, {"c1": -Z[22], "c2": -Z[23]},
        {"c2": -Z[22], "c1": Z[23]}, *[NO] * 5,
    ],
    "D": [*IN_D, None, None, {"c1": -Z[33]}, {"c1": -Z[33]}, {"d2": L[6], "d3": -L[5]}, NO, NO],
    "E": [
        {"e1": C[9], "e2": -S[9]}, {"e2": C[9], "e1": S[9]}, B3, {"b3": -L[7], "e1": -Z[34], "e2": -Z[35]},
        {"e2": -Z[34], "e1": Z[35]}, {"e2": -Z[36], "e1": L[7] * C[9]}, *[NO] * 4,
    ],
    "F": [
        *IN_F, None, None, {"f3": Z[36] * S[10], "f2": -Z[36] * C[10], "e1": Z[46]}, NO, NO, {"e1": Z[45]},
        {"f3": -L[8]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_table_10_gives_partial_velocities(body: str) -> None:
    cell = REPORT.table_10.cell("v_i^B*", body)
    for item, printed in zip(cell, TABLE_10_VELOCITIES[body], strict=True):
        if printed is not None:
            assert_same_sum(item, printed)


@pytest.mark.parametrize("place", range(5))
def test_partial_velocities_and_remainders_are_derivatives_of_positions(place: int) -> None:
    """Every v_i and a_rem: from the place of B* (of B_0 if B is fixed), moved along the printed (24) and (29)."""
    names = [name for name in SATELLITE.bodies if name != "ground"]
    flow = dict(zip(EQUATIONS.q, printed_rates(), strict=True))
    meanings = REPORT.constants
    part, move = REPORT.literal.parts[place], REPORT.literal.translational[place]
    X = EQUATIONS.pose(names[place])
    position = [as_expr(entry) for entry in X.point(part.centre)]
    velocity = substitute(directional(position, flow), meanings)
    acceleration = substitute(directional(directional(position, flow), flow), meanings)
    for i, speed in enumerate(REPORT.literal.speeds):
        ours = [as_expr(entry) for entry in X.R @ move.partials.get(i, Vector([0, 0, 0]))]
        assert same([derivative([entry], speed)[0] for entry in velocity], substitute(ours, meanings))
    assert same(acceleration, substitute([as_expr(entry) for entry in X.R @ move.a_rem], meanings))


def test_table_10_gives_arms_native_bodies_and_remainders() -> None:
    arms: dict[str, Sequence[Printed]] = {
        "B": [], "C": [{"b3": P1}], "D": [{"b3": -L[1], "c2": L[3]}], "E": [{"b2": -L[7], "b3": P1}], "F": [NO],
    }  # fmt: skip
    native = {
        "B": "BBBBBBBBBB", "C": "BBBCCBBBBB", "D": "BBBDDDDDBB", "E": "BBBEEEBBBB", "F": "BBBFFFBBFF",
    }  # fmt: skip
    shapes = {"B": "b1 b2 b3", "C": "c2 c1 b3", "D": "d3 d2 c1", "E": "e1 e2 b3", "F": "f2 f3 e1"}
    for body in BODIES:
        assert_same_cells(REPORT.table_10.cell("r^A*B0", body), arms[body])
        assert REPORT.table_10.cell("N_i^B", body) == tuple(native[body])
        (remainder,) = REPORT.table_10.cell("a_rem^B*", body)
        assert {*parts(remainder)} == {*shapes[body].split()}


def dyad(table: Table, body: str) -> dict[str, Expr]:
    (cell,) = table.cell("R^B", body)
    return parts(cell)


def test_table_10_gives_the_rotation_dyadic_of_the_bus() -> None:
    u44, u55, u66 = u[4] ** 2, u[5] ** 2, u[6] ** 2
    assert_same_sum(REPORT.table_10.cell("R^B", "B")[0], {
        "b3 b1": u[6] * u[4], "b1 b3": u[6] * u[4], "b1 b2": u[4] * u[5], "b2 b1": u[4] * u[5],
        "b3 b2": Z[62], "b2 b3": Z[62],
        "b2 b2": -(Z[63] + u66), "b3 b3": -(u44 + Z[64]), "b1 b1": -(u66 + u55),
    })  # fmt: skip


def test_table_10_gives_the_printed_entries_of_the_other_rotation_dyadics() -> None:
    """Of C, D and F the entries that are printed whole; (d3 c1) and (d2 d3) with the minus sign that print lacks."""
    ours = dyad(REPORT.table_10, "C")
    assert same([ours["c2 b3"], ours["c1 c2"]], [-Z[49] + Z[50] + Z[68], Z[4] * Z[5]])
    assert same([ours["b3 c2"], ours["b3 b3"]], [Z[49] - Z[50] + Z[68], -(Z[69] + Z[5] ** 2)])
    ours = dyad(REPORT.table_10, "D")
    assert same([ours["c1 d2"], ours["c1 d3"]], [Z[7] * Z[12] - Z[55], Z[6] * Z[12] + Z[56]])
    assert same([ours["d2 c1"]], [Z[55] + Z[7] * Z[12]])
    assert same([ours["d3 c1"], ours["d2 d3"]], [-(Z[56] - Z[6] * Z[12]), -(Z[49] - Z[50] - Z[6] * Z[7])])
    ours, alpha_2 = dyad(REPORT.table_10, "F"), u[10] * Z[15] - Z[60] * C[10]
    assert same([ours["e1 f2"], ours["e1 f3"]], [-(Z[61] - Z[88]), alpha_2 + Z[15] * Z[21]])
    assert same([ours["f2 e1"], ours["f3 e1"]], [Z[61] + Z[88], -(alpha_2 - Z[15] * Z[21])])


# ---- (40) to (46) --------------------------------------------------------------------------------------------


def test_m_and_f_with_intermediate_variables_are_those_of_the_equations() -> None:
    """(43) to (46), substituted back, by fingerprint."""
    assert same(REPORT.written_out(REPORT.mass_matrix.entries()), IN_HIS_SPEEDS.mass_matrix.entries())
    assert same(REPORT.written_out(REPORT.forcing), IN_HIS_SPEEDS.forcing)
    assert same(REPORT.written_out(REPORT.variables), REPORT.written_out(REPORT.variables.values()))


def test_m_is_what_the_sums_40_say_of_the_tables() -> None:
    """Σ ω_j·I·ω_i + m v_j·v_i over the vectors of Tables 2, 8 and 10, added up here."""
    tables = [REPORT.literal.parts, REPORT.literal.rotational, REPORT.literal.translational]
    zero = Vector([0, 0, 0])
    for i, j in [(3, 3), (4, 3), (5, 1), (8, 4), (9, 9), (7, 6)]:
        total = as_expr(0)
        for part, turn, move in zip(*tables, strict=True):
            total = total + turn.partials.get(j, zero).dot(part.composite.inertia @ turn.partials.get(i, zero))
            total = total + part.mass * move.partials.get(j, zero).dot(move.partials.get(i, zero))
        assert same(REPORT.written_out([REPORT.mass_matrix[i, j]]), substitute([total], REPORT.constants))


def test_equation_45_leaves_the_whole_mass_on_the_diagonal_of_the_translations() -> None:
    """Partial velocities taken where they were introduced, (44): their products are zero without a cancellation."""
    p = {name: entry.symbol for name, entry in SATELLITE.parameters.items()}
    whole = p["M_B"] + p["M_C"] + p["M_D"] + p["M_F"]
    assert same(REPORT.written_out(REPORT.mass_matrix[k, k] for k in range(3)), [whole] * 3)
    assert all(IN_HIS_SPEEDS.mass_matrix[i, j] == 0 for i in range(3) for j in range(3) if i != j)


def test_intermediate_variables_are_what_the_equations_hold_more_than_once() -> None:
    variables = REPORT.variables
    assert [str(name) for name in variables][:3] == ["P2", "P3", "P4"]
    moving = [name for name in variables if str(name).startswith("Z")]
    assert [str(name) for name in moving] == [f"Z{k}" for k in range(1, len(moving) + 1)]
    assert str(variables[moving[0]]) == "P1*u5 + u1"
    text = str(REPORT)
    assert "    M[1, 1] = P3\n    M[2, 2] = P3\n    M[3, 3] = P3\n    M[4, 2] = " in text
    assert "    f[9] = tau_u9" in text and r"M_{1,1} &= P_{3}" in REPORT.latex() and r"f_{9} &= " in REPORT.latex()
    record = REPORT.as_json()
    assert record["mass_matrix"][0][:2] == ["P3", "0"] and record["variables"]["Z1"] == "P1 u5 + u1"


# ---- what it is good for -------------------------------------------------------------------------------------


def test_sums_body_by_body_cost_more_than_recursions_and_less_than_derivatives_of_the_energy() -> None:
    costs = {name: count.total for name, count in REPORT.costs.items()}
    assert costs["articulated_body"] < costs["composite_body"] < costs["kane"]
    assert costs["kane"] < SATELLITE.derive("poincare").operations().total


def test_the_paper_s_sums_take_the_mechanism_as_it_was_written() -> None:
    with pytest.raises(
        PolhodeError, match=r"(?s)'kane' takes bodies and joints as they were written.*E-DERIVE-UNSUPPORTED"
    ):
        SATELLITE.derive("kane", passes=["slide"])


def test_the_boom_flexes_in_free_flight_and_conserves_what_must_be() -> None:
    run = EQUATIONS.simulate(10, start="flexing", rtol=1e-11, atol=1e-11)
    total = run.energy.kinetic + run.energy.potential
    spin, push = run.momentum
    assert np.ptp(total) < 1e-8 * total[0]
    assert np.abs(spin - spin[0]).max() < 1e-8 * np.abs(spin[0]).max()
    assert np.abs(push - push[0]).max() < 1e-7
    assert np.ptp(run["q9"]) > 0.3 and np.ptp(run["q10"]) > 0.3


@pytest.mark.parametrize(("row", "body", "said"), [
    ("Rotation direction", "B", "no row 'Rotation d.*\n.*'Rotation directions'"), ("Level", "Z", "no body 'Z'"),
])  # fmt: skip
def test_a_cell_that_is_not_there_is_told_with_those_that_are(row: str, body: str, said: str) -> None:
    with pytest.raises(ph.PolhodeError, match=f"Table 2.*{said}"):
        REPORT.table_2.cell(row, body)


class OfTheReport(Derivation):
    """The equations of the report, as they are."""

    equations = REPORT.literal.equations()


@pytest.mark.parametrize("kane", [
    EQUATIONS.derivation, OfTheReport(SATELLITE, "kane"), IN_HIS_SPEEDS.derivation,
], ids=["derived", "of the report", "in his speeds"])  # fmt: skip
def test_the_paper_s_sums_move_the_satellite_as_another_formalism_does(kane: Derivation) -> None:
    """q̇ = Γ u in the speeds in which the sums are taken: twenty seconds from the bent boom."""
    options = {"start": "flexing", "rtol": 1e-11, "atol": 1e-11, "samples": np.linspace(0, 20, 21)}
    ours = simulate(kane, 20, functions=Functions(kane, cache=False), **options)
    others = SATELLITE.derive("articulated_body").simulate(20, **options)
    assert np.ptp(others["q1"]) > 1e-3, "the bus is moved by what hangs on it"
    for name in others.coordinates:
        np.testing.assert_allclose(ours[name], others[name], atol=1e-8)


def test_kane_is_a_derivation_of_its_own() -> None:
    """Sayers' sums, not those of composite bodies under another name."""
    found = SATELLITE.compare(["newton_euler", "composite_body", "articulated_body", "kane"], run=False)
    assert found.agree, found.verdict
    for function, groups in found.derivations.items():
        assert ("kane",) in groups, function


def test_a_table_prints_with_a_row_for_each_property() -> None:
    head, columns, first, *_ = str(REPORT.table_10).splitlines()
    assert head == REPORT.table_10.title and columns.split() == list(REPORT.table_10.bodies)
    assert first.startswith("r^A*B0") and repr(REPORT.table_10) == str(REPORT.table_10)
