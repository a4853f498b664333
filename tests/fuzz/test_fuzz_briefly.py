"""A short run of each fuzzer with a fixed seed, in this process; `python -m tests.fuzz --cases N` runs more."""

import pytest
from tests.fuzz.case import failure
from tests.fuzz.run import KINDS, made
from tests.seeds import TRIAL

#: To stop what hangs on the slowest machine; no test measures time.
SECONDS = 120.0
CASES = 150 if TRIAL else 15


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_only_sentences_escape(kind: str) -> None:
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    cases = [made(kind, "brief", number) for number in range(CASES)]
    found = [f"{case.script()}\n{said}" for case in cases if (said := failure(case, SECONDS))]
    assert not found, "\n\n".join(found)
