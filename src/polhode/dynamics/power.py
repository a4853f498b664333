"""Power: what flows through the ports of a mechanism, and the energy that it changes.

A part has ports, through which power flows into it, and stores energy or none:

    body          Σ n·w + f·v over its joints, loads, constraints and its weight  =  rate of its kinetic energy
    joint         efforts, drives, joint forces, potentials, conditions, less what it does on its two bodies  =  0
    constraint    what time puts in, less what it does on its two bodies  =  -λ·(A u + a), which is 0 where it is kept
    whole         efforts, loads, drives and constraints  =  rate of kinetic and potential energy

Wrenches come from the sweep of `reactions`, rates from the derivatives of the energies along q̇, u̇, ż and time: each
side is a check of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..errors import listed
from ..expr import Expr, as_expr, directional, gradient, quiet_collector, substitute
from ..expr.spelling import latex_name
from ..expr.typeset import Typeset
from ..geometry.twist import Wrench
from ..kinematics.motion import velocities
from ..kinematics.prescribed import leader_of
from ..kinematics.tree import BASE
from ..model.forces.protocol import CoordinateForce, EnergyStore, PotentialEnergy, PrimitiveLoad, SpeedForce
from ..model.records import GROUND
from ..notebook import Cell, Shown, Table
from .equations import EquationsOfMotion
from .loads import loads_of
from .reactions import Reactions
from .whole import check_whole


@dataclass(frozen=True, repr=False)
class Balance(Typeset):
    """Powers into a part through its ports, by name, and the rate of its stored energy."""

    ports: Mapping[str, Expr]
    rate: Expr

    def __repr__(self) -> str:
        return f"Balance({listed(self.ports) or 'no port'})"

    def _formulas(self) -> list[tuple[str, Expr]]:
        return [*((f"P_{{{latex_name(name)}}}", value) for name, value in self.ports.items()), (r"\dot{E}", self.rate)]

    @property
    def residual(self) -> Expr:
        """Power into the part less the rate of its energy."""
        return as_expr(sum(self.ports.values(), start=as_expr(0)) - self.rate)


@dataclass(frozen=True, repr=False)
class Power(Shown):
    """The balance of the whole mechanism, and of each of its parts."""

    whole: Balance
    bodies: Mapping[str, Balance]
    joints: Mapping[str, Balance]
    constraints: Mapping[str, Balance]

    def __repr__(self) -> str:
        return f"Power({len([*self.parts()])} balances; ports: {listed(self.ports)})"

    def _cell(self) -> Cell:
        rows = [(part, listed(balance.ports) or "none") for part, balance in self.parts()]
        return Cell("balances of power", [Table(["part", "ports"], rows)])

    @property
    def ports(self) -> Mapping[str, Expr]:
        """The ports of the whole system."""
        return self.whole.ports

    def parts(self) -> Iterator[tuple[str, Balance]]:
        """Every balance with the name of its part."""
        for kind, table in (("body", self.bodies), ("joint", self.joints), ("constraint", self.constraints)):
            for name, balance in table.items():
                yield f"{kind} '{name}'", balance
        yield "the whole mechanism", self.whole


@quiet_collector()
def power(equations: EquationsOfMotion, solved: bool = True, touching: bool = False) -> Power:
    """Every port's power, in the speeds of the equations; unless `solved`, in symbols of accelerations and λ.

    If `touching`, contact forces act, in symbols; what they do by themselves is no port.
    """
    check_whole(equations, "the balance of power")
    meter = _Meter(Reactions(equations, solved, touching))
    bodies = {name: ports for name, ports in meter.on_bodies().items() if name != GROUND}
    return Power(
        meter.balance(meter.on_the_whole(), meter.rate(meter.kinetic_energy + meter.loads.potential_energy)),
        {name: meter.balance(ports, meter.rate(meter.body_energy(name))) for name, ports in bodies.items()},
        {name: meter.balance(ports, as_expr(0)) for name, ports in meter.on_joints().items()},
        {name: meter.balance(ports, as_expr(0)) for name, ports in meter.on_constraints().items()},
    )


@dataclass
class _Ports:
    """Powers by the names of ports, summed."""

    powers: dict[str, Any] = field(default_factory=dict)

    def add(self, port: str, power: Any) -> None:
        self.powers[port] = self.powers.get(port, 0) + power


class _Meter:
    """Reads the power of every port off a sweep."""

    def __init__(self, swept: Reactions) -> None:
        self.swept, self.system, self.tree = swept, swept.system, swept.tree
        self.loads = loads_of(self.system, self.tree)
        self.twists = velocities(self.tree)
        self.names = [(load, acting.name) for acting in self.system.acting for load in acting.loads]
        rates = dict(zip(self.tree.q, self.tree.coordinate_rates(), strict=True))
        self.flow: dict[Expr, Any] = {**rates, self.system.time: as_expr(1)}
        self.flow |= dict(zip(self.tree.u, swept.given.udot, strict=True))
        self.flow |= dict(zip(swept.equations.z, swept.equations.z_rates, strict=True))

    def balance(self, ports: _Ports, rate: Any) -> Balance:
        """In the speeds of the equations, without ports that never carry power."""
        *powers, change = self.swept.in_independent_speeds([*ports.powers.values(), rate])
        return Balance({name: value for name, value in zip(ports.powers, powers, strict=True) if value}, change)

    # ---- energy ------------------------------------------------------------------------------------------------

    def rate(self, energy: Any) -> Expr:
        """The derivative along q̇, u̇, ż and time."""
        return directional([as_expr(energy)], self.flow)[0]

    def body_energy(self, body: str) -> Any:
        """½ (w·l + v·p), and the energy of bending."""
        i, _ = self.tree.bodies[body]
        w, v = self.twists[i]
        spin, linear = self.tree.links[i].inertia.momentum(w, v)
        bending = (material.energy(w, v, self.tree.u) for material in self.tree.links[i].deforming)
        return (w.dot(spin) + v.dot(linear) + sum(bending, start=as_expr(0))) / 2

    @cached_property
    def kinetic_energy(self) -> Any:
        return sum((self.body_energy(name) for name in self.system.bodies if name != GROUND), start=as_expr(0))

    # ---- what acts ---------------------------------------------------------------------------------------------

    def done_on(self, i: int, wrench: Wrench) -> Any:
        """n·w + f·v of a wrench on a link, about its origin in its components."""
        return wrench.power(self.twists[i])

    def power_of(self, load: PrimitiveLoad, conservative: bool = True) -> dict[str, Any]:
        """Power of a load on each body."""
        table = self.loads.wrenches_of([load], conservative)
        return {
            body: self.done_on(i, table[i])
            for body, (i, _) in self.tree.bodies.items()
            if i != BASE and any((*table[i][0], *table[i][1]))
        }

    def weight_on(self, body: str) -> Any:
        """g·(m v + w × h)."""
        i, _ = self.tree.bodies[body]
        w, v = self.twists[i]
        _, linear = self.tree.links[i].inertia.momentum(w, v)
        for material in self.tree.links[i].deforming:
            linear = linear + material.momentum(self.tree.u)[1]
        return self.tree.gravity.dot(self.swept.poses[i].R @ linear)

    def pushed(self, constraint: str) -> dict[str, Any]:
        """Power of a constraint on its two bodies."""
        push = self.swept.acting_wrenches[constraint]
        done = {}
        for body, sign in ((push.on, 1), (push.against, -1)):
            i, _ = self.tree.bodies[body]
            if i != BASE:
                X = self.swept.poses[i]
                done[body] = sign * self.done_on(i, push.wrench.about(push.place - X.p).turned(X.R.T))
        return done

    @cached_property
    def on_ends(self) -> dict[str, tuple[Any, Any]]:
        """Powers of each joint on child and parent; a station's are those of its flexible body, with those on η."""
        done: dict[str, tuple[Any, Any]] = {}
        for joint in self.system.joints.values():
            indices = [k for k, link in enumerate(self.tree.links) if link.joint == joint.name]
            child, parent = self.done_on(indices[-1], self.swept.wrenches[indices[-1]]), as_expr(0)
            link = self.tree.links[indices[0]]
            if link.parent != BASE:
                w, v = self.twists[link.parent]
                n, f = self.swept.wrenches[indices[0]]
                parent = -(n.dot(link.outward(w)) + f.dot(link.outward(v + w.cross(link.X.p))))
            if link.stage.is_elastic:
                load_powers = (power for name, _, power in self.given() if name == joint.name)
                child = sum((*self.inside[joint.name].powers.values(), *load_powers), start=-parent)
            elif link.slopes:
                parent = -child
            done[joint.name] = child, parent
        return done

    # ---- inside joints -----------------------------------------------------------------------------------------

    def along_joints(self, value: Expr, by_speeds: bool = False) -> dict[str, Any]:
        """Σ (∂value/∂q) q̇ over each joint's own coordinates, or Σ (∂value/∂u) u; driven and following ones too."""
        joints = list(self.system.joints.values())
        symbols = [s for joint in joints for s in (joint.u if by_speeds else joint.q)]
        slopes = dict(zip(symbols, substitute(gradient(value, symbols), self.tree.followed), strict=True))
        powers = {}
        for joint in joints:
            moving = [symbol for symbol in (joint.u if by_speeds else joint.q) if slopes[symbol]]
            done = sum((slopes[symbol] * self._moving(symbol, by_speeds) for symbol in moving), start=as_expr(0))
            if done:
                powers[joint.name] = done
        return powers

    def _moving(self, symbol: Expr, is_speed: bool) -> Any:
        """The rate of a coordinate or the value of a speed, in the speeds of the equations."""
        followed = self.tree.followed.get(symbol, symbol)
        return followed if is_speed else self.rate(followed)

    def joint_force(self, load: SpeedForce | CoordinateForce) -> Any:
        """The power of a generalized force."""
        joint = self.system.joints[load.joint]
        symbols = joint.u if isinstance(load, SpeedForce) else joint.q
        value, moving = substitute([load.value, symbols[load.index]], self.tree.followed)
        return value * (moving if isinstance(load, SpeedForce) else self.rate(moving))

    @cached_property
    def inside(self) -> dict[str, _Ports]:
        """For each joint the powers of joint forces, potentials and conditions along its freedom."""
        ports = {name: _Ports() for name in self.system.joints}
        for load, name in self.names:
            if isinstance(load, SpeedForce | CoordinateForce):
                ports[load.joint].add(f"load {name}", self.joint_force(load))
            elif isinstance(load, PotentialEnergy):
                for joint, rate in self.along_joints(load.energy).items():
                    ports[joint].add(f"load {name}", -rate)
        for row, value, multiplier in self.swept.conditions:
            for joint, rate in self.along_joints(value, not row.is_position).items():
                ports[joint].add(f"constraint {row.of}", multiplier * rate)
        return ports

    def given(self) -> Iterator[tuple[str, str, Any]]:
        """Efforts, drives and placements in time: joint, port and power."""
        owner = {u: joint.name for joint in self.system.joints.values() for u in joint.u}
        for u, tau in zip(self.tree.u, self.tree.tau, strict=True):
            yield owner[u], f"effort {u.name}", tau * u
        for coordinate, motion in self.system.prescribed.items():
            joint = self.system.joints[motion.joint]
            speed = joint.u[[q.name for q in joint.q].index(coordinate)]
            effort = self.swept.driving_force(coordinate)
            yield joint.name, f"drive {coordinate}", effort * self.tree.followed[speed]
        for link, (n, f) in zip(self.tree.links, self.swept.wrenches, strict=True):
            if link.drive is not None and link.is_placement and link.joint in self.system.joints:
                yield link.joint, f"placement {link.joint}", n.dot(link.drive.w) + f.dot(link.drive.v)

    # ---- by part -----------------------------------------------------------------------------------------------

    def on_bodies(self) -> dict[str, _Ports]:
        """Powers on each body, the ground included."""
        entries = {name: _Ports() for name in self.system.bodies}
        for name, joint in self.system.joints.items():
            for body, done in zip((joint.child, joint.parent), self.on_ends[name], strict=True):
                entries[body].add(f"joint {name}", done)
        for load, name in self.names:
            for body, done in self.power_of(load).items():
                entries[body].add(f"load {name}", done)
        for name in self.swept.acting_wrenches:
            for body, done in self.pushed(name).items():
                entries[body].add(f"constraint {name}", done)
        for body, ports in entries.items():
            if body != GROUND:
                ports.add("gravity", self.weight_on(body))
        return entries

    def on_joints(self) -> dict[str, _Ports]:
        """Powers into each joint; coupled joints are one part."""
        by_joint = {name: _Ports() for name in self.system.joints if name not in self.system.couplings}

        def part(joint: str) -> _Ports:
            return by_joint[leader_of(self.system, joint)[0].name]

        for name, joint in self.system.joints.items():
            for body, done in zip((joint.child, joint.parent), self.on_ends[name], strict=True):
                part(name).add(f"body {body}", -done)
            for port, done in self.inside[name].powers.items():
                part(name).add(port, done)
        for name, port, done in self.given():
            part(name).add(port, done)
        return by_joint

    def on_constraints(self) -> dict[str, _Ports]:
        """Powers into each constraint: from bodies, joints and explicit time."""
        by_constraint: dict[str, _Ports] = {}
        constraints = self.swept.constraints
        if constraints is None:
            return by_constraint
        for name, done in self.by_constraints().items():
            ports = _Ports({f"{kind} {of}": -value for kind, of, value in done})
            rows = [k for k, row in enumerate(constraints.rows) if row.of == name]
            kept = sum((self.swept.given.multipliers[k] * constraints.rows[k].rate for k in rows), start=as_expr(0))
            ports.add("time", sum((value for _, _, value in done), start=as_expr(0)) - kept)
            by_constraint[name] = ports
        return by_constraint

    def by_constraints(self) -> dict[str, list[tuple[str, str, Any]]]:
        """Powers of each constraint on bodies or along joints."""
        powers = {
            name: [("body", body, done) for body, done in self.pushed(name).items()]
            for name in self.swept.acting_wrenches
        }
        for row, _, _ in self.swept.conditions:
            port = f"constraint {row.of}"
            inside = [(joint, ports.powers.get(port)) for joint, ports in self.inside.items()]
            powers[row.of] = [("joint", joint, done) for joint, done in inside if done is not None]
        return powers

    def on_the_whole(self) -> _Ports:
        """Powers from outside: all but weight and stored energy."""
        ports = _Ports()
        for _, port, done in self.given():
            ports.add(port, done)
        for load, name in self.names:
            for done in self.power_of(load, conservative=False).values():
                ports.add(f"load {name}", done)
            if isinstance(load, SpeedForce | CoordinateForce):
                ports.add(f"load {name}", self.joint_force(load))
            elif isinstance(load, EnergyStore) and load.energy:
                ports.add(f"load {name}", self.rate(self.loads.stored(load)) + self.by_store(load))
        for name, parts in self.by_constraints().items():
            for _, _, done in parts:
                ports.add(f"constraint {name}", done)
        weights = (self.weight_on(name) for name in self.system.bodies if name != GROUND)
        ports.add("gravity", self.rate(self.loads.weight_energy) + sum(weights, start=as_expr(0)))
        return ports

    def by_store(self, load: EnergyStore) -> Any:
        """Power of a store of energy on bodies or along joints; the rest of its change is due to time."""
        if isinstance(load, PotentialEnergy):
            return -sum(self.along_joints(load.energy).values(), start=as_expr(0))
        all_of_it, without = self.power_of(load), self.power_of(load, conservative=False)
        return sum(all_of_it.values(), start=as_expr(0)) - sum(without.values(), start=as_expr(0))
