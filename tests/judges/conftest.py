"""How close two engines must be: relative to the size of what is compared, with the true residuals on request."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Judge = Callable[..., None]


@pytest.fixture
def agree(request: pytest.FixtureRequest) -> Judge:
    """`agree(what, ours, theirs)`: equal to 1e-9 of the largest entry; POLHODE_SHOW_RESIDUALS=1 prints how nearly."""

    def check(what: str, ours: Any, theirs: Any, relative: float = 1e-9) -> None:
        a, b = np.asarray(ours, float), np.asarray(theirs, float)
        assert a.shape == b.shape, f"{what}: {a.shape} and {b.shape}"
        scale = max(1.0, float(np.abs(b).max(initial=0)))
        residual = float(np.abs(a - b).max(initial=0)) / scale
        if os.environ.get("POLHODE_SHOW_RESIDUALS") == "1":
            print(f"residual {residual:9.2e}  scale {scale:8.1e}  {what}  {request.node.name}")
        assert residual <= relative, f"{what}: off by {residual:.3e} of {scale:.3g}"

    return check
