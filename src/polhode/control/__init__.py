"""Controllers: laws designed for a mechanism, in symbols, to be proved, run in closed loop and written as source.

Each is a file of its own, a subclass of `Controller` with one method, `design`; a line here makes it known.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..calls import public

if TYPE_CHECKING:
    from ..laws.controller import Controller as Controller
    from ..laws.law import ControllerState as ControllerState
    from ..laws.law import Law as Law
    from ..laws.law import Reference as Reference
    from ..laws.observer import Estimator as Estimator
    from ..laws.observer import Observed as Observed
    from ..laws.observer import Observer as Observer
    from .computed_torque import ComputedTorque as ComputedTorque
    from .feedback_linearization.linearization import FeedbackLinearization as FeedbackLinearization
    from .feedback_linearization.partial import PartialLinearization as PartialLinearization
    from .filtering import EKF as EKF
    from .filtering import Estimates as Estimates
    from .gain_schedule import GainSchedule as GainSchedule
    from .high_gain import HighGain as HighGain
    from .ilqr import iLQR as iLQR
    from .kalman import KalmanFilter as KalmanFilter
    from .kalman import Luenberger as Luenberger
    from .linear_mpc import LinearMPC as LinearMPC
    from .lqr import LQR as LQR
    from .lyapunov import ErrorDynamics as ErrorDynamics
    from .lyapunov import LyapunovFunction as LyapunovFunction
    from .operational_space import OperationalSpace as OperationalSpace
    from .potential_shaping import PDGravity as PDGravity
    from .potential_shaping import PotentialShaping as PotentialShaping
    from .real_time_iteration import RealTimeIteration as RealTimeIteration
    from .sliding_variable import Adaptive as Adaptive
    from .sliding_variable import PassivityBased as PassivityBased
    from .sliding_variable import SlidingMode as SlidingMode
    from .switched import Switched as Switched
    from .underactuated import EnergyControl as EnergyControl
    from .underactuated import EnergyShaping as EnergyShaping

#: What there is, and the file that it is in.
_FILES = {
    "Controller": ".laws.controller",
    "Law": ".laws.law",
    "Reference": ".laws.law",
    "ControllerState": ".laws.law",
    "FeedbackLinearization": "feedback_linearization.linearization",
    "PartialLinearization": "feedback_linearization.partial",
    "LQR": "lqr",
    "Observer": ".laws.observer",
    "Observed": ".laws.observer",
    "Estimator": ".laws.observer",
    "EKF": "filtering",
    "Estimates": "filtering",
    "KalmanFilter": "kalman",
    "Luenberger": "kalman",
    "HighGain": "high_gain",
    "GainSchedule": "gain_schedule",
    "LinearMPC": "linear_mpc",
    "iLQR": "ilqr",
    "RealTimeIteration": "real_time_iteration",
    "ComputedTorque": "computed_torque",
    "PassivityBased": "sliding_variable",
    "PDGravity": "potential_shaping",
    "PotentialShaping": "potential_shaping",
    "Adaptive": "sliding_variable",
    "SlidingMode": "sliding_variable",
    "OperationalSpace": "operational_space",
    "EnergyControl": "underactuated",
    "EnergyShaping": "underactuated",
    "Switched": "switched",
    "LyapunovFunction": "lyapunov",
    "ErrorDynamics": "lyapunov",
}  # fmt: skip

__all__ = [*_FILES]
__dir__ = __all__.copy


def __getattr__(name: str) -> Any:
    """A name when it is first used, so that a run with one controller loads no other."""
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return public(getattr(import_module(f".{_FILES[name]}", __name__), name))
