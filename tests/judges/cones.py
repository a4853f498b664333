"""Forces in friction cones: random problems of bodies that touch, and Pinocchio's solution of such a problem."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polhode.ode.linear import Factors
from polhode.ode.unilateral.cone_problem import ConeProblem
from polhode.ode.unilateral.forces import ConeMemory
from polhode.ode.unilateral.lemke import LinearComplementarity

Floats = NDArray[np.float64]


def bodies_in_contact(
    masses: Iterable[float], pairs: Iterable[tuple[int, int]], tilt: Callable[[], Floats], rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """G of free bodies that touch each other, or the ground (-1), at random points, and the rows of their contacts.

    A row is a velocity along a normal, then along two tangents; `tilt` gives how far a normal is from the vertical.
    """
    inverse = np.concatenate([[*3 * (1 / mass,), *1 / (mass * rng.uniform(0.02, 0.2, 3))] for mass in masses])
    blocks = []
    for one, other in pairs:
        normal = np.array([0.0, 0.0, 1.0]) + tilt()
        frame = np.linalg.qr(np.column_stack([normal, rng.normal(size=(3, 2))]))[0].T
        frame[0] *= np.sign(frame[0] @ normal)
        blocks.append(np.zeros((3, len(inverse))))
        for body, side in ((one, 1.0), (other, -1.0)):
            if side > 0 or (body >= 0 and body != one):
                x, y, z = rng.uniform(-0.5, 0.5, 3)
                turn = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
                blocks[-1][:, 6 * body : 6 * body + 6] += side * frame @ np.hstack([np.eye(3), turn])
    rows = np.concatenate(blocks)
    return (rows * inverse) @ rows.T, rows


def random_contacts(rng: np.random.Generator, bodies: int, contacts: int) -> tuple[Floats, list[Floats]]:
    """G of free bodies that touch the ground and each other, and velocities without forces, which differ by 1 %."""
    pairs = ((k % bodies, int(rng.integers(-1, bodies))) for k in range(contacts))
    masses = rng.uniform(0.5, 2, bodies)
    matrix, rows = bodies_in_contact(masses, pairs, lambda: 0.3 * rng.standard_normal(3), rng)
    free = rng.standard_normal(6 * bodies) - np.tile((0, 0, 9.81, 0, 0, 0), bodies)
    return matrix, [rows @ free, rows @ (free * (1 + 0.01 * rng.standard_normal(len(free))))]


def plain_records(memory: ConeMemory) -> tuple[ConeProblem, LinearComplementarity]:
    """A memory of native code as records of plain Python, over the same arrays."""
    arrays = dict(memory.arrays)
    inside = {name: arrays.pop(name) for name in ("upper", "lower", "reciprocals", "exchanged")}
    sizes = {"size": memory.record.size, "blocks": memory.record.blocks}
    tableau = {name: arrays.pop(name) for name in ("tableau", "solution", "basis")}
    tableau["tableau"] = tableau["tableau"].reshape(-1)
    problem = ConeProblem(count=len(memory.groups), factors=Factors(**inside, **sizes), **arrays, **sizes)
    return problem, LinearComplementarity(size=memory.linear.size, width=memory.linear.width, **tableau)


class PinocchioCones:
    """Forces by ADMM with `solve_ncp`, of contacts with three rows each, normals first."""

    def __init__(self, matrix: Floats, friction: float, tolerance: float = 1e-8) -> None:
        import pinocchio as pin

        contacts, carrier = len(matrix) // 3, pin.Model()
        joint = carrier.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
        self.models, self.data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for _ in range(contacts):
            cone = pin.PointContactConstraintModel(carrier, joint, pin.SE3.Identity(), 0, pin.SE3.Identity())
            cone.setFriction(friction)
            self.models.append(pin.ConstraintModel(cone))
            self.data.append(self.models[-1].createData())
        self.settings = pin.ADMMSolverSettings()
        self.settings.solve_ncp, self.settings.max_iterations = True, 20_000
        self.settings.absolute_feasibility_tol = self.settings.absolute_complementarity_tol = tolerance
        self.settings.relative_feasibility_tol = self.settings.relative_complementarity_tol = 0
        self.order = np.concatenate([[3 * k + 1, 3 * k + 2, 3 * k] for k in range(contacts)])  # its normals come last
        self.matrix = matrix[np.ix_(self.order, self.order)]
        self.operator = pin.DelassusOperatorDense(self.matrix)
        self.solver, self.new, self.result = pin.ADMMConstraintSolver(3 * contacts), pin.ADMMSolverResult, None

    def solve(self, free: Floats, is_warm: bool = False) -> Any:
        """Forces in its order, for velocities in its order; from the forces before where it is warm."""
        if self.result is not None and is_warm:
            self.result.setConstraintImpulseGuess(self.result.retrieveConstraintImpulses())
        else:
            self.result = self.new()
        self.solver.solve(self.operator, free, self.models, self.data, self.settings, self.result)
        return self.result.retrieveConstraintImpulses()

    def velocities(self, free: Floats) -> Floats:
        """Velocities along rows in its order, under its forces."""
        return np.asarray(self.matrix @ self.solve(free) + free)
