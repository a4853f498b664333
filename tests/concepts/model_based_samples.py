"""A sample of every controller that is designed from the equations of motion, with a run that it is fit for."""

from collections.abc import Callable
from typing import Any

from tests.planar_arm import ON_PATH, PATH, planar_arm

import polhode as ph
from polhode.control import Controller
from polhode.model.samples.underactuated import cart_pole

ON_THE_PATH = {"reference": PATH, **ON_PATH}
TO_A_POINT = {"reference": {"q1": 0.5, "q2": -0.5}}
HANGING = {"start": {"theta": 3.0}}
SWING = {"ke": 80, "kp": 1, "kv": 1, "limit": 8}


def shaped(e: ph.Equations) -> Controller:
    return ph.control.PotentialShaping(e, 20 * (e.q[0] ** 2 + e.q[1] ** 2), kd=5)


def caught(e: ph.Equations) -> Controller:
    swing = ph.control.EnergyControl(e, {"theta": 0}, **SWING)
    shaping = ph.control.EnergyShaping(e, {"theta": 0}, ke=1, kd=2, kp=1, kv=1)
    return ph.control.Switched(swing, shaping, within={"theta": 0.5, "theta'": 2}, turning=["theta"])


#: How each is made of equations, and how it is run.
ON_AN_ARM: dict[str, tuple[Callable[[ph.Equations], Controller], dict[str, Any]]] = {
    "ComputedTorque": (lambda e: ph.control.ComputedTorque(e, kp=100, kd=20, ki=10), ON_THE_PATH),
    "PassivityBased": (lambda e: ph.control.PassivityBased(e, kd=10, lambda_=5), ON_THE_PATH),
    "PDGravity": (lambda e: ph.control.PDGravity(e, kp=50, kd=20), TO_A_POINT),
    "PotentialShaping": (shaped, {"start": {"q1": 0.3}}),
    "Adaptive": (
        lambda e: ph.control.Adaptive(e, kd=20, lambda_=5, gamma=2, estimates={"m1": 1.4, "m2": 1.3}),
        ON_THE_PATH,
    ),
    "SlidingMode": (lambda e: ph.control.SlidingMode(e, 5, 10, 0.1), ON_THE_PATH),
    "OperationalSpace": (
        lambda e: ph.control.OperationalSpace(e, "hand", kp=100, kd=20, axes="xy"),
        {"reference": {"x": "0.6 + 0.2*cos(t)", "y": "0.2*sin(t)"}, "start": {"q1": -0.8, "q2": 1.4}},
    ),
    "FeedbackLinearization": (
        lambda e: ph.control.FeedbackLinearization(e, [e.q[0], e.q[0] + e.q[1]], e.speeds),
        {"reference": [0.5, "0.2*sin(t)"]},
    ),
}
ON_A_CART: dict[str, tuple[Callable[[ph.Equations], Controller], dict[str, Any]]] = {
    "EnergyControl": (lambda e: ph.control.EnergyControl(e, {"theta": 0}, **SWING), HANGING),
    "EnergyShaping": (lambda e: ph.control.EnergyShaping(e, {"theta": 0}, ke=1, kd=2, kp=1, kv=1), HANGING),
    "Switched": (caught, HANGING),
    "PartialLinearization": (
        lambda e: ph.control.PartialLinearization(e, "non-collocated"),
        {"reference": {"theta": 0}, "start": {"theta": 0.1}},
    ),
}


def model_based(sample: Callable[..., Any]) -> dict[str, Callable[[], Any]]:
    """Samples by the names of controllers."""

    def of(make: Callable[[], ph.System], law: Callable[[ph.Equations], Controller], run: Any) -> Callable[[], Any]:
        def made() -> Any:
            e = make().derive()
            return sample(e, law(e), run)

        return made

    arms = {name: of(planar_arm, *each) for name, each in ON_AN_ARM.items()}
    return arms | {name: of(cart_pole, *each) for name, each in ON_A_CART.items()}
