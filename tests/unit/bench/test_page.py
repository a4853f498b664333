"""The page of benchmarks: sections of parts, what has changed, and figures that README repeats."""

import os
from pathlib import Path

import pytest
from bench import __main__, page
from bench.harness import timing

ROOT = Path(__file__).parents[3]
ROW = timing("arm", "inverse", 2e-7, "other", 1e-6)


def part(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> page.Part:
    monkeypatch.setattr(page, "PARTS", folder)
    (folder / "probe.py").write_text(text, encoding="utf-8")
    return page.Part("probe")


def test_a_section_states_its_machine_and_is_measured_again_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = part(tmp_path, monkeypatch, '"""What it measures."""\nPEERS = ("no-such-package",)\n')
    keys = first.keys()
    text = first.section([ROW], "load 0.1 before, 0.2 after", keys)
    for stated in ("What it measures.", "commit", page.processor(), "load 0.1", "no-such-package missing", "5.00×"):
        assert stated in text
    assert page.changes(text, keys) == [] and page.changes("", keys) == list(keys)
    assert page.changes(first.section([ROW], "", first.keys(quick=True)), keys) == ["passes"]
    assert page.changes(page.stale(text, "it died"), keys) == list(keys)
    monkeypatch.setattr(page, "processor", lambda: "another")
    assert page.changes(text, first.keys()) == ["machine"]
    monkeypatch.undo()
    other = part(tmp_path, monkeypatch, '"""What it measures."""\nPEERS = ("numpy",)\n')
    assert page.changes(text, other.keys()) == ["part", "peers"]


def test_programs_of_a_part_are_its_key_instead_of_all_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = []
    for digest in ("ab", "cd"):
        monkeypatch.setattr(page, "program_digest", lambda name, digest=digest: digest + name)
        keys.append(part(tmp_path, monkeypatch, '""" """\nPROGRAMS = ("ur5",)\n').keys())
    assert page.changes(f"Keys: ours {keys[0]['ours']}.", {"ours": keys[1]["ours"]}) == ["ours"]


def test_a_part_that_fails_keeps_its_old_section_marked_as_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "page.md"
    page.write(file, {"probe": "Old figures.", "other": "Kept."})
    part(tmp_path, monkeypatch, '"""It."""\nPEERS = ()\n')
    outcomes = iter([__main__.PartFailed("it died"), __main__.PartFailed("again"), [ROW]])

    def rows_of(*given: object) -> list[object]:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(__main__, "_rows_of", rows_of)
    assert __main__.main(["probe", "--page", str(file)]) == 1 and __main__.main(["probe", "--page", str(file)]) == 1
    text = page.read(file)["probe"]
    assert text.startswith("**Stale**: measured again on") and "(again)" in text and text.count("Stale") == 1
    assert "Old figures." in text and page.read(file)["other"].strip() == "Kept."
    assert __main__.main(["probe", "--page", str(file)]) == 0 and "Stale" not in page.read(file)["probe"]
    assert __main__.main(["--page", str(file)]) == 0  # nothing has changed: nothing is measured
    assert "as it was measured" in capsys.readouterr().out


def test_a_part_that_is_killed_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(__main__.sys, "executable", "false")
    monkeypatch.setattr(__main__, "_PAGE", tmp_path / "none.md")
    assert __main__.main(["counts", "--quick", "--page", str(tmp_path / "page.md")]) == 1
    assert "the part failed (exit code 1)" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_every_part_has_a_text_and_its_peers() -> None:
    names = page.part_names()
    assert {"derive", "counts", "speed", "casadi", "simulate", "contact", "runs"} <= set(names)
    assert not [name for name in names if not page.Part(name).text or "PEERS" not in page.Part(name).path.read_text()]


def test_ratios_of_the_readme_are_those_of_the_page() -> None:
    measured, shown = (page.figures((ROOT / name).read_text("utf-8")) for name in ("docs/benchmarks.md", "README.md"))
    ratios = {key: row for key, row in shown.items() if row[5].endswith("×") or key in measured}
    assert sum(row[5].endswith("×") for row in ratios.values()) >= 5
    assert ratios == {key: measured[key][:6] for key in ratios}, "python -m bench writes them"


def test_figures_of_a_document_are_replaced_where_the_page_has_them() -> None:
    table = "| arm | inverse | 1 s | other | 9 s | 9.00× |"
    renewed = page.with_figures_of(f"| {' | '.join(ROW.cells)} |", f"{table}\n| a | b | c | d | e | f |\n")
    assert renewed == "| arm | inverse | 200 ns | other | 1.00 µs | 5.00× |\n| a | b | c | d | e | f |\n"
    assert os.linesep not in renewed.splitlines()
