"""What the values in generated code mean: sentences, found by fingerprint.

The named quantities of a mechanism — velocities, accelerations, wrenches, inertias, pivots — are computed once more, on
the tree as it was written and on the trees as the passes write it, and each is filed with a sentence. A value of a
program that has the fingerprint of one of them, up to sign, is that quantity, whichever way it was computed. What has
no name of its own but serves a named value alone is part of it.

The sweeps follow `formalisms/` line by line; they are repeated here so that those read like their papers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .codegen.program import Program
from .equations import Equations
from .expr import Expr, Matrix, Vector, as_expr, is_zero, quiet_collector, topological
from .expr.field import P
from .expr.node import NUMBER
from .expr.text import text
from .formalisms.articulated_body import ArticulatedInertia
from .formalisms.composite_body import composite_inertias
from .formalisms.newton_euler import acceleration_matrix, pass_inward
from .functions import CATALOGUE, Outputs
from .geometry import Inertia
from .kinematics.motion import velocities, world_poses
from .kinematics.passes import VARIANTS, apply
from .kinematics.tree import BASE, Tree, Turn
from .loads import Loads, Wrench

_ZERO = Vector([0, 0, 0])
_AXES = "xyz"
_LONGEST_NAME = 24
_WORDS = {
    "udot": "acceleration of", "tau": "effort on", "bias": "bias on", "qdot": "rate of",
    "xdot": "rate of", "kinetic": "kinetic energy", "potential": "potential energy",
}  # fmt: skip


@dataclass
class Catalogue:
    """Sentences by fingerprint; what was named first keeps its name, whatever its sign."""

    sentences: dict[int, str] = field(default_factory=dict)

    def name(self, value: Any, sentence: str) -> None:
        """File one value; plain small numbers mean nothing in particular."""
        node = as_expr(value)
        if node.op == NUMBER and (2 * node.data).denominator == 1:
            return
        if (P - node.fp) % P not in self.sentences:
            self.sentences.setdefault(node.fp, sentence)

    def vector(self, values: Iterable[Any], sentence: str) -> None:
        """File three components; `@` in the sentence is where x, y or z goes."""
        for axis, value in zip(_AXES, values, strict=True):
            self.name(value, sentence.replace("@", axis))

    def matrix(self, matrix: Matrix, sentence: str) -> None:
        """File nine entries; `@` in the sentence is where xx, xy, … goes."""
        for i, row in enumerate(_AXES):
            for j, column in enumerate(_AXES):
                self.name(matrix[i, j], sentence.replace("@", row + column))

    def inertia(self, inertia: Inertia, of: str, place: str = "") -> None:
        """File mass, first and second moments, and the inertia about the origin."""
        self.name(inertia.m, f"mass of {of}")
        self.vector(inertia.h, f"first moment of {of}, @{place}")
        self.matrix(inertia.I, f"inertia of {of}, @{place}")
        self.matrix(inertia.J, f"second moment of {of}, @{place}")


def meanings(equations: Equations, of: str) -> dict[int, str]:
    """What the values of a function of the catalogue mean, by fingerprint.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("rod", mass=2, com=(0, 0, -1)), ph.Revolute("y"), coordinates=["a"])
    >>> e = s.derive()
    >>> meanings(e, "mass_matrix")[e.q[0].fp]
    'coordinate a'
    """
    catalogue = Catalogue()
    with quiet_collector():
        outputs = CATALOGUE[of][1](equations)
        _symbols(catalogue, equations)
        _results(catalogue, equations, outputs)
        _functions(catalogue, outputs)
        for number, tree in enumerate([equations.tree, *(apply(equations.tree, names) for names in VARIANTS)]):
            _Sweeps(catalogue, equations, tree, "regrouped " if number else "").name(of)
    return _without_constant_results(catalogue.sentences, outputs)


def with_parts(program: Program) -> Program:
    """The program with a note beside each value that serves, directly or not, one or two noted values alone."""
    serves: dict[int, list[str]] = {}
    notes = dict(program.notes)
    readers: dict[int, list[int]] = {}
    for slot, step in program.numbered():
        for arg in step.args:
            readers.setdefault(arg, []).append(slot)
    for slot in reversed(range(program.first_run + len(program.run))):
        if slot in program.notes:
            serves[slot] = [program.notes[slot].removeprefix("minus ")]
            continue
        found = dict.fromkeys(whole for reader in readers.get(slot, ()) for whole in serves[reader])
        serves[slot] = list(found)
        if len(found) == 1:
            notes[slot] = f"part of {serves[slot][0]}"
        elif len(found) > 1:
            notes[slot] = f"in {serves[slot][-1]}, and {len(found) - 1} more"
    return replace(program, notes=notes)


def _without_constant_results(sentences: dict[int, str], outputs: Outputs) -> dict[int, str]:
    """A result that is a number is written where it is put out; there is no other place for its note."""
    roots = [root for _, _, entries in outputs for root in entries]
    varies: set[int] = set()
    for node in topological(roots):
        if node.op == "symbol" or any(id(arg) in varies for arg in node.args):
            varies.add(id(node))
    numbers = {fp for root in roots if id(root) not in varies for fp in (root.fp, (P - root.fp) % P)}
    return {fp: sentence for fp, sentence in sentences.items() if fp not in numbers}


def _short(name: str) -> str:
    """A name as it stands in a sentence; the whole of it is in the sidecar."""
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "."


def speed_labels(equations: Equations) -> list[str]:
    """For each speed its joint's name, with its own where the joint has several."""
    labels = {}
    for joint in equations.system.joints.values():
        for speed in joint.u:
            own = "" if len(joint.u) == 1 else f" {_short(speed.name)}"
            labels[speed.name] = _short(joint.name) + own
    return [labels[name] for name in equations.speeds]


