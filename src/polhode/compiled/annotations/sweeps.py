"""The sweeps of the formalisms once more, each quantity named as it is met.

They follow `formalisms/newton_euler`, `composite_body` and `articulated_body` line by line; they are repeated here so
that those can read like their papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...dynamics.equations import EquationsOfMotion
from ...dynamics.loads import Loads, Wrench
from ...expr import Matrix, Vector, is_zero, skew
from ...formalisms.articulated_body import ArticulatedInertia
from ...formalisms.composite_body import composite_inertias
from ...formalisms.newton_euler import accelerate, pass_inward
from ...kinematics.field import acceleration_matrix
from ...kinematics.motion import velocities, world_poses
from ...kinematics.tree import BASE, Tree, Turn
from ..quantities import Asked
from .catalogue import AXES, Catalogue, short, speed_labels

_ZERO = Vector([0, 0, 0])
_STILL = Matrix.identity(3)
_PAIRS = ((0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class Sweeps:
    """The sweeps over one tree; `how` is "regrouped " if mass was moved towards the base."""

    catalogue: Catalogue
    equations: EquationsOfMotion
    tree: Tree
    how: str

    def steps(self, of: Asked) -> list[Callable[[], object]]:
        """What to name for a function, simplest first."""
        steps: dict[Asked, list[Callable[[], object]]] = {
            "inverse_dynamics": [lambda: self._newton_euler(self._asked, "")],
            "inverse_dynamics_derivatives": [lambda: self._newton_euler(self._asked, "")],
            "bias": [lambda: self._biases],
            "mass_matrix": [self._composite_bodies],
            "energy": [self._momenta],
            "momentum": [self._momenta, self._poses],
            "poses": [self._poses],
        }
        forward: list[Callable[[], object]] = [
            lambda: self._biases,
            self._elimination,
            self._composite_bodies,
            self._articulated_bodies,
        ]
        steps |= dict.fromkeys(("forward_dynamics", "state_rates", "forward_dynamics_derivatives"), forward)
        return [self._constants, *steps.get(of, [])]

    # ---- words -----------------------------------------------------------------------------------------------

    @property
    def _asked(self) -> Any:
        """The accelerations of all speeds of the tree that inverse dynamics is asked about."""
        dependent_speeds = self.equations.dependent_speeds
        return (
            self.equations.udot
            if dependent_speeds is None
            else dependent_speeds.E @ self.equations.udot + dependent_speeds.gamma
        )

    @cached_property
    def _labels(self) -> list[str]:
        return speed_labels(self.equations, of_tree=True)

    def _joint(self, place: int) -> str:
        """The joint that carries a link, with the speed's name where a joint has several."""
        link = self.tree.links[place]
        return self._labels[link.speeds[0]] if link.speeds else short(link.joint)

    def _link(self, place: int) -> str:
        return "ground" if place == BASE else short(self.tree.links[place].name)

    def _held(self, place: int) -> bool:
        """Whether a link's components are those of the seat of its group of parallel joints."""
        link = self.tree.links[place]
        return any(any(w) for w, _ in link.H) and link.motion.R == _STILL

    def _frame(self, place: int) -> str:
        """In which frame a link's components are."""
        if place == BASE or not self._held(place):
            return f" in the frame of {self._link(place)}"
        while self.tree.links[place].parent != BASE and self._held(self.tree.links[place].parent):
            place = self.tree.links[place].parent
        return f" in the seat of {self._joint(place)}"

    def _own_frame(self, place: int) -> str:
        """The same for a quantity of the link itself."""
        return self._frame(place) if self._held(place) else " in its own frame"

    # ---- constants -------------------------------------------------------------------------------------------

    def _constants(self) -> None:
        name, gravity = self.catalogue, [g for g in self.tree.gravity if not is_zero(g)]
        for place, link in enumerate(self.tree.links):
            body, joint, J = self._link(place), self._joint(place), link.inertia.J
            name.inertia(link.inertia, body, self.how)
            name.vector(link.fixed.p, f"offset of {joint} from {self._link(link.parent)}, @")
            name.matrix(link.fixed.R, f"direction cosine of the seat of {joint}, @")
            for i, j in _PAIRS:
                axes = f"{AXES[i]} and {AXES[j]}"
                name.name(J[i, i] - J[j, j], f"{self.how}difference of second moments of {body}, {axes}")
                name.name(2 * J[i, j], f"{self.how}twice the second moment of {body}, {AXES[i]}{AXES[j]}")
            for g in gravity:
                name.name(g * link.inertia.m, f"{self.how}weight of {body}")
                name.vector(link.inertia.h * g, f"{self.how}weight of {body} times its offset, @")
        name.vector(self.tree.gravity, "gravity, @")

    # ---- inverse dynamics ------------------------------------------------------------------------------------

    @cached_property
    def _biases(self) -> list[Wrench]:
        return self._newton_euler([0] * len(self.tree.u), " at zero udot")

    def _newton_euler(self, ud: Sequence[Any], when: str) -> list[Wrench]:
        """Outward and inward; returns the wrench that each link alone takes."""
        forces = self._outward(ud, when)
        totals = list(forces)
        for place in reversed(range(len(self.tree.links))):
            link, joint = self.tree.links[place], self._joint(place)
            n, f = totals[place]
            self._wrench(n, f, f"through {joint}{when}", self._frame(place))
            if link.merged is not None:
                along = Vector([axis * (axis * entry) for axis, entry in zip(link.H[0][0], n, strict=True)])
                anchor = link.merged.anchor
                if anchor != BASE:
                    self._inward(link.merged, n - along, f"torque across {joint}{when}", anchor)
                    totals[anchor] = (totals[anchor][0] + link.merged.inward(n - along), totals[anchor][1])
                n = along
            if link.parent != BASE:
                self._pass_inward(place, n, f, when)
                totals[link.parent] = pass_inward(link, totals[link.parent], n, f)
        return forces

    def _outward(self, ud: Sequence[Any], when: str) -> list[Wrench]:
        tree, name = self.tree, self.catalogue
        less = " less gravity" if any(tree.gravity) else ""
        W: list[Matrix] = []
        spin: list[Vector] = []
        alphas: list[Vector] = []
        accelerations: list[Vector] = []
        forces: list[Wrench] = []
        external = Loads(self.equations.system, tree).wrenches()
        for place, (link, (n_ext, f_ext)) in enumerate(zip(tree.links, external, strict=True)):
            turn, up, body = link.long_turn, link.parent, self._link(place)
            own, seat = self._own_frame(place), f"acceleration{less} of the seat of {self._joint(place)}{when}"
            w_in, alpha_in = _ZERO, _ZERO
            if turn.anchor != BASE:
                w_in, alpha_in = turn.outward(spin[turn.anchor]), turn.outward(alphas[turn.anchor])
            own_w, own_v = link.relative_velocity(tree.u)
            own_alpha, own_a = link.relative_acceleration(ud)
            nu, nu_rate = (own_w, own_alpha) if link.drive else (turn.velocity(tree.u), turn.velocity(ud))
            w = w_in + nu
            alpha = alpha_in + nu_rate + w_in.cross(nu)
            a_in = -Vector(tree.gravity) if up == BASE else accelerations[up] + W[up] @ link.X.p
            a = link.outward(a_in) + own_a + (w * 2 - own_w).cross(own_v)
            name.vector(w, f"angular velocity of {body}, @{own}")
            name.vector(alpha, f"angular acceleration of {body}{when}, @{own}")
            name.vector(a, f"acceleration{less} of {body}{when}, @{own}")
            name.vector(a_in, f"{seat}, @{self._frame(up)}")
            self._turned_outward(link.turn, a_in, seat, place)
            if turn.anchor != BASE:
                anchor = self._link(turn.anchor)
                self._turned_outward(turn, spin[turn.anchor], f"angular velocity of {anchor}", place)
                self._turned_outward(turn, alphas[turn.anchor], f"angular acceleration of {anchor}{when}", place)
            W.append(acceleration_matrix(w, alpha))
            self._turning(w, W[-1], body, when)
            spin.append(w)
            alphas.append(alpha)
            accelerations.append(a)
            h = link.inertia.h
            n, f = link.inertia.wrench(W[-1], a)
            self._wrench(n - h.cross(a), W[-1] @ h, f"that turning {body} takes{when}", own)
            self._wrench(n, f, f"that moves {body} alone{when}", own)
            self._wrench(n_ext, f_ext, f"of the loads on {body}", own)
            forces.append((n - n_ext, f - f_ext))
        return forces

    def _turning(self, w: Vector, W: Matrix, body: str, when: str) -> None:
        """The products in the acceleration matrix, and its entries."""
        for i, axis in enumerate(AXES):
            self.catalogue.name(w[i] * w[i], f"angular velocity of {body}, {axis} squared")
        for i, j in _PAIRS:
            both = f"{AXES[i]} and {AXES[j]}"
            self.catalogue.name(w[i] * w[j], f"angular velocity of {body}, product of {both}")
            self.catalogue.name(W[i, i] - W[j, j], f"angular velocity of {body}, difference of squares, {both}")
        self.catalogue.matrix(W, f"acceleration matrix of {body}{when}, @")

    def _wrench(self, n: Iterable[Any], f: Iterable[Any], what: str, frame: str) -> None:
        self.catalogue.vector(n, f"{self.how}torque {what}, @{frame}")
        self.catalogue.vector(f, f"{self.how}force {what}, @{frame}")

    def _pass_inward(self, place: int, n: Vector, f: Vector, when: str) -> None:
        link, joint = self.tree.links[place], self._joint(place)
        self._inward(link.turn, f, f"force through {joint}{when}", link.parent)
        self._inward(link.turn, n, f"torque through {joint}{when}", link.parent)
        n_up, f_up = pass_inward(link, (_ZERO, _ZERO), n, f)
        self._wrench(n_up, f_up, f"that {self._link(link.parent)} gives to {joint}{when}", self._frame(link.parent))

    def _inward(self, turn: Turn, vector: Vector, what: str, place: int) -> None:
        self.catalogue.vector(turn.inward(vector), f"{self.how}{what}, @{self._frame(place)}")
        self.catalogue.vector(turn.motion @ vector, f"{self.how}{what}, @ in the seat")

    def _turned_outward(self, turn: Turn, vector: Vector, what: str, place: int) -> None:
        self.catalogue.vector(turn.outward(vector), f"{what}, @{self._frame(place)}")
        self.catalogue.vector(turn.fixed.T @ vector, f"{what}, @ in the seat of {self._joint(place)}")

    # ---- mass matrix -----------------------------------------------------------------------------------------

    def _composite_bodies(self) -> None:
        for place, (link, inertia) in enumerate(zip(self.tree.links, composite_inertias(self.tree), strict=True)):
            carried = f"all that {self._joint(place)} carries"
            self.catalogue.inertia(inertia, carried, self.how, self._frame(place))
            self.catalogue.inertia(inertia.seen_from(link.motion), carried, self.how, " in the seat")
            self.catalogue.inertia(link.inertia_inward(inertia), carried, self.how, self._frame(link.parent))
            for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                n, f = inertia.momentum(hw, hv)
                at = place
                while at != BASE:
                    what = f"momentum at unit {self._labels[speed]} about {self._joint(at)}"
                    carrier = self.tree.links[at]
                    self.catalogue.vector(n, f"{self.how}angular {what}, @")
                    self.catalogue.vector(f, f"{self.how}linear {what}, @")
                    self._inward(carrier.turn, n, f"angular {what}", carrier.parent)
                    n, f = pass_inward(carrier, (_ZERO, _ZERO), n, f)
                    at = carrier.parent

    def _elimination(self) -> None:
        """The entries of LᵀDL, speeds eliminated from the tips to the base; the same on every tree."""
        if self.how or self.equations.dependent_speeds is not None:  # independent speeds alone are not those of a tree
            return
        name, labels, tie = self.catalogue.name, self._labels, self.tree.speed_tie
        A = [list(row) for row in self.equations.mass_matrix]
        b = list(self.equations.forcing)
        for i, row in enumerate(A):
            name(self.equations.bias[i], f"bias on {labels[i]}")
            name(b[i], f"effort on {labels[i]} less bias")
            for j, entry in enumerate(row):
                name(entry, f"mass matrix, {labels[i]} row, {labels[j]} column")
        halfway: list[tuple[Any, str]] = []
        for k in reversed(self.tree.speed_order):
            if is_zero(A[k][k]):
                return
            self._pivot(A[k][k], labels[k])
            name(b[k] / A[k][k], f"acceleration of {labels[k]} if all before it stood still")
            i = tie[k]
            while i >= 0:
                factor = A[k][i] / A[k][k]
                name(factor, f"how {labels[k]} follows {labels[i]}, all beyond it free")
                b[i] = b[i] - factor * b[k]
                halfway.append((b[i], f"effort left on {labels[i]} with {labels[k]} free"))
                j = i
                while j >= 0:
                    A[i][j] = A[i][j] - factor * A[k][j]
                    halfway.append((A[i][j], f"mass matrix ({labels[i]}, {labels[j]}) with {labels[k]} free"))
                    j = tie[j]
                i = tie[i]
        for value, sentence in halfway:  # what is a pivot in the end has its better name by now
            name(value, sentence)

    def _pivot(self, D: Any, label: str) -> None:
        self.catalogue.name(D, f"inertia that {label} feels, everything beyond it free")
        self.catalogue.name(1 / D, f"1 over the inertia that {label} feels, all beyond it free")

    # ---- forward dynamics by articulated bodies ----------------------------------------------------------------

    def _articulated_bodies(self) -> None:
        tree = self.tree
        reference = accelerate(tree, tree.u, None, tree.gravity).ud
        for label, rate in zip(self._labels, reference, strict=True):
            self.catalogue.name(rate, f"rate of {label} in the motion that others are measured from")
        forces = list(self._newton_euler(reference, " in the motion measured from"))
        loads = Loads(self.equations.system, tree).speed_forces()
        inertias = [ArticulatedInertia.of(link.inertia) for link in tree.links]
        for place in reversed(range(len(tree.links))):
            link, I, (n, f) = tree.links[place], inertias[place], forces[place]
            body, own = self._link(place), self._own_frame(place)
            self._articulated(I, f"{body}, all beyond it free", own)
            self._wrench(n, f, f"that holds {body}, all beyond it free", own)
            for k in reversed(range(len(link.speeds))):
                (hw, hv), speed = link.H[k], link.speeds[k]
                label = self._labels[speed]
                Un, Uf = I.apply(hw, hv)
                D = hw.dot(Un) + hv.dot(Uf)
                if is_zero(D):
                    return
                Dn, Df = Un / D, Uf / D
                e = tree.tau[speed] + loads[speed] - (hw.dot(n) + hv.dot(f))
                self._pivot(D, label)
                self.catalogue.name(e, f"effort on {label} less what holds all beyond it")
                self._wrench(Un, Uf, f"at unit acceleration of {label}, all beyond it free", own)
                self._wrench(Dn, Df, f"at unit effort on {label}, all beyond it free", own)
                self.catalogue.name(e / D, f"rate of {label} that its effort gives, all beyond it free")
                I, n, f = I.less(Un, Uf, Dn, Df), n + Dn * e, f + Df * e
                self._articulated(I, f"{body}, {label} free", own)
                self._wrench(n, f, f"through {label}, it and all beyond free", own)
            if link.parent != BASE:
                seated = I.turned(link.motion.R).levered(skew(link.motion.p))
                moved = seated.turned(link.fixed.R).levered(skew(link.fixed.p))
                self._articulated(seated, f"{body}, {self._joint(place)} free", " in the seat")
                self._articulated(moved, f"{body}, {self._joint(place)} free", self._frame(link.parent))
                self._pass_inward(place, n, f, ", it and all beyond free")
                inertias[link.parent] = inertias[link.parent] + moved
                forces[link.parent] = pass_inward(link, forces[link.parent], n, f)
        self._added_accelerations(reference)

    def _articulated(self, I: ArticulatedInertia, what: str, frame: str) -> None:
        self.catalogue.matrix(I.A, f"{self.how}torque for turning {what}, @{frame}")
        self.catalogue.matrix(I.B, f"{self.how}torque for moving {what}, @{frame}")
        self.catalogue.matrix(I.C, f"{self.how}force for moving {what}, @{frame}")

    def _added_accelerations(self, reference: Sequence[Any]) -> None:
        """What u̇ adds to the acceleration that each link has in the motion measured from."""
        rates = self.equations.accelerations - Vector(reference)
        motion: list[Wrench] = []
        for place, link in enumerate(self.tree.links):
            alpha, a = (_ZERO, _ZERO) if link.parent == BASE else motion[link.parent]
            carried = a + alpha.cross(link.X.p)
            what = f"acceleration that udot gives to the seat of {self._joint(place)}"
            self.catalogue.vector(carried, f"{what}, @{self._frame(link.parent)}")
            self._turned_outward(link.turn, carried, what, place)
            self._turned_outward(link.turn, alpha, f"angular {what}", place)
            alpha, a = link.outward(alpha), link.outward(carried)
            for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                alpha, a = alpha + hw * rates[speed], a + hv * rates[speed]
            self.catalogue.vector(alpha, f"angular acceleration that udot gives to {self._link(place)}, @")
            self.catalogue.vector(a, f"acceleration that udot gives to {self._link(place)}, @")
            motion.append((alpha, a))

    # ---- energy, momentum, poses -----------------------------------------------------------------------------

    def _momenta(self) -> None:
        for place, (link, (w, v)) in enumerate(zip(self.tree.links, velocities(self.tree), strict=True)):
            body, own = self._link(place), self._own_frame(place)
            spin, linear = link.inertia.momentum(w, v)
            self.catalogue.vector(w, f"angular velocity of {body}, @{own}")
            self.catalogue.vector(v, f"velocity of {body}, @{own}")
            self.catalogue.vector(spin, f"{self.how}angular momentum of {body}, @{own}")
            self.catalogue.vector(linear, f"{self.how}linear momentum of {body}, @{own}")
            self.catalogue.name(w.dot(spin) + v.dot(linear), f"{self.how}twice the kinetic energy of {body}")

    def _poses(self) -> None:
        for place, X in enumerate(world_poses(self.tree)):
            self.catalogue.matrix(X.R, f"direction cosine of {self._link(place)} in the ground, @")
            self.catalogue.vector(X.p, f"position of {self._link(place)} in the ground, @")
