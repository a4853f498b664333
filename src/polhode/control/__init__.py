"""Controllers: laws designed for a mechanism, in symbols, to be proved, run in closed loop and written as source.

Each is a file of its own, a subclass of `Controller` with one method, `design`; a line here makes it known.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..calls import public

if TYPE_CHECKING:
    from ..laws.controller import Controller as Controller
    from ..laws.controller import Estimator as Estimator
    from ..laws.controller import Observed as Observed
    from ..laws.controller import Observer as Observer
    from ..laws.law import ControllerState as ControllerState
    from ..laws.law import Law as Law
    from ..laws.law import Reference as Reference
    from .computed_torque import ComputedTorque as ComputedTorque
    from .computed_torque import OperationalSpace as OperationalSpace
    from .computed_torque import PDGravity as PDGravity
    from .computed_torque import PotentialShaping as PotentialShaping
    from .feedback_linearization.linearization import FeedbackLinearization as FeedbackLinearization
    from .feedback_linearization.linearization import PartialLinearization as PartialLinearization
    from .filtering import EKF as EKF
    from .filtering import Estimates as Estimates
    from .ilqr import iLQR as iLQR
    from .kalman import HighGain as HighGain
    from .kalman import KalmanFilter as KalmanFilter
    from .kalman import Luenberger as Luenberger
    from .lqr import LQR as LQR
    from .lqr import GainSchedule as GainSchedule
    from .lyapunov import ErrorDynamics as ErrorDynamics
    from .lyapunov import LyapunovFunction as LyapunovFunction
    from .model_predictive import LinearMPC as LinearMPC
    from .model_predictive import RealTimeIteration as RealTimeIteration
    from .sliding_variable import Adaptive as Adaptive
    from .sliding_variable import PassivityBased as PassivityBased
    from .sliding_variable import SlidingMode as SlidingMode
    from .switched import Switched as Switched
    from .underactuated import EnergyControl as EnergyControl
    from .underactuated import EnergyShaping as EnergyShaping

#: The names in each file.
_NAMES = {
    ".laws.controller": "Controller Observer Observed Estimator",
    ".laws.law": "Law Reference ControllerState",
    "feedback_linearization.linearization": "FeedbackLinearization PartialLinearization",
    "lqr": "LQR GainSchedule",
    "filtering": "EKF Estimates",
    "kalman": "KalmanFilter Luenberger HighGain",
    "model_predictive": "LinearMPC RealTimeIteration",
    "ilqr": "iLQR",
    "computed_torque": "ComputedTorque OperationalSpace PDGravity PotentialShaping",
    "sliding_variable": "PassivityBased Adaptive SlidingMode",
    "underactuated": "EnergyControl EnergyShaping",
    "switched": "Switched",
    "lyapunov": "LyapunovFunction ErrorDynamics",
}
_FILES = {name: file for file, names in _NAMES.items() for name in names.split()}

__all__ = [*_FILES]
__dir__ = __all__.copy


def __getattr__(name: str) -> Any:
    """A name when it is first used, so that a run with one controller loads no other."""
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return public(getattr(import_module(f".{_FILES[name]}", __name__), name))