def _symbols(catalogue: Catalogue, equations: Equations) -> None:
    system, labels = equations.system, speed_labels(equations)
    for q in equations.q:
        catalogue.name(q, f"coordinate {_short(q.name)}")
    for u, effort, rate, label in zip(equations.u, equations.tau, equations.udot, labels, strict=True):
        catalogue.name(u, f"speed of {label}")
        catalogue.name(effort, f"effort on {label}")
        catalogue.name(rate, f"acceleration of {label}")
    for kind, table in (("parameter", system.parameters), ("input", system.inputs)):
        for name, given in table.items():
            catalogue.name(given.symbol, f"{kind} {_short(name)}" + (f", {given.unit}" if given.unit else ""))
    catalogue.name(system.time, "time")


def _results(catalogue: Catalogue, equations: Equations, outputs: Outputs) -> None:
    labels = speed_labels(equations)
    coordinates = [_short(name) for name in equations.coordinates]
    for key, _, entries in outputs:
        if key == "mass_matrix":
            for place, entry in enumerate(entries):
                row, column = divmod(place, len(labels))
                catalogue.name(entry, f"mass matrix, {labels[row]} row, {labels[column]} column")
        elif key in ("angular", "linear"):
            catalogue.vector(entries, f"{key} momentum of the whole, @ in the ground's frame")
        elif key in _WORDS:
            wholes = {"qdot": coordinates, "xdot": [*coordinates, *labels]}.get(key, labels)
            for entry, whole in zip(entries, wholes if len(entries) > 1 or key != "kinetic" else [""], strict=False):
                catalogue.name(entry, f"{_WORDS[key]} {whole}".rstrip() if len(wholes) else _WORDS[key])


def _functions(catalogue: Catalogue, outputs: Outputs) -> None:
    """Sines, cosines and other functions, where their argument is short enough to be read."""
    words = {"sin": "sine of", "cos": "cosine of", "sqrt": "square root of"}
    for node in topological(root for _, _, entries in outputs for root in entries):
        if node.op in words:
            argument = text(node.args[0])
            if len(argument) <= 2 * _LONGEST_NAME:
                catalogue.name(node.args[0], argument)
                catalogue.name(node, f"{words[node.op]} {argument}")


