"""A tracked vehicle on ten road wheels, with a rigid or a flexible hull, that drives over an obstacle.

The largest model of H. G. Kwatny and G. L. Blankenship, "Symbolic construction of models for multibody dynamics", IEEE
Transactions on Robotics and Automation 11 (1995), was a tracked vehicle of fifteen degrees of freedom with ten road
wheels and a flexible hull. They do not list the fifteen. Our reading: heave, pitch and roll of the hull (3), ten
trailing arms (10), two bending modes (2); the forward motion is prescribed, x = V t, and wheels do not spin. The
numbers are round ones of the size of a light armoured carrier.

    arms    torsion bar, rotary damper, and progressive stops: k_stop times the square of what is beyond q_bump, q_drop
    ground  N = max(d, 0) max(k_g + c_g ḋ, 0), with d = h(x) + r_w - z how deep a wheel is in the ground below its axle;
            the force is N (-h'(x), 0, 1), across the ground: without damping it has the potential ½ k_g d²
    track   spans between neighbouring wheels, and from the outer ones to sprocket and idler: T = max(T_0 + k_T ΔL, 0)

The track has no mass and no bending stiffness: it acts on the wheels by tension alone, as the super-element of M. K.
McCullough and E. J. Haug, "Dynamics of high mobility track vehicles", Journal of Mechanisms, Transmissions, and
Automation in Design 108 (1986). A. Dhir and S. Sankar, Journal of Dynamic Systems, Measurement, and Control 116 (1994)
764, too, take track loads from initial tension and stretch of the belt, at constant forward speed; their wheels are
continuous radial springs, while ours touch the ground at one point. A belt that ran freely over its wheels would have
one tension; here each span stretches by itself, as if the track stuck to the wheels.

Axes as in ISO 8855: x forward, y to the left, z up. All coordinates are zero at rest with a rigid hull; a flexible one
sags a little, as `equations.equilibrium()` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...expr import Expr, atan, maximum, pi, sqrt
from ...geometry import rotation
from ..body import Body, Frame, Shape
from ..joints import Compound, Prismatic, Revolute
from ..system import System
from .vehicle import parameters_of

if TYPE_CHECKING:
    from ...kinematics.vectors import Point

#: Name, value and unit; w is a road wheel with its arm, stop the stops of an arm, g the ground, T the track.
CARRIER = {
    "g": (9.81, "m/s²"), "V": (8, "m/s"), "m": (9000, "kg"), "L": (4.8, "m"), "half_breadth": (0.9, "m"),
    "EI": (2e7, "N m²"), "zeta": (0.02, ""),
    "m_w": (110, "kg"), "r_w": (0.3, "m"), "reach": (0.3, "m"), "drop": (0.12, "m"), "spacing": (0.66, "m"),
    "depth": (0.35, "m"), "half_track": (1.1, "m"),
    "k": (15000, "N m/rad"), "c": (1200, "N m s/rad"), "q_bump": (0.45, "rad"), "q_drop": (-0.3, "rad"),
    "k_stop": (4e5, "N m/rad²"),
    "k_g": (8e5, "N/m"), "c_g": (4e5, "N s/m²"), "T_0": (9000, "N"), "k_T": (4e5, "N/m"), "end": (2, "m"),
    "x_0": (6, "m"), "half_length": (1, "m"), "h_left": (0.25, "m"), "h_right": (0.25, "m"),
}  # fmt: skip


@dataclass(frozen=True)
class TrackedVehicle:
    """A tracked vehicle's mechanism, and the load of each wheel and the tension of each span as expressions."""

    system: System
    loads: Mapping[str, Expr]
    tensions: Mapping[str, Expr]


def bump(s: Any) -> tuple[Any, Any]:
    """The obstacle and its slope over s = (x - x_0) / half_length, for the height one: (1 - s²)² between -1 and 1.

    >>> bump(0), bump(0.5), bump(2)
    ((1, 0), (0.5625, -1.5), (0, 0))
    """
    inside = maximum(1 - s**2, 0)
    return inside**2, -4 * s * inside


#: Shapes of a free beam over s = 2 x / L, one at its ends, and ∫ w''² ds: w'' is 35/8 (1 - s²)² and 315/8 s (1 - s²)².
#: They leave mass centre and mean slope at rest; their frequencies are 0.01 % and 0.2 % above those of the beam.
BENDING: tuple[tuple[Callable[[Any], Any], Fraction], ...] = (
    (lambda s: (7 * s**6 - 35 * s**4 + 105 * s**2 - 29) / 48, Fraction(140, 9)),
    (lambda s: (15 * s**7 - 63 * s**5 + 105 * s**3 - 41 * s) / 16, Fraction(1260, 11)),
)


