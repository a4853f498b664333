"""A short run of each fuzzer with a fixed seed; `python -m tests.fuzz --cases N` runs more."""

import pytest
from tests.fuzz.run import KINDS, fuzz
from tests.seeds import TRIAL

#: To stop what hangs on the slowest machine; no test measures time.
SECONDS = 120.0
CASES = 150 if TRIAL else 30


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_only_sentences_escape(kind: str) -> None:
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    found = [f"case {number}\n{case.script()}\n{said}" for number, case, said in fuzz(kind, CASES, "brief", 0, SECONDS)]
    assert not found, "\n\n".join(found)
