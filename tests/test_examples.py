"""Every example runs without a display, proves its fact, writes only where it was told to, and stays short."""

from pathlib import Path

import pytest
from tests.program_run import run_script

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONGEST = 80
#: Those that take seconds to compile, of mechanisms that laws, judges, papers and documents run too.
LONG = ("12_car", "13_semitrailer", "15_bicycle", "38_biped", "62_ur5_point_to_point", "64_tracked_vehicle")


def name_of(path: Path) -> str:
    return path.stem


def test_there_are_examples_and_they_are_numbered_without_gaps() -> None:
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1)) and EXAMPLES


@pytest.mark.parametrize(
    "path", [pytest.param(each, marks=pytest.mark.trial if each.stem in LONG else ()) for each in EXAMPLES], ids=name_of
)
def test_an_example_runs_and_writes_its_pictures(path: Path, tmp_path: Path) -> None:
    place, out = tmp_path / "here", tmp_path / "pictures"
    place.mkdir()
    ended = run_script(path, str(out), place=place)
    assert ended.code == 0, ended.complained
    assert not ended.complained, "an example runs without a warning"
    assert ended.said, "an example shows its equations"
    assert (out / f"{path.stem}.html").stat().st_size > 10_000 and (out / f"{path.stem}.png").stat().st_size > 10_000
    assert not list(place.iterdir()), "an example writes nothing where it was started"


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_an_example_is_short_has_four_beats_and_ends_with_a_fact(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) < LONGEST
    beats = [next((n for n, line in enumerate(lines) if line.startswith(f"# {beat}")), None) for beat in BEATS]
    assert None not in beats, f"an example has the beats {', '.join(BEATS)}"
    assert beats == sorted(beats, key=lambda place: place or 0)
    assert lines[-1].startswith("assert "), "the last line asserts a physical fact"


BEATS = ("Describe", "Derive", "Simulate", "Look")