def tracked_vehicle(flexible: bool = True) -> TrackedVehicle:
    """A tracked vehicle that drives at the speed V over an obstacle, h_left and h_right high under its tracks.

    >>> made = tracked_vehicle()
    >>> equations = made.system.derive()
    >>> len(equations.u), len(made.loads), len(made.tensions)
    (15, 10, 12)
    >>> made.system.bodies["hull"].q
    (hull_1, hull_2)
    """
    s = System("tracked vehicle")
    p = parameters_of(s, CARRIER)
    hull, section = (_flexible_hull if flexible else _rigid_hull)(s, p)
    load = (p["m"] / 10 + p["m_w"]) * p["g"]  # of each wheel at rest
    height = p["depth"] + p["drop"] + p["r_w"] - load / p["k_g"]
    ride = Compound(Prismatic("x"), Prismatic("z"), Revolute("y"), Revolute("x"))
    names = ["x", "heave", "pitch", "roll"]
    s.prescribe(
        s.joint("ride", s.ground, hull, ride, at=(0, 0, height), coordinates=names, speeds=names), p["V"] * s.time
    )
    sides = {"left": p["half_track"], "right": -p["half_track"]}
    arms = {
        f"{side} {number}": _arm(s, p, f"{side} {number}", section((3 - number) * p["spacing"] + p["reach"]), y, load)
        for number in range(1, 6)
        for side, y in sides.items()
    }
    tensions: dict[str, Expr] = {}
    for side, y in sides.items():
        sprocket, idler = (section(x).point((0, y, 0)) for x in (p["end"], -p["end"]))
        chain = [sprocket, *(arms[f"{side} {number}"].centre for number in range(1, 6)), idler]
        tensions |= {f"{side} {k}": _span(s, p, f"{side} track {k}", *ends) for k, ends in enumerate(pairwise(chain))}
    _draw(s, p, section)
    loads = {name: _on_ground(s, p, name, arm, p[f"h_{name.split()[0]}"]) for name, arm in arms.items()}
    return TrackedVehicle(s, loads, tensions)


def _rigid_hull(s: System, p: dict[str, Expr]) -> tuple[Body, Callable[[Expr], Frame]]:
    """The hull as a rigid body, and frames at its cross-sections."""
    m, L, b = p["m"], p["L"], p["half_breadth"]
    hull = s.body("hull", m, inertia=(m * b**2, m * L**2 / 12, m * (b**2 + L**2 / 12)))
    return hull, cache(lambda x: s.frame(f"hull at {x}", hull, at=(x, 0, 0)))


def _flexible_hull(s: System, p: dict[str, Expr]) -> tuple[Body, Callable[[Expr], Body]]:
    """The hull as two bars that bend, and its cross-sections, which stay plane and across the bars."""
    m, L, b = p["m"], p["L"], p["half_breadth"]
    hull = s.flexible_body(
        "hull",
        shapes=[lambda x, y, z, w=w: (-z * w(2 * x / L).diff(x), 0, w(2 * x / L)) for w, _ in BENDING],
        material=[(m / 2, (-L / 2, y, 0), (L / 2, y, 0)) for y in (b, -b)],
        stiffness=[8 * integral * p["EI"] / L**3 for _, integral in BENDING],
        damping=p["zeta"],
    )
    return hull, lambda x: hull.at((x, 0, 0))


def _outer_span(p: dict[str, Expr]) -> tuple[Expr, Expr, Expr]:
    """From an outer wheel to sprocket or idler at rest: how far outward, how far up, and how long."""
    out, up = p["end"] - 2 * p["spacing"], p["depth"] + p["drop"]
    return out, up, sqrt(out**2 + up**2)


