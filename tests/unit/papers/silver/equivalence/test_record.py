"""Steps of a proof: they hold where both sides have one fingerprint, and say where they do not."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.papers.silver.equivalence.record import Case, Proof, fingerprint_of, step

a, b = ph.symbols("a b")


def sums(right: ph.Expr) -> Proof:
    made = step("1", "squares", "(a + b)² = …", "(a + b)^2", [("here", (a + b) ** 2, right), ("there", a, a)])
    return Proof("squares", ("a",), ("b",), (made,))


def test_equal_functions_have_one_fingerprint_however_they_are_written() -> None:
    proof = sums(a * a + 2 * a * b + b * b)
    assert proof.holds
    assert bool(proof)
    assert proof["1"].left == proof["1"].right
    assert "2 cases" in proof["1"].verdict
    assert "holds" in str(proof)


def test_a_wrong_side_fails_and_says_where() -> None:
    proof = sums(a * a + a * b + b * b)
    assert not proof.holds
    assert [case.where for case in proof["1"].failing] == ["here"]
    assert proof["1"].left != proof["1"].right
    assert "FAILS for here" in str(proof)
    assert proof.verdict == "not proved for 'squares': 1 of 1 steps fail, (1)."
    assert proof.as_json()["steps"][0]["cases"][0]["holds"] is False
    assert "FAILS" in proof.latex()


def test_entries_of_a_list_cannot_change_places_unnoticed() -> None:
    assert fingerprint_of(ph.Vector([a, b])) != fingerprint_of(ph.Vector([b, a]))
    assert fingerprint_of(ph.Matrix([[a, b], [b, a]])) == fingerprint_of(ph.Matrix([[a, b], [b, a]]))
    assert not Case.of("x", ph.Vector([a, b]), ph.Vector([a, 2 * b])).holds


def test_errors_in_two_cases_do_not_cancel() -> None:
    made = step("1", "s", "t", "l", [("one", a, b), ("two", b, a)])
    assert not made.holds
    assert len(made.failing) == 2


def test_a_step_that_there_is_not_is_named_with_those_there_are() -> None:
    with pytest.raises(PolhodeError, match=r"3\.99"):
        sums(a)["3.99"]