@dataclass(frozen=True)
class _Sweeps:
    """The sweeps over one tree, each quantity named as it is met."""

    catalogue: Catalogue
    equations: Equations
    tree: Tree
    how: str  # "regrouped " if mass was moved towards the base

    def name(self, of: str) -> None:
        """Name what the function can use."""
        self._constants()
        if of == "inverse_dynamics":
            self._newton_euler(self.equations.udot, "")
        if of in ("forward_dynamics", "state_rates", "bias"):
            biases = self._newton_euler([0] * len(self.tree.u), " for zero udot")
            if of != "bias":
                self._composite_bodies()
                self._elimination()
                self._articulated_bodies(biases)
        if of == "mass_matrix":
            self._composite_bodies()
        if of in ("energy", "momentum"):
            self._momenta()
        if of in ("poses", "momentum", "energy"):
            self._poses()

    # ---- words -----------------------------------------------------------------------------------------------

    def _joint(self, place: int) -> str:
        """The joint that carries a link, with the speed's name where a joint has several."""
        link = self.tree.links[place]
        labels = speed_labels(self.equations)
        return labels[link.speeds[0]] if link.speeds else _short(link.joint)

    def _link(self, place: int) -> str:
        return "the ground" if place == BASE else _short(self.tree.links[place].name)

    def _frame(self, place: int) -> str:
        """In which frame a link's components are: its own, or the one that a group of parallel joints keeps."""
        if place == BASE:
            return " in the ground's frame"
        if not self._held(place):
            return f" in {self._link(place)}'s frame"
        while self.tree.links[place].parent != BASE and self._held(self.tree.links[place].parent):
            place = self.tree.links[place].parent
        return f" in the frame at {self._joint(place)}"

    def _held(self, place: int) -> bool:
        link = self.tree.links[place]
        turns = any(any(w) for w, _ in link.H)
        return turns and link.motion.R == Matrix.identity(3)

    # ---- constants -------------------------------------------------------------------------------------------

    def _constants(self) -> None:
        for place, link in enumerate(self.tree.links):
            own = f"{self.how}{self._link(place)}"
            self.catalogue.inertia(link.inertia, own)
            self.catalogue.vector(link.fixed.p, f"offset of {self._joint(place)} from {self._link(link.parent)}, @")
            self.catalogue.matrix(link.fixed.R, f"seat of {self._joint(place)}, direction cosine @")
            J = link.inertia.J
            for i, j in ((0, 1), (0, 2), (1, 2)):
                self.catalogue.name(J[i, i] - J[j, j], f"difference of second moments of {own}, {_AXES[i]} and {_AXES[j]}")
                self.catalogue.name(2 * J[i, j], f"twice the second moment of {own}, {_AXES[i]}{_AXES[j]}")
            for g in self.tree.gravity:
                self.catalogue.name(g * link.inertia.m, f"weight of {own}")
                self.catalogue.vector(link.inertia.h * g, f"weight times offset of {own}, @")
        for g in self.tree.gravity:
            self.catalogue.name(g, "gravity")

    # ---- inverse dynamics ------------------------------------------------------------------------------------

    def _newton_euler(self, ud: Sequence[Any], when: str) -> list[Wrench]:
        """Outward and inward, as in `newton_euler`; returns the wrench of each link alone."""
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
        W: list[Matrix] = []
        spin: list[Vector] = []
        alphas: list[Vector] = []
        accelerations: list[Vector] = []
        forces: list[Wrench] = []
        external = Loads(self.equations.system, tree).wrenches()
        for place, (link, (n_ext, f_ext)) in enumerate(zip(tree.links, external, strict=True)):
            turn, up = link.long_turn, link.parent
            body, frame, joint = self._link(place), self._frame(place), self._joint(place)
            w_in, alpha_in = _ZERO, _ZERO
            if turn.anchor != BASE:
                anchor = self._link(turn.anchor)
                self._outward_turn(turn, spin[turn.anchor], f"angular velocity of {anchor}", place)
                self._outward_turn(turn, alphas[turn.anchor], f"angular acceleration of {anchor}{when}", place)
                w_in, alpha_in = turn.outward(spin[turn.anchor]), turn.outward(alphas[turn.anchor])
            nu = turn.velocity(tree.u)
            w = w_in + nu
            alpha = alpha_in + turn.velocity(ud) + w_in.cross(nu)
            a_in = -Vector(tree.gravity) if up == BASE else accelerations[up] + W[up] @ link.X.p
            own_w, own_v = link.relative_velocity(tree.u)
            a = link.outward(a_in) + link.relative_velocity(ud)[1] + (w * 2 - own_w).cross(own_v)
            less = " less gravity" if any(tree.gravity) else ""
            name.vector(w, f"angular velocity of {body}, @{frame}")
            name.vector(alpha, f"angular acceleration of {body}{when}, @{frame}")
            name.vector(a_in, f"acceleration of {joint}'s seat{less}{when}, @{self._frame(up)}")
            self._outward_turn(link.turn, a_in, f"acceleration of {joint}'s seat{less}{when}", place)
            name.vector(a, f"acceleration of {body}{less}{when}, @{frame}")
            W.append(acceleration_matrix(w, alpha))
            name.matrix(W[-1], f"acceleration matrix of {body}{when}, @")
            self._squares(w, body)
            for i, j in ((0, 1), (0, 2), (1, 2)):
                difference = W[-1][i, i] - W[-1][j, j]
                name.name(difference, f"difference of squared angular velocities of {body}, {_AXES[i]} and {_AXES[j]}")
            spin.append(w)
            alphas.append(alpha)
            accelerations.append(a)
            n, f = link.inertia.wrench(W[-1], a)
            name.vector(W[-1] @ link.inertia.h, f"force that turning {body} takes{when}, @{frame}")
            name.vector(n - link.inertia.h.cross(a), f"torque that turning {body} takes{when}, @{frame}")
            self._wrench(n, f, f"that moves {self.how}{body} alone{when}", frame)
            forces.append((n - n_ext, f - f_ext))
            self._wrench(n_ext, f_ext, f"of the loads on {body}", frame)
        return forces

    def _squares(self, w: Vector, body: str) -> None:
        for i in range(3):
            for j in range(i, 3):
                pair = f"{_AXES[i]} squared" if i == j else f"{_AXES[i]} times {_AXES[j]}"
                self.catalogue.name(w[i] * w[j], f"angular velocity of {body}, {pair}")

    def _wrench(self, n: Iterable[Any], f: Iterable[Any], what: str, frame: str) -> None:
        self.catalogue.vector(n, f"torque {what}, @{frame}")
        self.catalogue.vector(f, f"force {what}, @{frame}")

    def _pass_inward(self, place: int, n: Vector, f: Vector, when: str) -> None:
        link, joint = self.tree.links[place], self._joint(place)
        self._inward(link.turn, f, f"force through {joint}{when}", link.parent)
        self._inward(link.turn, n, f"torque through {joint}{when}", link.parent)
        n_up, f_up = pass_inward(link, (_ZERO, _ZERO), n, f)
        self._wrench(n_up, f_up, f"of {joint} on {self._link(link.parent)}{when}", self._frame(link.parent))

    def _inward(self, turn: Turn, vector: Vector, what: str, place: int) -> None:
        self.catalogue.vector(turn.inward(vector), f"{what}, @{self._frame(place)}")
        self.catalogue.vector(turn.motion @ vector, f"{what}, @ in its seat's frame")

    def _outward_turn(self, turn: Turn, vector: Vector, what: str, place: int) -> None:
        self.catalogue.vector(turn.outward(vector), f"{what}, @{self._frame(place)}")
        self.catalogue.vector(turn.fixed.T @ vector, f"{what}, @ in {self._joint(place)}'s seat")

    # ---- mass matrix -----------------------------------------------------------------------------------------

    def _composite_bodies(self) -> None:
        labels = speed_labels(self.equations)
        for place, (link, inertia) in enumerate(zip(self.tree.links, composite_inertias(self.tree), strict=True)):
            all_of_it = f"all that {self._joint(place)} carries"
            self.catalogue.inertia(inertia, self.how + all_of_it, self._frame(place))
            self.catalogue.inertia(inertia.seen_from(link.motion), self.how + all_of_it, " in its seat's frame")
            self.catalogue.inertia(link.inertia_inward(inertia), self.how + all_of_it, self._frame(link.parent))
            for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                n, f = inertia.momentum(hw, hv)
                at = place
                while at != BASE:
                    what = f"momentum for unit speed of {labels[speed]}, about {self._joint(at)}"
                    self.catalogue.vector(n, f"angular {what}, @")
                    self.catalogue.vector(f, f"linear {what}, @")
                    carrier = self.tree.links[at]
                    self._inward(carrier.turn, n, f"angular {what}", carrier.parent)
                    n, f = pass_inward(carrier, (_ZERO, _ZERO), n, f)
                    at = carrier.parent

    def _elimination(self) -> None:
        """The entries of LᵀDL, speeds eliminated from the tips to the base."""
        if self.how:
            return
        name, labels, tie = self.catalogue.name, speed_labels(self.equations), self.tree.speed_tie
        A = [list(row) for row in self.equations.mass_matrix]
        b = list(self.equations.forcing)
        for i, row in enumerate(A):
            name(self.equations.bias[i], f"bias on {labels[i]}")
            name(b[i], f"effort on {labels[i]} less bias")
            for j, entry in enumerate(row):
                name(entry, f"mass matrix, {labels[i]} row, {labels[j]} column")
        for k in reversed(self.tree.speed_order):
            name(A[k][k], f"inertia that {labels[k]} feels, everything beyond it free")
            if is_zero(A[k][k]):
                return
            name(1 / A[k][k], f"1 over the inertia that {labels[k]} feels, all beyond it free")
            name(b[k] / A[k][k], f"acceleration of {labels[k]} if all before it stood still")
            i = tie[k]
            while i >= 0:
                factor = A[k][i] / A[k][k]
                name(factor, f"how {labels[k]} follows {labels[i]}, everything beyond free")
                b[i] = b[i] - factor * b[k]
                name(b[i], f"effort on {labels[i]}, {labels[k]} and what follows it free")
                j = i
                while j >= 0:
                    A[i][j] = A[i][j] - factor * A[k][j]
                    name(A[i][j], f"mass matrix, {labels[i]} row, {labels[j]} column, {labels[k]} free")
                    j = tie[j]
                i = tie[i]

    # ---- forward dynamics by articulated bodies ----------------------------------------------------------------

    def _articulated_bodies(self, biases: Sequence[Wrench]) -> None:
        tree, labels = self.tree, speed_labels(self.equations)
        loads = Loads(self.equations.system, tree).speed_forces()
        inertias = [ArticulatedInertia.of(link.inertia) for link in tree.links]
        forces = list(biases)
        for place in reversed(range(len(tree.links))):
            link, I, (n, f) = tree.links[place], inertias[place], forces[place]
            beyond = f"{self.how}{self._link(place)}, all beyond free"
            self._articulated(I, beyond, self._frame(place))
            self._wrench(n, f, f"that holds {beyond}", self._frame(place))
            for k in reversed(range(len(link.speeds))):
                (hw, hv), label, speed = link.H[k], labels[link.speeds[k]], link.speeds[k]
                Un, Uf = I.apply(hw, hv)
                D = hw.dot(Un) + hv.dot(Uf)
                if is_zero(D):
                    return
                Dn, Df = Un / D, Uf / D
                e = tree.tau[speed] + loads[speed] - (hw.dot(n) + hv.dot(f))
                self.catalogue.name(D, f"inertia that {label} feels, everything beyond it free")
                self.catalogue.name(1 / D, f"1 over the inertia that {label} feels, all beyond it free")
                self.catalogue.name(e, f"effort on {label} less what holds all beyond it")
                self._wrench(Un, Uf, f"for unit acceleration of {label}, all beyond free", self._frame(place))
                self._wrench(Dn, Df, f"for unit effort on {label}, all beyond free", self._frame(place))
                I = I.less(Un, Uf, Dn, Df)
                n, f = n + Dn * e, f + Df * e
                self._articulated(I, f"{self.how}{self._link(place)}, {label} free", self._frame(place))
                self._wrench(n, f, f"through {label}, all of it free", self._frame(place))
            if link.parent != BASE:
                seat = I.seen_from(link.motion)
                self._articulated(seat, f"{self.how}{self._link(place)}, joint free", " in its seat's frame")
                moved = seat.seen_from(link.fixed)
                self._articulated(moved, f"{self.how}{self._link(place)}, joint free", self._frame(link.parent))
                self._pass_inward(place, n, f, ", all of it free")
                inertias[link.parent] = inertias[link.parent] + moved
                forces[link.parent] = pass_inward(link, forces[link.parent], n, f)
        self._accelerations()

    def _articulated(self, I: ArticulatedInertia, what: str, frame: str) -> None:
        self.catalogue.matrix(I.A, f"torque for turning {what}, @{frame}")
        self.catalogue.matrix(I.B, f"torque for moving {what}, @{frame}")
        self.catalogue.matrix(I.C, f"force for moving {what}, @{frame}")

    def _accelerations(self) -> None:
        """What u̇ adds to the acceleration of each link."""
        rates = self.equations.forward_dynamics
        motion: list[Wrench] = []
        for place, link in enumerate(self.tree.links):
            alpha, a = (_ZERO, _ZERO) if link.parent == BASE else motion[link.parent]
            carried = a + alpha.cross(link.X.p)
            what = f"acceleration that udot gives {self._joint(place)}'s seat"
            self.catalogue.vector(carried, f"{what}, @{self._frame(link.parent)}")
            self._outward_turn(link.turn, carried, what, place)
            self._outward_turn(link.turn, alpha, f"angular {what}", place)
            alpha, a = link.outward(alpha), link.outward(carried)
            for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                alpha, a = alpha + hw * rates[speed], a + hv * rates[speed]
            self.catalogue.vector(alpha, f"angular acceleration that udot gives {self._link(place)}, @")
            self.catalogue.vector(a, f"acceleration that udot gives {self._link(place)}, @")
            motion.append((alpha, a))

    # ---- energy, momentum, poses -----------------------------------------------------------------------------

    def _momenta(self) -> None:
        for place, (link, (w, v)) in enumerate(zip(self.tree.links, velocities(self.tree), strict=True)):
            body, frame = self._link(place), self._frame(place)
            spin, linear = link.inertia.momentum(w, v)
            self.catalogue.vector(w, f"angular velocity of {body}, @{frame}")
            self.catalogue.vector(v, f"velocity of {body}, @{frame}")
            self.catalogue.vector(spin, f"angular momentum of {body}, @{frame}")
            self.catalogue.vector(linear, f"linear momentum of {body}, @{frame}")
            self.catalogue.name(w.dot(spin) + v.dot(linear), f"twice the kinetic energy of {body}")

    def _poses(self) -> None:
        for place, X in enumerate(world_poses(self.tree)):
            self.catalogue.matrix(X.R, f"direction cosine of {self._link(place)} in the ground, @")
            self.catalogue.vector(X.p, f"position of {self._link(place)} in the ground, @")

