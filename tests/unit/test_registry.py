"""Functions behind methods that reach right: each is where the registry says, and its method is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from polhode.registry import FUNCTIONS, registered


@pytest.mark.parametrize("method", FUNCTIONS)
def test_what_is_registered_is_there(method: str) -> None:
    assert registered(method).__name__.endswith(FUNCTIONS[method].partition(":")[2])


def test_importing_the_registry_imports_nothing_of_the_rooms() -> None:
    text = "import sys, polhode.registry; print([m for m in sys.modules if m.startswith('polhode.s')])"
    made = subprocess.run([sys.executable, "-c", text], capture_output=True, encoding="utf-8", check=True)
    assert made.stdout.strip() == "[]"
