"""`polhode sweep`, called as a user calls it."""

import json
import sys
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

from polhode.cli.app import command, main
from polhode.simulate.sweep import Sweep

MODEL = Path(__file__).parents[3] / "models" / "pendulum.yaml"


def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object, code: int = 0
) -> tuple[str, str]:
    monkeypatch.setattr(sys, "argv", ["polhode", "sweep", str(MODEL), *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert (ended.value.code or 0) == code, told.err
    return told.out, told.err


def test_a_grid_is_run_and_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("--vary", "l=0:2:3", "--vary", "start:theta=0.1,0.2", "-t", 0.2, "--measure", "max:theta", "--workers", 1)
    out, _ = said(monkeypatch, capsys, *words, "--out", tmp_path / "runs.nc")
    assert "6 runs, 2 of them without a result" in out
    assert "l = 0, theta(0) = 0.1: at t = 0 s the mass matrix is singular" in out
    found = Sweep.load(tmp_path / "runs.nc")
    assert found.shape == (3, 2) and found["max:theta"][1].tolist() == [0.1, 0.2]
    said(monkeypatch, capsys, *words, "--out", tmp_path / "runs.csv")
    assert "1.0,0.2,0.2,done," in (tmp_path / "runs.csv").read_text(encoding="utf-8").splitlines()


def test_a_plot_is_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("--vary", "l=0:2:3", "-t", 0.2, "--pose", "raised", "--workers", 1, "--plot", tmp_path / "runs.svg")
    out, _ = said(monkeypatch, capsys, *words)
    assert f"wrote {tmp_path / 'runs.svg'}" in "".join(out.split("\n"))
    assert "<svg" in (tmp_path / "runs.svg").read_text(encoding="utf-8")
    record = json.loads(said(monkeypatch, capsys, *words, "--json")[0])
    assert record["files"] == [str(tmp_path / "runs.svg")]
    said(monkeypatch, capsys, *words, "--measure", "trajectories")


def test_a_sweep_takes_what_acts_and_how_to_derive_as_simulate_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], polhode: Shell, tmp_path: Path
) -> None:
    given = (
        "--pose", "raised", "-t", 0.5, "--effort", "hinge=-3*sin(theta)", "--input", "motor=sin(t)", "--formalism",
        "kane", "--json",
    )  # fmt: skip
    swept = json.loads(said(monkeypatch, capsys, "--vary", "l=1,2", "--workers", 1, *given)[0])
    for k, length in enumerate((1, 2)):
        alone = json.loads(polhode("simulate", MODEL, "--set", f"l={length}", *given))
        assert swept["values"]["theta"][k] == pytest.approx(alone["final"]["coordinates"]["theta"], rel=1e-9)
    assert "no formalism 'kain'" in said(monkeypatch, capsys, "--vary", "l=1", "--formalism", "kain", code=2)[1]


def test_a_sweep_has_the_options_of_a_run() -> None:
    taken = {name: {each for option in command(name).params for each in option.opts} for name in ("simulate", "sweep")}
    of_one_run = {"--csv", "--page", "--save", "--reaction", "--channel", "--contact"}
    assert taken["simulate"] - taken["sweep"] == of_one_run


def test_results_without_pictures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("--vary", "l=0,0", "-t", 0.2, "--workers", 1, "--plot", tmp_path / "runs.svg")
    out, err = said(monkeypatch, capsys, *words, code=2)
    assert "2 runs, 2 of them without a result" in out and "none of the 2 runs has a result" in err
    assert not (tmp_path / "runs.svg").exists()
    words = ("--vary", "l=0,1", "--vary", "m=1,2", "--zip", "--json", "--pose", "raised", "-t", 0.1, "--workers", 1)
    record = json.loads(said(monkeypatch, capsys, *words)[0])
    assert record["shape"] == [2] and record["axes"] == {"l": [0, 1], "m": [1, 2]}
    assert record["values"]["theta"][0] is None and record["values"]["theta"][1] > 0
    assert list(record["failures"]) == ["0"]


@pytest.mark.parametrize(("words", "told"), [
    (("--vary", "l"), "'l' is not understood"), (("--vary", "l=1:2"), "--vary l=0.5:2:20"),
    (("--vary", "l=a,b"), "is not understood"), (("--vary", "l=0:1:100000000000"), "are more than"),
    (("--vary", "lenght=1"), "no parameter, input, coordinate or speed 'lenght'"),
    (("--vary", "l=1,2", "--measure", "fnal"), "Did you mean 'final'?"),
    (("--vary", "l=1,2", "--out", "runs.txt"), "there is no format '.txt'"),
    (("--vary", "l=1,2", "--out", "no/such/runs.nc"), "there is no folder"),
    (("--vary", "l=1,2", "--plot", "no/such/runs.svg"), "there is no folder"),
    (("--vary", "l=1,2", "--plot", "runs.txt"), "no way to save a plot as 'txt'"),
    (("--vary", "l=1,2", "--set", "k=1"), "no parameter or input 'k'"),
])  # fmt: skip
def test_what_is_wrong_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    assert told in said(monkeypatch, capsys, *words, code=2)[1]
