"""Detection of stiffness: where it begins, where it ends, and where there is none."""

import numpy as np
import pytest

from polhode.ode.native_run import NativeRun
from polhode.ode.record import Reason


def begun(method: str, rates: object, x: list[float], tolerance: float = 1e-7) -> NativeRun:
    run = NativeRun(method, np.array(x), rtol=tolerance, atol=tolerance)
    run.use(run.python(rates))  # type: ignore[arg-type]
    run.record.stiffness_limit = 15
    run.begin(10.0)
    return run


def following(t: float, x: np.ndarray) -> np.ndarray:
    """A swing, and something that follows it fast."""
    return np.array([x[1], -x[0], -1e4 * (x[2] - x[0])])


@pytest.mark.parametrize("method", ["TP86", "DOP853", "RK45"])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-7])
def test_an_explicit_method_stops_after_a_few_dozen_steps(method: str, tolerance: float) -> None:
    run = begun(method, following, [1.0, 0.0, 1.0], tolerance)
    assert run.advance(10.0, 10**6) == Reason.STIFF and run.record.steps < 200


@pytest.mark.parametrize("method", ["TP86", "DOP853", "RK45"])
def test_a_swing_is_not_stiff_at_any_tolerance(method: str) -> None:
    for tolerance in (1e-3, 1e-6, 1e-9):
        run = begun(method, lambda t, x: np.array([x[1], -4 * x[0]]), [1.0, 0.0], tolerance)
        assert run.advance(10.0, 10**6) == Reason.DONE


@pytest.mark.parametrize("method", ["Rodas5P", "Radau"])
def test_an_implicit_method_has_the_spectral_radius_and_goes_on(method: str) -> None:
    run = begun(method, following, [1.0, 0.0, 1.0])
    assert run.advance(10.0, 10**6) == Reason.DONE
    assert run.implicit is not None and run.implicit.record.spectral_radius == pytest.approx(1e4, rel=1e-3)


@pytest.mark.parametrize("method", ["Rodas5P", "Radau"])
@pytest.mark.parametrize("stiffness", [4.0, 1e8])
def test_an_implicit_method_stops_where_an_explicit_one_would_do(method: str, stiffness: float) -> None:
    # undamped: what is fast must be followed, in coordinates and speeds of very different size
    run = begun(method, lambda t, x: np.array([x[1], -stiffness * x[0]]), [1e-3, 0.0])
    assert run.advance(10.0, 10**6) == Reason.STIFF and run.implicit is not None
    assert run.implicit.record.spectral_radius == pytest.approx(stiffness**0.5, rel=0.01)


def test_a_run_without_a_limit_goes_on() -> None:
    run = begun("DOP853", following, [1.0, 0.0, 1.0])
    run.record.stiffness_limit = 0
    assert run.advance(0.1, 10**6) == Reason.DONE
