"""Steps of a proof: they hold where both sides have one fingerprint, and say where they do not."""

import json
from html import escape
from pathlib import Path

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.papers.silver.proof import Case, Proof, Step, fingerprint_of

a, b = ph.symbols("a b")


def sums(right: ph.Expr) -> Proof:
    cases = Case.of("here", (a + b) ** 2, right), Case.of("there", a, a)
    made = Step("1", "squares", "(a + b)² = …", "(a + b)^2", cases)
    return Proof("squares", ("a",), ("b",), (made,))


def test_equal_functions_have_one_fingerprint_and_wrong_sides_or_entries_fail() -> None:
    proof = sums(a * a + 2 * a * b + b * b)
    assert proof.holds and bool(proof) and proof["1"].left == proof["1"].right
    assert "2 cases" in proof["1"].verdict and "holds" in str(proof)
    proof = sums(a * a + a * b + b * b)
    assert not proof.holds and [case.where for case in proof["1"].failing] == ["here"]
    assert proof["1"].left != proof["1"].right and "FAILS for here" in str(proof)
    assert proof.verdict == "not proved for 'squares': 1 of 1 steps fail, (1)."
    assert proof.as_json()["steps"][0]["cases"][0]["holds"] is False and "FAILS" in proof.latex()
    assert fingerprint_of(ph.Vector([a, b])) != fingerprint_of(ph.Vector([b, a]))
    assert fingerprint_of(ph.Matrix([[a, b], [b, a]])) == fingerprint_of(ph.Matrix([[a, b], [b, a]]))
    assert not Case.of("x", ph.Vector([a, b]), ph.Vector([a, 2 * b])).holds
    made = Step("1", "s", "t", "l", (Case.of("one", a, b), Case.of("two", b, a)))
    assert not made.holds and len(made.failing) == 2
    refused(r"3\.99", lambda: sums(a)["3.99"])


@pytest.fixture(scope="module")
def proof() -> Proof:
    s = ph.System("a_b & <c>")
    arm, hand = s.body("arm 50%", s.parameter("m"), (1, 0, 0), (1, 2, 3)), s.body("hand", 2, (0, 1, 0), (1, 1, 1))
    s.joint("elbow", s.ground, arm, ph.Revolute("z"))
    s.joint("grip", arm, hand, ph.Prismatic("x"))
    s.joint_spring("grip", 3)
    return ph.equivalence(s)


def test_proofs_are_text_notebooks_and_json_and_latex_names_links_and_joints_and_escapes_them(proof: Proof) -> None:
    text = str(proof)
    assert all(f"({step.number}) {step.statement}" in text for step in proof.steps) and text.endswith(proof.verdict)
    assert "Loads other than gravity are added to both sides alike" in text
    assert {letter for letter in proof.latex() if not letter.isascii()} <= {"§"}
    assert proof._repr_latex_().startswith("\\begin{gather}")
    assert proof._repr_latex_().count(r"\tag") == len(proof.steps) and "**(3.6)**" in proof._repr_markdown_()
    assert "<c>" not in proof.markdown()
    record = json.loads(json.dumps(proof.as_json()))
    assert record["holds"] is True and record["links"] == ["arm 50%", "hand"]
    assert len(record["steps"][2]["left"]) == 32
    text = proof.latex()
    assert r"\tag{3.11}" in text and r"a\_b \& " in text and r"\text{arm 50\%}" in text
    assert r"\omega_{\mathrm{hand}} = \dot{\mathrm{elbow}}\, \hat z_{\text{arm 50\%}}" in text
    assert r"\tau_{\mathrm{grip}} = \hat z_{\mathrm{hand}} \cdot \left( F_{\mathrm{hand}} \right)" in text
    assert text.count(r"\begin{equation*}") == len(proof.steps) == text.count("(right): holds")


def test_files_are_written_by_their_endings(proof: Proof, tmp_path: Path) -> None:
    tex = proof.save(tmp_path / "proof.tex").read_text(encoding="utf-8")
    assert tex.startswith(r"\documentclass") and tex.rstrip().endswith(r"\end{document}")
    page = proof.save(tmp_path / "proof.html").read_text(encoding="utf-8")
    assert "&lt;c&gt;" in page and page.count('class="holds"') == len(proof.steps)
    assert proof.save(tmp_path / "proof.md").read_text(encoding="utf-8") == proof.markdown()
    refused(r"cannot be written as '\.docx'", lambda: proof.save(tmp_path / "proof.docx"))


def test_the_page_has_the_equations_of_the_mechanism(tmp_path: Path) -> None:
    s = ph.System("pendulum")
    s.joint("theta", s.ground, s.body("bob", s.parameter("m"), (0, 0, -1)), ph.Revolute("y"))
    proof = ph.equivalence(s)
    page = proof.save(tmp_path / "proof.html").read_text(encoding="utf-8")
    own = [line for step in proof.steps for line in step.here]
    assert own and all(escape(line) in page for line in own)
