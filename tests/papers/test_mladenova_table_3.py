"""Mladenova, Table 3: what the methods of inverse dynamics cost, from n⁴ to n; and Silver's figures about them.

Each formalism's own lines are run on scalars that only count. Where docs/errata.md corrects the table, the printed
numbers are quoted and shown not to hold.
"""

from fractions import Fraction

import pytest

from polhode.errors import PolhodeError
from polhode.papers.silver import (
    TABLE_3,
    Formula,
    Rung,
    as_written,
    customised,
    fitted,
    general_arm,
    ladder,
    on_the_graph,
    puma_like_arm,
)
from polhode.papers.silver.counts import Tally

#: Operations for six joints as the table prints them (rows A and B apart, see below).
PRINTED_AT_6 = {
    "Hollerbach, 4×4": (4388, 3586), "Hollerbach, 3×3": (2195, 1719), "Luh, Armstrong; Silver": (852, 738),
    "Orin, McGhee, Vukobratović": (800, 595), "Nakamura": (781, 617), "Mladenova": (775, 792),
}  # fmt: skip
METHODS = {method.authors: method for method in TABLE_3}
IMPLEMENTED = [method for method in TABLE_3 if method.formalism is not None]


def growth(formalism: str) -> tuple[Formula, Formula]:
    counts = [as_written(formalism, n) for n in range(1, 8)]
    both = fitted([c.multiplications for c in counts]), fitted([c.additions for c in counts])
    assert both[0] is not None
    assert both[1] is not None
    return both[0], both[1]


def operations(formalism: str, n: int = 6) -> int:
    found = as_written(formalism, n)
    return found.multiplications + found.additions


@pytest.mark.parametrize(("authors", "numbers"), PRINTED_AT_6.items())
def test_the_corrected_formulas_give_the_printed_numbers_for_six_joints(authors: str, numbers: tuple[int, int]) -> None:
    method = METHODS[authors]
    assert method.multiplications is not None
    assert method.additions is not None
    assert (method.multiplications.at(6), method.additions.at(6)) == numbers


def test_rows_D_and_E_are_printed_with_each_other_s_multiplications() -> None:
    printed_D, printed_E = Formula.of(137, -22), Formula.of(150, -48)
    assert (printed_D.at(6), printed_E.at(6)) == (800, 852)  # beside them the table prints 852 and 800


def test_rows_A_and_B_print_less_for_six_joints_than_their_leading_terms() -> None:
    assert Fraction(65, 2) * 6**4 == 42120 > 37823
    assert 25 * 6**4 == 32400 < 39462  # the additions alone would be possible
    assert Fraction(213, 2) * 6**2 == 3834 > 3256


def test_row_A_uicker_and_kahn_take_exactly_the_printed_n_to_the_fourth() -> None:
    multiplications, additions = growth("uicker_kahn")
    assert (multiplications.degree, multiplications.leading) == (4, Fraction(65, 2))
    assert (additions.degree, additions.leading) == (4, 25)


@pytest.mark.parametrize("method", IMPLEMENTED, ids=lambda method: method.formalism)
def test_every_method_grows_as_printed(method: object) -> None:
    assert isinstance(method, type(TABLE_3[0]))
    assert method.formalism is not None
    for found, printed in zip(growth(method.formalism), (method.multiplications, method.additions), strict=True):
        assert printed is not None
        assert found.degree == printed.degree


@pytest.mark.parametrize("formalism", ["hollerbach_4x4", "hollerbach_3x3"])
def test_row_C_our_count_for_each_link_is_within_five_percent_of_hollerbach_s(formalism: str) -> None:
    """Ours begins with A and m r given, and doubles a rate where the formula as printed doubles a matrix."""
    method = next(method for method in TABLE_3 if method.formalism == formalism)
    for found, printed in zip(growth(formalism), (method.multiplications, method.additions), strict=True):
        assert printed is not None
        assert 0.95 * printed.leading < found.leading <= printed.leading


def test_row_D_silver_s_count_for_each_link_stays_below_luh_s() -> None:
    multiplications, additions = growth("silver")
    assert (multiplications.leading, additions.leading) == (122, 104)


def test_row_G_our_count_for_each_link_is_within_five_percent_of_the_printed_one() -> None:
    """Five vectors a link are turned in 12 products and 12 sums, 9 and 6 by a matrix; 7 and 3 more make k c."""
    multiplications, additions = growth("vector_newton_euler")
    assert (multiplications.leading, additions.leading) == (144, 137)  # printed: 138 and 143
    by_matrices = growth("silver")
    assert multiplications.leading - by_matrices[0].leading == 5 * (12 - 9) + 7
    assert additions.leading - by_matrices[1].leading == 5 * (12 - 6) + 3


def test_row_G_saves_a_hundredth_of_row_D_as_printed_and_costs_a_quarter_more_as_written() -> None:
    """The text has more than 30 % in Tables 1, 2 and 3."""
    totals = {authors: sum(numbers) for authors, numbers in PRINTED_AT_6.items()}
    assert 0.98 < totals["Mladenova"] / totals["Luh, Armstrong; Silver"] < 1
    assert 1.2 < operations("vector_newton_euler") / operations("silver") < 1.3


