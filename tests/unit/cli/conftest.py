"""The command line, called as a user calls it."""

import sys

import pytest

from polhode.cli.app import main


class Shell:
    """Runs `polhode` in this process and keeps what it said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *words: object, code: int = 0) -> str:
        self.monkeypatch.setattr(sys, "argv", ["polhode", *map(str, words)])
        self.monkeypatch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as ended:
            main()
        said = self.capsys.readouterr()
        assert (ended.value.code or 0) == code, said.err
        self.errors = said.err
        return said.out


@pytest.fixture
def polhode(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)
