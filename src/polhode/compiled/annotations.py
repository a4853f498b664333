"""What the values in generated code mean: sentences, found by fingerprint.

The recursions return what they find on the way, velocities, accelerations, wrenches, inertias, pivots, as records. They
are run on the tree as it was written and on the trees as the passes write it, and each field is filed with a sentence
(`naming`). A value of a program that has the fingerprint of one of them, up to sign, is that quantity, whichever way it
was computed. Numbers, and numbers times one coordinate or speed, are equal to something by chance, and have no note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..dynamics.centroidal import center_of_mass
from ..dynamics.equations import EquationsOfMotion, factor
from ..dynamics.loads import Loads, loads_of
from ..dynamics.regressor import regressor
from ..dynamics.sweeps import Motion, accelerate, along_and_across, inertial_wrenches, transmitted
from ..expr import Expr, Matrix, Vector, as_expr, is_zero, jacobian, quiet_collector, topological
from ..expr.field import P
from ..expr.node import NUMBER, SYMBOL
from ..expr.text_printer import text
from ..formalisms.composite_body import composite_inertias, inward
from ..formalisms.short.articulated_body import ArticulatedInertia, articulated
from ..formalisms.short.newton_euler import efforts_of
from ..formalisms.short.unit_of_length import ScaledTree, scaled_tree
from ..geometry import Inertia
from ..geometry.twist import Twist, Wrench
from ..kinematics.motion import velocities, world_poses
from ..kinematics.passes import VARIANTS, apply
from ..kinematics.passes.merge import merged_turns
from ..kinematics.tree import BASE, Tree, Turn
from ..model.records import GROUND, Parameter, State
from .catalogue import catalogued
from .quantities import FunctionKey, Outputs

AXES = "xyz"
LONGEST_NOTE = 74
_LONGEST_NAME = 20


def short(name: str) -> str:
    """A name as written in a sentence; the sidecar has it in full.

    >>> short("wrist, stage 1"), short("left_front_upper_suspension_arm")
    ('wrist stage 1', 'left_front_upper_su.')
    """
    name = name.replace(", ", " ")
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "."


def speed_labels(equations: EquationsOfMotion, of_tree: bool = False) -> list[str]:
    """For each speed its joint's name, with its own where the joint has several; all of the tree's on request."""
    labels = {}
    for joint in equations.system.joints.values():
        for speed in joint.u:
            suffix = "" if len(joint.u) == 1 else f" {short(speed.name)}"
            labels[speed.name] = short(joint.name) + suffix
    return [labels.get(name, short(name)) for name in (equations.tree.speeds if of_tree else equations.speeds)]


def _is_plain(node: Expr) -> bool:
    """Whether a node is a number, or a number times one variable, its sine or its cosine; parameters are none."""
    factors = [arg for arg in node.args if arg.op != NUMBER]
    if node.op not in ("mul", "div") or len(factors) > 1:
        return node.op == NUMBER
    return factors[0].op in ("sin", "cos") or (factors[0].op == SYMBOL and factors[0].data[0] != "parameter")


def _fitted(note: str) -> str:
    """A note that is too long loses its frame first, then its end."""
    if len(note) > LONGEST_NOTE:
        note = note.rpartition(" in ")[0] or note
    return note if len(note) <= LONGEST_NOTE else note[: LONGEST_NOTE - 2].rstrip() + ".."


@dataclass
class Catalogue:
    """What was named first keeps its name, whatever its sign."""

    sentences: dict[int, str] = field(default_factory=dict)
    remark: str = ""  # what is added to every sentence

    def name(self, value: Any, sentence: str, by_chance: bool = True) -> None:
        """File one value, unless it may be equal to others by chance; a result of the function is not."""
        node = as_expr(value)
        if (by_chance and _is_plain(node)) or (P - node.fp) % P in self.sentences:
            return
        self.sentences.setdefault(node.fp, _fitted(sentence + self.remark))

    def vector(self, values: Iterable[Any], sentence: str) -> None:
        """Note three components; `@` in the sentence is replaced by x, y or z."""
        for axis, value in zip(AXES, values, strict=True):
            self.name(value, sentence.replace("@", axis))

    def matrix(self, matrix: Matrix, sentence: str) -> None:
        """Note nine entries; `@` in the sentence is replaced by xx, xy, …"""
        for i, row in enumerate(AXES):
            for j, column in enumerate(AXES):
                self.name(matrix[i, j], sentence.replace("@", row + column))

    def inertia(self, inertia: Inertia, of: str, how: str = "", frame: str = "") -> None:
        """File mass, first and second moments, and the inertia about the origin."""
        self.name(inertia.m, f"{how}mass of {of}")
        self.vector(inertia.h, f"{how}first moment of {of}, @{frame}")
        self.matrix(inertia.I, f"{how}inertia of {of}, @{frame}")
        self.matrix(inertia.J, f"{how}second moment of {of}, @{frame}")


_ZERO = Vector([0, 0, 0])
_STILL = Matrix.identity(3)
_PAIRS = ((0, 1), (0, 2), (1, 2))

#: Fields of a `Motion`, each a vector for each link.
_MOTION = {
    "w": "angular velocity of {body}, @{own}",
    "alpha": "angular acceleration of {body}{when}, @{own}",
    "a": "acceleration{less} of {body}{when}, @{own}",
    "at_joint": "acceleration{less} of the joint frame of {joint}{when}, @{parent_frame}",
}


@dataclass(frozen=True)
class Naming:
    """The quantities of a tree as one list of passes writes it, in one unit of length, and their sentences."""

    catalogue: Catalogue
    equations: EquationsOfMotion
    loads: Loads
    scaled: ScaledTree
    how: str

    def steps(self, of: FunctionKey) -> list[Callable[[], None]]:
        """What to name for a function, simplest first."""
        steps: dict[FunctionKey, list[Callable[[], None]]] = {
            "inverse_dynamics": [lambda: self._newton_euler(self._accelerations, "")],
            "inverse_dynamics_derivatives": [lambda: self._newton_euler(self._accelerations, "")],
            "regressor": [lambda: self._newton_euler(self._accelerations, "")],
            "bias": [self._bias],
            "mass_matrix": [self._composite_bodies],
            "energy": [self._momenta],
            "momentum": [self._momenta, self._poses],
            "poses": [self._poses],
            "center_of_mass": [self._poses, self._mass_centres],
            "centroidal_momentum": [self._momenta, self._poses],
            "centroidal_matrix": [self._poses, self._mass_centres, self._momenta_at_unit_speeds],
            "inverse_mass_matrix": [self._elimination, self._composite_bodies, self._inverse],
        }
        forward = [self._bias, self._elimination, self._composite_bodies, self._articulated_bodies]
        solved = ("forward_dynamics", "state_rates", "state_rates_jacobian", "forward_dynamics_derivatives")
        steps |= dict.fromkeys(solved, forward)
        return [self._constants, *steps.get(of, [])]

    # ---- words -----------------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        return self.scaled.tree

    @property
    def _u(self) -> list[Any]:
        return self.scaled.lengths(self.loads.tree.u)

    @cached_property
    def _wrenches_of_loads(self) -> list[Wrench]:
        return self.scaled.wrenches(self.loads.wrenches())

    @property
    def _accelerations(self) -> list[Any]:
        """The accelerations of all speeds of the tree, for inverse dynamics."""
        equations, dependent_speeds = self.equations, self.equations.dependent_speeds
        return self.scaled.lengths(
            equations.udot if dependent_speeds is None else dependent_speeds.E @ equations.udot + dependent_speeds.gamma
        )

    @cached_property
    def _labels(self) -> list[str]:
        return speed_labels(self.equations, of_tree=True)

    @cached_property
    def _words(self) -> list[dict[str, str]]:
        """For each link the words that replace names in the sentences."""
        return [
            {
                "body": self._link(i),
                "joint": self._joint(i),
                "own": self._frame(i) if self._held(i) else " in its own frame",
                "frame": self._frame(i),
                "parent": self._link(link.parent),
                "parent_frame": self._frame(link.parent),
                "less": " less gravity" if any(self.tree.gravity) else "",
            }
            for i, link in enumerate(self.tree.links)
        ]

    def _joint(self, i: int) -> str:
        """The joint that carries a link, with the speed's name where a joint has several."""
        link = self.tree.links[i]
        return self._labels[link.speeds[0]] if link.speeds else short(link.joint)

    def _link(self, i: int) -> str:
        return "ground" if i == BASE else short(self.tree.links[i].name)

    def _held(self, i: int) -> bool:
        """Whether a link's components are those of the joint frame on the parent, of its group of parallel joints."""
        link = self.tree.links[i]
        return any(any(w) for w, _ in link.H) and link.motion.R == _STILL

    def _frame(self, i: int) -> str:
        """In which frame a link's components are."""
        if i == BASE or not self._held(i):
            return f" in the frame of {self._link(i)}"
        while self.tree.links[i].parent != BASE and self._held(self.tree.links[i].parent):
            i = self.tree.links[i].parent
        return f" in the joint frame of {self._joint(i)}"

    # ---- a sentence for one entry, or for each of a table --------------------------------------------------------

    def _vectors(self, table: Iterable[Vector], sentence: str, **more: str) -> None:
        for words, vector in zip(self._words, table, strict=True):
            self.catalogue.vector(vector, sentence.format(**words, **more))

    def _wrenches(self, table: Iterable[Wrench], what: str, **more: str) -> None:
        for words, wrench in zip(self._words, table, strict=True):
            self._wrench(wrench, what.format(**words, **more))

    def _wrench(self, wrench: Wrench, what: str) -> None:
        for kind, vector in zip(("torque", "force"), wrench, strict=True):
            self.catalogue.vector(vector, f"{self.how}{kind} {what}")

    def _turned_inward(self, turn: Turn, vector: Vector, what: str) -> None:
        """A vector of a link as the link further in has it, and half-way, in the frame of the joint there."""
        self.catalogue.vector(turn.inward(vector), f"{self.how}{what}, @{self._frame(turn.anchor)}")
        self.catalogue.vector(turn.motion @ vector, f"{self.how}{what}, @ in the joint frame")

    def _turned_outward(self, turn: Turn, vector: Vector, what: str, i: int) -> None:
        """A vector of a link further in as link i has it, and half-way, in the frame of the joint there."""
        self.catalogue.vector(turn.outward(vector), f"{what}, @{self._frame(i)}")
        self.catalogue.vector(turn.fixed.T @ vector, f"{what}, @ in the joint frame of {self._joint(i)}")

    def _passed_inward(self, i: int, n: Vector, f: Vector, when: str) -> None:
        """The wrench that the joint of link i transmits to its parent."""
        link, joint, words = self.tree.links[i], self._joint(i), self._words[i]
        self._turned_inward(link.turn, f, f"force through {joint}{when}")
        self._turned_inward(link.turn, n, f"torque through {joint}{when}")
        wrench = link.wrench_inward(Wrench(n, f))
        self._wrench(wrench, f"that {words['parent']} gives to {joint}{when}, @{words['parent_frame']}")

    # ---- constants -------------------------------------------------------------------------------------------

    def _constants(self) -> None:
        name, gravity = self.catalogue, [g for g in self.tree.gravity if not is_zero(g)]
        for link, words in zip(self.tree.links, self._words, strict=True):
            body, J = words["body"], link.inertia.J
            name.inertia(link.inertia, body, self.how)
            name.vector(link.fixed.p, "offset of {joint} from {parent}, @".format(**words))
            name.matrix(link.fixed.R, "direction cosine of the joint frame of {joint}, @".format(**words))
            for i, j in _PAIRS:
                axes = f"{AXES[i]} and {AXES[j]}"
                name.name(J[i, i] - J[j, j], f"{self.how}difference of second moments of {body}, {axes}")
                name.name(2 * J[i, j], f"{self.how}twice the second moment of {body}, {AXES[i]}{AXES[j]}")
            for g in gravity:
                name.name(g * link.inertia.m, f"{self.how}weight of {body}")
                name.vector(link.inertia.h * g, f"{self.how}weight of {body} times its offset, @")
        name.vector(self.tree.gravity, "gravity, @")

    # ---- Newton-Euler ----------------------------------------------------------------------------------------

    def _bias(self) -> None:
        self._newton_euler([0] * len(self.tree.u), " at zero udot")

    def _newton_euler(self, ud: Sequence[Any], when: str) -> None:
        self._sweeps(accelerate(self.tree, self._u, ud, self.tree.gravity), when)

    def _sweeps(self, motion: Motion, when: str) -> None:
        """The motion of the links, their inertial wrenches, and the wrenches that joints transmit."""
        tree, loads, nothing = self.tree, self._wrenches_of_loads, [Wrench.zero() for _ in self.tree.links]
        for name, sentence in _MOTION.items():
            self._vectors(getattr(motion, name), sentence, when=when)
        self._turning(motion, when)
        turning = [Wrench(*link.inertia.wrench(W, _ZERO)) for link, W in zip(tree.links, motion.W, strict=True)]
        through = transmitted(tree, inertial_wrenches(tree, motion, loads))
        self._wrenches(turning, "that turning {body} takes{when}, @{own}", when=when)
        self._wrenches(inertial_wrenches(tree, motion, nothing), "that moves {body} alone{when}, @{own}", when=when)
        self._wrenches(loads, "of the loads on {body}, @{own}")
        self._wrenches(through, "through {joint}{when}, @{frame}", when=when)
        merged = merged_turns(tree)
        for i, (link, (n, f)) in enumerate(zip(tree.links, through, strict=True)):
            if i in merged:
                n, across = along_and_across(link, n)
                self._turned_inward(merged[i], across, f"torque across {self._joint(i)}{when}")
            if link.parent != BASE:
                self._passed_inward(i, n, f, when)

    def _turning(self, motion: Motion, when: str) -> None:
        """What ω, α and accelerations are on the other side of a joint; products of ω, and the entries of W."""
        less = self._words[0]["less"] if self._words else ""
        for i, (link, w, W) in enumerate(zip(self.tree.links, motion.w, motion.W, strict=True)):
            body, turn = self._link(i), merged_turns(self.tree).get(i, link.turn)
            frame = f"acceleration{less} of the joint frame of {self._joint(i)}{when}"
            self._turned_outward(link.turn, motion.at_joint[i], frame, i)
            if turn.anchor != BASE:
                anchor = self._link(turn.anchor)
                self._turned_outward(turn, motion.w[turn.anchor], f"angular velocity of {anchor}", i)
                self._turned_outward(turn, motion.alpha[turn.anchor], f"angular acceleration of {anchor}{when}", i)
            for k, axis in enumerate(AXES):
                self.catalogue.name(w[k] * w[k], f"angular velocity of {body}, {axis} squared")
            for j, k in _PAIRS:
                both = f"{AXES[j]} and {AXES[k]}"
                self.catalogue.name(w[j] * w[k], f"angular velocity of {body}, product of {both}")
                self.catalogue.name(W[j, j] - W[k, k], f"angular velocity of {body}, difference of squares, {both}")
            self.catalogue.matrix(W, f"acceleration matrix of {body}{when}, @")

    # ---- mass matrix -----------------------------------------------------------------------------------------

    def _composite_bodies(self) -> None:
        for i, (link, inertia) in enumerate(zip(self.tree.links, composite_inertias(self.tree), strict=True)):
            composite = f"all that {self._joint(i)} carries"
            self.catalogue.inertia(inertia, composite, self.how, self._frame(i))
            self.catalogue.inertia(inertia.seen_from(link.motion), composite, self.how, " in the joint frame")
            self.catalogue.inertia(link.inertia_inward(inertia), composite, self.how, self._frame(link.parent))
            for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                for j, (n, f) in inward(self.tree, i, Wrench(*inertia.momentum(hw, hv))):
                    what = f"momentum at unit {self._labels[speed]} about {self._joint(j)}"
                    self.catalogue.vector(n, f"{self.how}angular {what}, @")
                    self.catalogue.vector(f, f"{self.how}linear {what}, @")
                    self._turned_inward(self.tree.links[j].turn, n, f"angular {what}")

    def _elimination(self) -> None:
        """The factors of M = LᵀDL, and the remainder on each speed when those beyond it are free."""
        if self.equations.dependent_speeds is not None:  # independent speeds alone are not those of a tree
            return
        equations, name, labels = self.equations, self.catalogue.name, self._labels
        factors = factor(equations.tree, equations.mass_matrix)
        for i, row in enumerate(equations.mass_matrix):
            name(equations.bias[i], f"bias on {labels[i]}")
            name(equations.forcing[i], f"effort on {labels[i]} less bias")
            for j, entry in enumerate(row):
                name(entry, f"mass matrix, {labels[i]} row, {labels[j]} column")
        reference = accelerate(self.tree, self._u, None, self.tree.gravity)
        taken = self.scaled.lengths(efforts_of(self.tree, reference, self._wrenches_of_loads))
        right = [effort - more for effort, more in zip(equations.forcing + equations.bias, taken, strict=True)]
        for label, effort in zip(labels, right, strict=True):
            name(effort, f"effort on {label} less what the reference motion takes")
        udot = factors.solve(equations.forcing)
        beyond = udot - self.scaled.in_metres(reference.ud)
        for k in reversed(factors.order):
            label, reciprocal = labels[k], factors.reciprocals[k]
            name(1 / reciprocal, f"inertia that {label} feels, everything beyond it free")
            name(reciprocal, f"1 over the inertia that {label} feels, all beyond it free")
            for i, share in factors.rows[k].items():
                name(share, f"how {label} follows {labels[i]}, all beyond it free")
                name(share / reciprocal, f"mass matrix ({label}, {labels[i]}), all beyond {label} free")
            for rates, when in ((udot, ""), (beyond, " beyond the reference motion")):
                rate = sum((share * rates[i] for i, share in factors.rows[k].items()), rates[k])
                name(rate, f"acceleration of {label} if all before it stood still{when}")
                name(rate / reciprocal, f"effort left on {label}, all beyond it free{when}")

    # ---- articulated bodies ----------------------------------------------------------------------------------

    def _articulated_bodies(self) -> None:
        tree = self.tree
        if tree.is_coupled or self.equations.dependent_speeds is not None:  # they are not how u̇ is found then
            return
        efforts = zip(self.loads.tree.tau, self.loads.speed_forces(), strict=True)
        tau = self.scaled.forces([effort + more for effort, more in efforts])
        motion = articulated(tree, self._u, tau, self._wrenches_of_loads, tree.gravity)
        for label, rate in zip(self._labels, motion.reference.ud, strict=True):
            self.catalogue.name(rate, f"rate of {label} in the reference motion")
        self._sweeps(motion.reference, " in the reference motion")
        self._wrenches(motion.P, "that holds {body}, all beyond it free, @{own}")
        for i, (link, speeds) in enumerate(zip(tree.links, motion.speeds, strict=True)):
            self._articulated(motion.I[i], f"{self._link(i)}, all beyond it free", self._words[i]["own"])
            for speed in speeds:  # D, e and their quotient are those of the elimination of M
                label, frame = self._labels[speed.speed], self._words[i]["own"]
                self._wrench(speed.share, f"at unit effort on {label}, all beyond it free, @{frame}")
                self._wrench(speed.P, f"through {label}, it and all beyond free, @{frame}")
                self._articulated(speed.I, f"{self._link(i)}, {label} free", frame)
            I, P = (speeds[-1].I, speeds[-1].P) if speeds else (motion.I[i], motion.P[i])
            if link.parent != BASE:
                turned, free = I.turned(link.motion.R), f"{self._link(i)}, {self._joint(i)} free"
                self._articulated(turned, free, " in the joint frame")
                self._articulated(turned.turned(link.fixed.R).about(link.X.p), free, self._frame(link.parent))
                self._passed_inward(i, *P, ", it and all beyond free")
        self._added(motion.added)

    def _articulated(self, I: ArticulatedInertia, what: str, frame: str) -> None:
        self.catalogue.matrix(I.A, f"{self.how}torque for turning {what}, @{frame}")
        self.catalogue.matrix(I.B, f"{self.how}torque for moving {what}, @{frame}")
        self.catalogue.matrix(I.C, f"{self.how}force for moving {what}, @{frame}")

    def _added(self, added: Sequence[Twist]) -> None:
        """What u̇ adds to the acceleration that each link has in the reference motion."""
        for i, (link, (alpha, a)) in enumerate(zip(self.tree.links, added, strict=True)):
            alpha_in, a_in = Twist.zero() if link.parent == BASE else added[link.parent]
            at_joint = a_in + alpha_in.cross(link.X.p)
            what = f"acceleration that udot gives to the joint frame of {self._joint(i)}"
            self.catalogue.vector(at_joint, f"{what}, @{self._frame(link.parent)}")
            self._turned_outward(link.turn, at_joint, what, i)
            self._turned_outward(link.turn, alpha_in, f"angular {what}", i)
            self.catalogue.vector(alpha, f"angular acceleration that udot gives to {self._link(i)}, @")
            self.catalogue.vector(a, f"acceleration that udot gives to {self._link(i)}, @")

    # ---- energy, momentum, poses -----------------------------------------------------------------------------

    def _momenta(self) -> None:
        moving = velocities(self.tree, self._u)
        momenta = [link.inertia.momentum(w, v) for link, (w, v) in zip(self.tree.links, moving, strict=True)]
        self._vectors([w for w, _ in moving], "angular velocity of {body}, @{own}")
        self._vectors([v for _, v in moving], "velocity of {body}, @{own}")
        self._vectors([spin for spin, _ in momenta], self.how + "angular momentum of {body}, @{own}")
        self._vectors([linear for _, linear in momenta], self.how + "linear momentum of {body}, @{own}")
        for words, (w, v), (spin, linear) in zip(self._words, moving, momenta, strict=True):
            energy = w.dot(spin) + v.dot(linear)
            self.catalogue.name(energy, f"{self.how}twice the kinetic energy of {words['body']}")

    def _mass_centres(self) -> None:
        """First moments about the ground's origin, of each body and summed outward, and the mass centre."""
        total = Vector([0, 0, 0])
        for words, link, X in zip(self._words, self.tree.links, world_poses(self.tree), strict=True):
            moment = X.R @ link.inertia.h + X.p * link.inertia.m
            total = total + moment
            self.catalogue.vector(
                X.R @ link.inertia.h, f"{self.how}first moment of {words['body']} about its origin, @"
            )
            self.catalogue.vector(moment, f"{self.how}first moment of {words['body']} about the ground's, @")
            self.catalogue.vector(total, f"first moment of all up to {words['body']}, @")
        self.catalogue.name(self.equations.mass_moment[0], "mass of the whole")
        self.catalogue.vector(center_of_mass(self.equations), "mass centre of the whole, @")

    def _momenta_at_unit_speeds(self) -> None:
        """Linear and angular momentum of the whole about the ground's origin, one speed at a time."""
        spin, linear = self.equations.momentum
        for k, column in enumerate(jacobian([*spin, *linear], list(self.equations.u)).columns):
            label = self._labels[k]
            self.catalogue.vector(Vector(column[:3]), f"angular momentum at unit {label} about the ground's origin, @")
            self.catalogue.vector(Vector(column[3:]), f"linear momentum at unit {label}, @")

    def _inverse(self) -> None:
        """The entries of M⁻¹."""
        for i, row in enumerate(self.equations.inverse_mass_matrix):
            for j, entry in enumerate(row):
                self.catalogue.name(entry, f"acceleration of {self._labels[i]} by a unit effort on {self._labels[j]}")

    def _poses(self) -> None:
        poses = world_poses(self.tree)
        self._vectors([X.p for X in poses], "position of {body} in the ground, @")
        for words, X in zip(self._words, poses, strict=True):
            self.catalogue.matrix(X.R, f"direction cosine of {words['body']} in the ground, @")