def test_row_G_is_the_computation_of_every_other_row() -> None:
    arm = puma_like_arm()
    assert arm.derive("vector_newton_euler").agrees_with(arm.derive("silver"))


def test_silver_1_2_direct_evaluation_takes_well_over_100000_operations() -> None:
    assert operations("uicker_kahn") > 100_000


def test_silver_1_4_each_step_of_the_ladder_is_about_as_high_as_he_says() -> None:
    """Printed: recursion about 15 times better, 3×3 matrices a further factor of 2, then 2½ to Newton-Euler.

    The last, and the 5 from 4×4 matrices, are ratios of printed totals; as written, Silver's own lines take fewer.
    """
    assert 14 < operations("uicker_kahn") / operations("hollerbach_4x4") < 20
    assert 1.9 < operations("hollerbach_4x4") / operations("hollerbach_3x3") < 2.2
    totals = {authors: sum(numbers) for authors, numbers in PRINTED_AT_6.items()}
    luh = totals["Luh, Armstrong; Silver"]
    assert round(totals["Hollerbach, 4×4"] / luh, 1) == 5.0
    assert round(totals["Hollerbach, 3×3"] / luh, 1) == 2.5
    assert round(operations("hollerbach_4x4") / operations("silver"), 1) == 6.7
    assert round(operations("hollerbach_3x3") / operations("silver"), 1) == 3.3


def test_on_the_graph_both_forms_of_hollerbach_are_one_computation() -> None:
    """What 4×4 matrices add is their constant fourth row, and the graph never computes with it."""
    for n in range(1, 5):
        assert on_the_graph("hollerbach_4x4", n) == on_the_graph("hollerbach_3x3", n)


def test_on_the_graph_the_order_of_the_ladder_is_that_of_the_table() -> None:
    counts = [on_the_graph(name, 4) for name in ("uicker_kahn", "hollerbach_3x3", "silver", "newton_euler")]
    totals = [count.multiplications + count.additions for count in counts]
    assert totals == sorted(totals, reverse=True)


def test_a_real_arm_takes_fewer_operations_than_a_general_one() -> None:
    for formalism in ("silver", "newton_euler"):
        general, right_angled = customised(formalism, general_arm()), customised(formalism, puma_like_arm())
        assert right_angled.multiplications < general.multiplications < on_the_graph(formalism, 6).multiplications
        assert right_angled.additions < general.additions < on_the_graph(formalism, 6).additions


def test_our_newton_euler_beats_every_row_of_the_table_on_the_general_arm() -> None:
    ours = customised("newton_euler", general_arm())
    assert ours.multiplications < min(numbers[0] for numbers in PRINTED_AT_6.values())
    assert ours.additions < min(numbers[1] for numbers in PRINTED_AT_6.values())


def test_scalars_that_count_see_every_operation_and_no_sharing() -> None:
    tally = Tally()
    a, b = tally.scalar(), tally.scalar()
    _ = a * b + a * b - a
    assert (tally.multiplications, tally.additions) == (2, 2)
    _ = [a + 0, 0 - a, 1 * a, a * 0, -a]
    assert (tally.multiplications, tally.additions) == (2, 2)
    _ = 2 * a
    assert tally.multiplications == 3


def test_a_growth_that_is_no_polynomial_is_not_given_one() -> None:
    assert fitted([1, 2, 4, 8, 16]) is None
    assert fitted([n**4 - n for n in range(1, 7)]) == Formula.of(1, 0, 0, -1, 0)
    assert fitted([5]) is None


def test_the_report_lists_every_row_of_the_table_and_ours() -> None:
    report = ladder(3, customise=False)
    assert [rung.method for rung in report.rungs if rung.method.letter] == list(TABLE_3)
    assert next(rung.method.formalism for rung in report.rungs if not rung.method.letter) == "stepanenko_vukobratovic"
    assert report.rungs[-1].method.formalism == "newton_euler"
    rows = report.table()
    assert {len(row) for row in rows} == {len(rows[0])}
    assert rows[3][2:5] == ("830n - 592 / 675n - 464", "805n - 608 / 642n - 512", "1898 / 1561")
    assert [row for row in report.by_joints() if row[1] == "2" and row[0].startswith("Luh")]
    assert "Waters" in str(report)
    assert report.as_json()[0]["as written"][0] == {"multiplications": 278, "additions": 214}


def test_a_rung_without_a_formalism_shows_what_was_printed() -> None:
    assert Rung(METHODS["Nakamura"]).printed(6) is not None
    assert Rung(METHODS["Waters"]).printed(6) is None


@pytest.mark.parametrize("wrong", [0, -1, 2.5])
def test_an_arm_without_joints_is_refused(wrong: float) -> None:
    with pytest.raises(PolhodeError, match="one joint or more"):
        ladder(wrong)  # type: ignore[arg-type]


def test_a_formalism_that_is_not_on_the_ladder_is_refused() -> None:
    with pytest.raises(PolhodeError, match="no formalism 'kane'"):
        as_written("kane", 2)
    with pytest.raises(PolhodeError, match="uicker_kahn"):
        on_the_graph("kane", 2)
