"""heyoka on our equations: it ends where our own run does."""

import numpy as np
import pytest
from bench.motions import T_HANDLE

pytest.importorskip("heyoka")

from bench.heyoka_engine import Heyoka


def test_a_t_handle_ends_where_ours_does() -> None:
    functions = T_HANDLE.equations.compile()
    parameters = functions.parameter_values("state_rates")
    theirs = Heyoka(functions.program("state_rates"), parameters, T_HANDLE.start, 1.0, 1e-6)()
    run = T_HANDLE.equations.simulate(1.0, speeds=dict(T_HANDLE.speeds), progress=False)
    assert np.allclose(theirs, np.concatenate([np.asarray(run.q)[-1], np.asarray(run.u)[-1]]), atol=1e-5)