def meanings(equations: EquationsOfMotion, of: FunctionKey) -> dict[int, str]:
    """What the values of a function of the catalogue mean, by fingerprint."""
    make = catalogued(of).make
    catalogue = Catalogue()
    with quiet_collector():
        outputs = make(equations)
        _name_symbols(catalogue, equations)
        _name_results(catalogue, equations, outputs)
        _name_functions(catalogue, outputs)
        variants = [equations.tree, *(apply(equations.tree, names) for names in VARIANTS)]
        trees = variants if equations.has_bodies else []
        metre, model = Fraction(1), equations.system
        named = [
            Naming(catalogue, equations, loads_of(model, tree), ScaledTree(tree, metre, frozenset()), _how(k))
            for k, tree in enumerate(trees)
        ]
        named += [m for k, tree in enumerate(trees) for m in _in_its_unit(catalogue, equations, tree, _how(k))]
        for steps in zip(*(naming.steps(of) for naming in named), strict=True):
            for step in steps:
                step()
    return catalogue.sentences


def _how(k: int) -> str:
    """How masses are in the k-th way to write the tree, of which the first is the user's."""
    return "regrouped " if k else ""


def _in_its_unit(catalogue: Catalogue, equations: EquationsOfMotion, tree: Tree, how: str) -> list[Naming]:
    """The quantities of a tree with its lengths in the unit that the recursions choose, if they choose one."""
    scaled = scaled_tree(tree)
    if scaled.unit == 1:
        return []
    remarked = replace(catalogue, remark=f", unit {float(scaled.unit):.4g} m")
    return [Naming(remarked, equations, loads_of(equations.system, tree), scaled, how)]


