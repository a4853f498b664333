"""Vehicles: every formalism gives one set of equations, and these turn, roll and stand as text books say."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.expr import evaluate, free_symbols
from polhode.model.forces import Force
from polhode.model.samples import Tyre, Vehicle, brush, car, cruising, put_on_road, semitrailer, steady_turn

BOTH = {"car": car, "semitrailer": semitrailer}
RECURSIVE = ("kane", "newton_euler", "composite_body", "articulated_body")


def steered(degrees: float) -> Callable[[ph.Expr], ph.Expr]:
    """A step of the steer angle, smooth enough to be differentiated twice."""
    return lambda t: ph.pi / 180 * degrees * (1 + ph.tanh(10 * (t - 0.5))) / 2


@pytest.mark.parametrize("make", BOTH.values(), ids=BOTH.keys())
def test_every_formalism_gives_the_same_vehicle(make: Callable[..., Vehicle]) -> None:
    system = make(steered(2), curve=brush).system
    judge = system.derive("poincare")
    for formalism in RECURSIVE:
        assert system.derive(formalism).agrees_with(judge), formalism


@pytest.mark.parametrize("make", BOTH.values(), ids=BOTH.keys())
def test_neither_where_a_vehicle_is_nor_how_far_its_wheels_have_turned_matters(make: Callable[..., Vehicle]) -> None:
    vehicle = make(steered(2))
    met = {s.name for s in free_symbols(vehicle.system.derive("kane").forward_dynamics) if s.data[0] == "coordinate"}
    assert not met & {"x", "y", "yaw", *(f"{wheel} spin" for wheel in vehicle.patches)}
    assert {"z", "roll", "pitch"} <= met


@pytest.mark.parametrize("make", BOTH.values(), ids=BOTH.keys())
def test_a_vehicle_stands_on_its_tyres_where_its_parameters_say(make: Callable[..., Vehicle]) -> None:
    vehicle = make()
    equations = vehicle.system.derive("articulated_body")
    rest, still = np.zeros(len(equations.q)), np.zeros(len(equations.u))
    found = equations.compile().forward_dynamics(rest, still, inputs={"V": 0})
    assert np.abs(found).max() < 1e-9
    run = equations.simulate(0.1, inputs={"V": 0}, samples=2)
    loads = run.values(*(patch.load for patch in vehicle.patches.values()))[:, 0]
    bodies = vehicle.system.bodies.values()
    mass = sum(evaluate([body.mass], {p.symbol: float(p.value or 0) for p in vehicle.system.parameters.values()})[0]
               for body in bodies)  # fmt: skip
    assert loads.sum() == pytest.approx(9.81 * mass, rel=1e-12)


def test_a_car_s_engine_holds_its_speed_against_the_air() -> None:
    vehicle = car(speed=25)
    run = vehicle.system.derive("articulated_body").simulate(1, speeds=cruising(vehicle, 25), method="rk4", step=2e-3)
    assert run.speed("vx")[-1] == pytest.approx(25, rel=1e-4)


def test_a_car_turns_as_the_linear_bicycle_model_says() -> None:
    V, degrees = 25.0, 0.05
    vehicle = car(steered(degrees), speed=V)
    run = vehicle.system.derive("articulated_body").simulate(
        4, speeds=cruising(vehicle, V), method="rk4", step=2e-3, parameters={"drag": 0}
    )
    p = {name: vehicle.value(name) for name in vehicle.system.parameters}
    L = p["a"] + p["b"]
    front, rear = (p["m_s"] * arm / L + 2 * (p["m_u"] + p["m_w"]) for arm in (p["b"], p["a"]))
    K = front / (2 * p["C_f"]) - rear / (2 * p["C_r"])
    assert run.speed("wz")[-1] == pytest.approx(V * np.radians(degrees) / (L + K * V**2), rel=2e-3)
    body, up = vehicle.system.bodies["body"], vehicle.system.ground.z
    (across,) = run.values(body.centre.acceleration() & (up ^ body.x))
    assert across[-1] == pytest.approx(run.speed("wz")[-1] * V, rel=2e-3)
    assert run["roll"][-1] > 0, "it leans outward"


def test_a_semitrailer_turns_and_folds_as_the_linear_model_says() -> None:
    V, degrees = 20.0, 0.05
    vehicle = semitrailer(steered(degrees), speed=V)
    run = vehicle.system.derive("articulated_body").simulate(
        10, speeds=cruising(vehicle, V), method="rk4", step=2e-3, parameters={"drag": 0}, rate=10
    )
    v, rate, articulation = steady_turn(vehicle, V, np.radians(degrees))
    assert run.speed("wz")[-1] == pytest.approx(rate, rel=3e-3)
    assert run["articulation"][-1] == pytest.approx(articulation, rel=3e-3)
    assert run.speed("vy")[-1] == pytest.approx(v, rel=3e-3)


def wheel() -> tuple[ph.System, ph.Body, ph.Body]:
    """A wheel on a hub that moves freely."""
    system = ph.System("wheel")
    hub, disc = system.body("hub", 2, inertia=(1, 2, 2)), system.body("disc", 3, inertia=(1, 2, 1))
    system.joint("flight", system.ground, hub, ph.Free("321"))
    system.joint("spin", hub, disc, ph.Revolute("y"))
    return system, hub, disc


def test_the_road_pushes_the_wheel_where_its_disc_meets_the_plane() -> None:
    system, hub, disc = wheel()
    put_on_road(system, hub, system.joints["spin"], Tyre(0.3, 2e5, 9e4, 7e4), 4000)
    push = next(load for load in system.loads if isinstance(load, Force))
    arm = hub.arrow(push.at)
    assert ((hub.origin.position() + arm) & system.ground.z) == 0
    assert (arm & hub.y) == 0, "in the plane of the disc"
    other = ph.System.of(replace(system.model(), loads=()))
    hub, disc = other.bodies[hub.name], other.bodies[disc.name]
    other.force(disc, hub.arrow(push.vector), at=disc.point(hub.arrow(push.at)))
    assert other.derive("poincare").agrees_with(system.derive("newton_euler"))


def test_slip_is_how_fast_the_tyre_slides_for_its_rolling_speed() -> None:
    system, hub, _ = wheel()
    flight, spin = system.joints["flight"], system.joints["spin"]
    patch = put_on_road(system, hub, spin, Tyre(0.3, 2e5, 9e4, 7e4, slow=0), 4000)
    state = {s: 0.0 for joint in (flight, spin) for s in (*joint.q, *joint.u)}
    state |= {flight.q[5]: 0.3, flight.u[3]: 20.0, flight.u[4]: 1.0}
    rolls, locked, spins = (state | {spin.u[0]: rate} for rate in (20 / 0.3, 0.0, 30 / 0.3))
    assert evaluate([patch.slip_ratio, patch.slip_angle, patch.load], rolls) == pytest.approx(
        [0, -np.arctan(0.05), 4000]
    )
    assert evaluate([patch.slip_ratio], locked) == pytest.approx([-1])
    assert evaluate([patch.slip_ratio], spins) == pytest.approx([0.5])
    assert evaluate([patch.along], spins)[0] > 0 > evaluate([patch.across], rolls)[0]
    raised = rolls | {flight.q[5]: 0.5}
    assert np.hypot(*evaluate([patch.along, patch.across], raised)) <= 1.0, "next to nothing in the air"


@pytest.mark.parametrize("curve", [ph.tanh, brush], ids=["tanh", "brush"])
def test_a_tyre_is_linear_at_first_and_never_exceeds_its_friction(curve: Callable[[ph.Expr], ph.Expr]) -> None:
    x, y, load = ph.symbols("x y load")
    along, across = Tyre(0.3, 2e5, 9e4, 7e4, 0.8, curve).force(x, y, load)

    def at(slip_x: float, slip_y: float) -> np.ndarray:
        return np.array(evaluate([along, across], {x: slip_x, y: slip_y, load: 4000}))

    np.testing.assert_allclose(at(1e-5, -2e-5) / [-9e4 * 1e-5, 7e4 * 2e-5], 1, rtol=1e-3)
    np.testing.assert_array_equal(at(0.1, 0.2), -at(-0.1, -0.2))
    for slip in np.random.default_rng(1).normal(size=(50, 2)):
        force = at(*slip)
        assert np.hypot(*force) <= 0.8 * 4000 * (1 + 1e-9)
        assert force @ slip < 0, "sliding takes power"
    assert np.hypot(*at(5.0, 5.0)) == pytest.approx(3200)