def _arm(s: System, p: dict[str, Expr], name: str, mount: Body | Frame, y: Expr, load: Expr) -> Body:
    """A trailing arm with its wheel; the torsion bar is wound so that it carries the load, and the track's pull."""
    reach, drop, r = p["reach"], p["drop"], p["r_w"]
    at, flat = (-reach, 0, -drop), rotation(("x", pi / 2))
    disc = Shape("cylinder", (r - 0.05, 0.2), at, flat, "#2f3236")  # inside the track, which is 0.05 m thick
    tilt = rotation(("y", -atan(drop / reach)))
    bar = Shape("box", (sqrt(reach**2 + drop**2), 0.3, 0.08), (-reach / 2, 0, -drop / 2), tilt, "#8a8f96")
    arm = s.body(f"{name} wheel", p["m_w"], at, shapes=[disc, bar])
    joint = s.joint(name, mount, arm, Revolute("y"), at=(0, y, -p["depth"]))
    outer = {"1": 1, "5": -1}.get(name[-1], 0)
    out, up, length = _outer_span(p)
    pull = p["T_0"] / length
    along, lift = outer * (out - length) * pull, load - p["m_w"] * p["g"] + abs(outer) * up * pull
    s.joint_spring(joint, p["k"], rest=(drop * along - reach * lift) / p["k"], damping=p["c"])
    q = joint.q[0]
    beyond = maximum(q - p["q_bump"], 0) ** 2 - maximum(p["q_drop"] - q, 0) ** 2
    s.joint_force(joint, -p["k_stop"] * beyond, name=f"{name} stops")
    return arm


def _span(s: System, p: dict[str, Expr], name: str, a: Point, b: Point) -> Expr:
    """Stretch a span of the track between two points; its tension, with the length written by the coordinates."""
    length = _outer_span(p)[2] if name[-1] in "05" else p["spacing"]

    def law(now: Any, rate: Any = 0) -> Any:
        return maximum(p["T_0"] + p["k_T"] * (now - length), 0)

    s.line_force(a, b, law, name=name)
    way = b.position() - a.position()
    tension: Expr = law(sqrt(way & way))
    return tension


def _on_ground(s: System, p: dict[str, Expr], name: str, arm: Body, top: Expr) -> Expr:
    """Put a wheel on the ground, with an obstacle of this height; the load that it carries."""
    at, v = arm.centre.position(), arm.centre.velocity()
    height, slope = bump(((at & s.ground.x) - p["x_0"]) / p["half_length"])
    slope = slope * top / p["half_length"]
    depth, rate = top * height + p["r_w"] - (at & s.ground.z), slope * (v & s.ground.x) - (v & s.ground.z)
    load: Expr = maximum(depth, 0) * maximum(p["k_g"] + p["c_g"] * rate, 0)
    s.force(arm, (-slope * load, 0, load), at=arm.com, name=f"ground on {name}")
    return load


def _draw(s: System, p: dict[str, Expr], section: Callable[[Expr], Body | Frame]) -> None:
    """Give shapes to the hull, a slab at each of its cross-sections, and to the ground, the obstacle in strips."""
    b, w, flat = p["half_breadth"], p["half_track"], rotation(("x", pi / 2))
    shapes: dict[str, list[Shape]] = {"hull": [Shape("box", (0.8, 0.8, 0.3), (0.6, 0, 0.75), color="#6d7f5c")]}
    places = [p["end"], *((3 - number) * p["spacing"] + p["reach"] for number in range(1, 6)), -p["end"]]
    edges = [p["L"] / 2, *((x + y) / 2 for x, y in pairwise(places)), -p["L"] / 2]
    for number, (x, (front, rear)) in enumerate(zip(places, pairwise(edges), strict=True)):
        on = section(x)
        name, zero = (on.body, 0) if isinstance(on, Frame) else (on.name, x)
        mid, long = (front + rear) / 2 - zero, front - rear
        slab = shapes.setdefault(name, [])
        slab.append(Shape("box", (long, 2 * b, 0.5), (mid, 0, -0.1), color="#55634a"))
        slab.append(Shape("box", (long, 2.5 * b, 0.5), (mid, 0, 0.4), color="#6d7f5c"))
        if number in (0, 6):  # sprockets and idlers
            slab += [Shape("cylinder", (0.2, 0.2), (x - zero, y, 0), flat, "#3b3f45") for y in (w, -w)]
    for at in (Fraction(2 * k + 1, 16) - 1 for k in range(16)):
        for side, y in (("left", w), ("right", -w)):
            top = p[f"h_{side}"] * bump(at)[0]
            middle = (p["x_0"] + at * p["half_length"], y, (top - 0.01) / 2)  # 0.01 m of it in the ground
            strip = Shape("box", (p["half_length"] / 8, 0.8, top + 0.01), middle, color="#8a7a63")
            shapes.setdefault(s.ground.name, []).append(strip)
    for name, given in shapes.items():
        s._add("bodies", name, replace(s.bodies[name], shapes=tuple(given)))
