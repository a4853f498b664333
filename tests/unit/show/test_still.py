"""A pose to look at keeps its constraints."""

from pathlib import Path

import numpy as np
import pytest

from polhode.errors import PolhodeError
from polhode.model.samples import four_bar
from polhode.show.still import still, write_still


def test_poses_are_closed_and_others_refused(tmp_path: Path) -> None:
    functions = four_bar().derive().compile()
    shown = still(functions, {"crank": 1.0})
    assert len(shown) == 1 and shown.drift.position < 1e-9 and not np.any(shown.u)
    assert "<html" in write_still(shown, tmp_path / "bar.html", "closed").read_text(encoding="utf-8")
    with pytest.raises(PolhodeError, match="nowhere"):
        still(four_bar().derive().compile(), "nowhere")