def _name_symbols(catalogue: Catalogue, equations: EquationsOfMotion) -> None:
    system, labels = equations.system, speed_labels(equations)
    for q in equations.q:
        catalogue.name(q, f"coordinate {short(q.name)}")
    for u, rate, label in zip(equations.u, equations.udot, labels, strict=True):
        catalogue.name(u, f"speed of {label}")
        catalogue.name(rate, f"acceleration of {label}")
    for effort, label in zip(equations.tau, speed_labels(equations, of_tree=True), strict=True):
        catalogue.name(effort, f"effort on {label}")
    tables: list[tuple[str, Mapping[str, Parameter | State]]] = [
        ("parameter", system.parameters), ("input", system.inputs), ("state", system.states)
    ]  # fmt: skip
    for kind, table in tables:
        for name, record in table.items():
            unit = f", {record.si_unit.replace('/', ' per ')}" if record.si_unit else ""
            catalogue.name(record.symbol, f"{kind} {short(name)}{unit}")
    catalogue.name(system.time, "time")


def _name_results(catalogue: Catalogue, equations: EquationsOfMotion, outputs: Outputs) -> None:
    labels, coordinates = speed_labels(equations), [short(name) for name in equations.coordinates]
    bodies = [short(name) for name in equations.system.bodies if name != GROUND]
    state_rates = [f"rate of state {short(name)}" for name in equations.states]
    words = {
        "udot": [f"acceleration of {label}" for label in labels],
        "tau": [f"effort on {label}" for label in labels],
        "bias": [f"bias on {label}" for label in labels],
        "qdot": [f"rate of {name}" for name in coordinates],
        "xdot": [f"rate of {name}" for name in coordinates]
        + [f"acceleration of {label}" for label in labels]
        + state_rates,
        "zdot": state_rates,
        "kinetic": ["kinetic energy"],
        "potential": ["potential energy"],
        "mass_matrix": [f"mass matrix, {row} row, {column} column" for row in labels for column in labels],
        "coriolis_matrix": [f"Coriolis matrix, {row} row, {column} column" for row in labels for column in labels],
        "angular": [f"angular momentum of the whole, {axis}" for axis in AXES],
        "linear": [f"linear momentum of the whole, {axis}" for axis in AXES],
        "centroidal": [f"angular momentum about the mass centre of the whole, {axis}" for axis in AXES],
        "center_of_mass": [f"mass centre of the whole, {axis}" for axis in AXES],
        "gravity_terms": [f"effort on {label} that carries the weight" for label in labels],
        "position": [f"position of {body} in the ground, {axis}" for body in bodies for axis in AXES],
        "rotation": [f"rotation of {body} in the ground, {a}{b}" for body in bodies for a in AXES for b in AXES],
    }
    for top, noun in (("tau", "effort on"), ("udot", "acceleration of")):
        for below in ("q", "u", "udot", "tau"):
            words[f"{top}_d_{below}"] = [
                f"derivative of {noun} {row} by {below} of {column}" for row in labels for column in labels
            ]
    words["known"] = [f"effort on {label} that other loads take" for label in labels]
    if any(key == "regressor" for key, _, _ in outputs):
        kinds = [f"{parameter.kind} of {short(parameter.owner)}" for parameter in regressor(equations).parameters]
        words["regressor"] = [f"effort on {label} for a unit of {kind}" for label in labels for kind in kinds]
    columns = [*coordinates, *(f"speed of {label}" for label in labels), *map(short, equations.states)]
    words["xdot_d_x"] = [f"derivative of {row} by {column}" for row in words["xdot"] for column in columns]
    words["xdot_d_t"] = [f"derivative of {row} by time" for row in words["xdot"]]
    for key, _, entries in outputs:
        for entry, sentence in zip(entries, words.get(key, ()), strict=False):
            catalogue.name(entry, sentence, by_chance=False)


def _name_functions(catalogue: Catalogue, outputs: Outputs) -> None:
    """Sines, cosines and roots, with their arguments if these are short."""
    words = {"sin": "sine of", "cos": "cosine of", "sqrt": "square root of"}
    for node in topological(root for _, _, entries in outputs for root in entries):
        if node.op in words:
            argument = text(node.args[0])
            if len(argument) <= LONGEST_NOTE - 16:
                catalogue.name(node.args[0], argument)
                catalogue.name(node, f"{words[node.op]} {argument}")
