"""One hypothesis profile for the whole suite: the same examples every time, and no deadline on a busy machine.

In a trial (`make trial`) there are ten times as many examples, and the tests that are marked as trials run too.
"""

import gc
import os
import signal
import sys
from collections.abc import Generator

import pytest
from hypothesis import settings
from platformdirs import user_cache_dir
from tests.seeds import TRIAL

# Tests run side by side in processes: a second thread for matrices of twelve rows costs time and gives none. This is
# read when NumPy is loaded, which no plugin of pytest may do before (`-p no:zarr`).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What tests compile is stored for the next time, by whatever checkout, and apart from what the user works with: some
# tests break a derivation on purpose. Those that are about the store have one of their own.
os.environ.setdefault("POLHODE_CACHE_DIR", user_cache_dir("polhode-tests"))

# A command in the background of a shell ignores interrupts, and so would the tests that raise them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start hundreds of processes; where no bytecode may be kept, each would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile(
    "polhode", deadline=None, derandomize=True, print_blob=True, max_examples=1000 if TRIAL else 100
)
settings.load_profile("polhode")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave trials to `make trial`."""
    if not TRIAL:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("trial")])
        items[:] = [item for item in items if not item.get_closest_marker("trial")]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for cycles seldom, and not among what all tests share: graphs are made in bulk and form none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
        gc.enable()
