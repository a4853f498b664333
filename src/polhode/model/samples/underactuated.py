"""Mechanisms of the control textbooks: fewer inputs than freedoms, or rolling; all of them in symbols."""

from __future__ import annotations

from ...expr import as_expr
from ..joints import Free, Planar, Prismatic, Revolute
from ..system import System

_GRAVITY = (0, 0, "-9.81")


def cart_pole() -> System:
    """A pole on a cart, upright at zero; the input `F` pushes the cart."""
    s = System("cart-pole", gravity=_GRAVITY)
    M, m, l = s.parameter("M", 1, "kg"), s.parameter("m", "0.2", "kg"), s.parameter("l", "0.5", "m")
    cart = s.joint("x", s.ground, s.body("cart", M), Prismatic("x"))
    s.joint("theta", "cart", s.body("pole", m, com=(0, 0, l)), Revolute("y"))
    s.joint_force(cart, s.input("F", 0, "N"))
    return s


def furuta_pendulum() -> System:
    """K. Furuta's pendulum, upright at zero, on an arm that the input `T` turns."""
    s = System("Furuta pendulum", gravity=_GRAVITY)
    J, m = s.parameter("J", "0.02", "kg m^2"), s.parameter("m", "0.1", "kg")
    r, l = s.parameter("r", "0.3", "m"), s.parameter("l", "0.25", "m")
    arm = s.joint("arm", s.ground, s.body("bar", 0, inertia=(J, J, J)), Revolute("z"))
    s.joint("pendulum", "bar", s.body("rod", m, com=(0, 0, l)), Revolute("x"), at=(r, 0, 0))
    s.joint_force(arm, s.input("T", 0, "N m"))
    return s


def two_link_pendulum() -> System:
    """Two links: an acrobot with the effort on `elbow` as input, a pendubot with that on `shoulder`."""
    s = System("two-link pendulum", gravity=_GRAVITY)
    link = s.ground
    for i, (name, z) in enumerate((("shoulder", 0), ("elbow", -s.parameter("l1", 1, "m"))), start=1):
        m, c = s.parameter(f"m{i}", 1, "kg"), s.parameter(f"c{i}", "0.5", "m")
        I = s.parameter(f"I{i}", "0.1", "kg m^2")
        body = s.body(f"link {i}", m, com=(0, 0, -c), inertia=(I, I, I))
        s.joint(name, link, body, Revolute("y"), at=(0, 0, z))
        link = body
    return s


def ball_and_beam() -> System:
    """A ball that slides at `r` along a beam at the angle `theta`, which the input `T` turns.

    J. Hauser, S. Sastry and P. Kokotović, *Nonlinear control via approximate input-output linearization: the ball and
    beam example* (1992).
    """
    s = System("ball and beam", gravity=_GRAVITY)
    J, m = s.parameter("J", "0.02", "kg m^2"), s.parameter("m", "0.05", "kg")
    beam = s.joint("theta", s.ground, s.body("beam", 0, inertia=(J, J, J)), Revolute((0, -1, 0)))
    s.joint("r", "beam", s.body("ball", m), Prismatic("x"))
    s.joint_force(beam, s.input("T", 0, "N m"))
    return s


def planar_vtol() -> System:
    """An aircraft in a plane, of unit mass and inertia; the input `roll` that turns it pushes it sideways by ε as well.

    J. Hauser, S. Sastry and G. Meyer, *Nonlinear control design for slightly non-minimum phase systems: application to
    V/STOL aircraft* (1992).
    """
    s = System("planar VTOL", gravity=(0, "-9.81", 0))
    epsilon = s.parameter("epsilon", "0.1", "1/m")
    thrust, roll = s.input("thrust", "9.81", "N"), s.input("roll", 0, "N m")
    craft = s.body("craft", 1, inertia=(1, 1, 1))
    s.joint("pose", s.ground, craft, Planar(), coordinates=["theta", "x", "y"], speeds=["omega", "vx", "vy"])
    s.force(craft, (epsilon * roll, thrust, 0), frame=craft)
    s.torque(craft, (0, 0, roll))
    return s


def tora() -> System:
    """A cart on a spring with an eccentric rotor, in a level plane; the input `T` turns the rotor.

    C.-J. Wan, D. S. Bernstein and V. T. Coppola, *Global stabilization of the oscillating eccentric rotor* (1996).
    """
    s = System("TORA", gravity=(0, 0, 0))
    M, m, e = s.parameter("M", "1.4", "kg"), s.parameter("m", "0.1", "kg"), s.parameter("e", "0.06", "m")
    I, k = s.parameter("I", "0.0002", "kg m^2"), s.parameter("k", 190, "N/m")
    cart = s.joint("x", s.ground, s.body("cart", M), Prismatic("x"))
    rotor = s.joint("theta", "cart", s.body("rotor", m, com=(0, -e, 0), inertia=(I, I, I)), Revolute("z"))
    s.joint_force(cart, -k * cart.q[0])
    s.joint_force(rotor, s.input("T", 0, "N m"))
    return s


def quadrotor(integrators: int = 0) -> System:
    """A body with torques about its axes and a thrust along z: the input `thrust`, or its n-th derivative `jerk`."""
    s = System("quadrotor", gravity=_GRAVITY)
    m = s.parameter("m", 1, "kg")
    I = [s.parameter(f"I{x}", value, "kg m^2") for x, value in zip("xyz", ("0.01", "0.011", "0.02"), strict=True)]
    body = s.body("frame", m, inertia=I)
    s.joint("pose", s.ground, body, Free("321"))
    lift = rate = s.input("jerk" if integrators else "thrust", 0)
    for k in reversed(range(integrators)):
        lift = rate = s.state("thrust" if k == 0 else f"thrust_{k}", rate, start=0)
    s.force(body, (0, 0, lift), frame=body)
    s.torque(body, [s.input(f"T{x}", 0, "N m") for x in "xyz"], frame=body)
    return s


def car_with_trailers(count: int) -> System:
    """A car with trailers, each hitched at the axle before it; inputs `push` along the car and `steer`, a torque."""
    s = System(f"car with {count} trailers", gravity=(0, 0, 0))
    m, I, length = s.parameter("m", 1000, "kg"), s.parameter("I", 1500, "kg m^2"), s.parameter("L", "2.5", "m")
    car, wheel = s.body("car", m, inertia=(I, I, I)), s.body("front", 20, inertia=(1, 1, 1))
    s.joint("pose", s.ground, car, Planar(), coordinates=["heading", "x", "y"], speeds=["w", "vx", "vy"])
    steer = s.joint("wheel", car, wheel, Revolute("z"), at=(length, 0, 0))
    s.knife_edge("rear axle", car)
    s.knife_edge("front axle", wheel)
    s.force(car, (s.input("push", 0, "N"), 0, 0), frame=car)
    s.joint_force(steer, s.input("steer", 0, "N m"))
    before, hitch = car, as_expr(0)
    for i in range(1, count + 1):
        d, mi = s.parameter(f"d{i}", 3, "m"), s.parameter(f"m{i}", 500, "kg")
        Ii = s.parameter(f"I{i}", 400, "kg m^2")
        trailer = s.body(f"trailer {i}", mi, com=(-d, 0, 0), inertia=(Ii, Ii, Ii))
        s.joint(f"hitch {i}", before, trailer, Revolute("z"), at=(hitch, 0, 0))
        s.knife_edge(f"axle {i}", trailer, at=(-d, 0, 0))
        before, hitch = trailer, -d
    return s
