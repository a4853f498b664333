"""The swing-up of a cart-pole, ours and transcribed in CasADi: the same variables in the same order."""

import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.problem import Collocation, first_variables


def problem(dynamics: str = "auto", nodes: int = 100, *, cache: bool = True) -> Collocation:
    """The pole is brought from hanging to standing in two seconds, and the cart a metre to the right."""
    equations = cart_pole().derive()
    ends = {"start": {"theta": pi}, "end": {"x": 1, "theta": 0, "x'": 0, "theta'": 0}}
    given = {"inputs": ["F"], "nodes": nodes, "dynamics": dynamics, "functions": equations.compile(cache=cache)}
    return equations.collocation(2, **ends, limits={"F": 20, "x": (-2, 2)}, **given)


class CartPole:
    """The transcription of our swing-up of a cart-pole in CasADi: the same variables in the same order."""

    def __init__(self, ours: Collocation) -> None:
        import casadi as ca

        shape, mesh, implicit = ours.transcription, ours.mesh, ours.point.is_implicit
        self.ours, self.iterations = ours, 0
        values = {name: float(entry.value or 0) for name, entry in ours.point.equations.system.parameters.items()}
        w = ca.SX.sym("w", shape.size)
        y = [w[p * shape.width : (p + 1) * shape.width] for p in range(mesh.points)]
        h = ours.first_duration / mesh.intervals
        accelerations = [each[4:6] if implicit else _accelerations(ca, each, values) for each in y]
        f = [ca.vertcat(each[2:4], ud) for each, ud in zip(y, accelerations, strict=True)]
        x = [each[:4] for each in y]
        rows, cost = [], 0
        for k, m, n in zip(*mesh.sides, strict=True):
            rows += [x[m] - (x[k] + x[n]) / 2 - h / 8 * (f[k] - f[n]), x[n] - x[k] - h / 6 * (f[k] + 4 * f[m] + f[n])]
        for each, weight in zip(y, mesh.quadrature, strict=True):
            rows += [_dynamics(ca, each, values)] if implicit else []
            cost += weight * ours.first_duration * each[-1] ** 2
        g, multipliers = ca.vertcat(*rows), ca.SX.sym("multipliers", shape.constraints)
        hessian = ca.tril(ca.hessian(cost + ca.dot(multipliers, g), w)[0])
        self.functions = {
            "cost": ca.Function("cost", [w], [cost]),
            "constraints": ca.Function("constraints", [w], [g]),
            "gradient": ca.Function("gradient", [w], [ca.densify(ca.gradient(cost, w))]),
            "Jacobian": ca.Function("jacobian", [w], [ca.jacobian(g, w)]),
            "Hessian": ca.Function("hessian", [w, multipliers], [hessian]),
        }
        options = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", "ipopt.tol": 1e-8}
        self._solver = ca.nlpsol("solver", "ipopt", {"x": w, "f": cost, "g": g}, options)

    def compiled(self, folder: Path) -> dict[str, Any]:
        """The functions as C that it writes, compiled for this machine."""
        import casadi as ca

        writer = ca.CodeGenerator("peer.c")
        for function in self.functions.values():
            writer.add(function)
        writer.generate(f"{folder}/")
        library = str(folder / "peer.so")
        command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", str(folder / "peer.c"), "-o", library, "-lm"]
        subprocess.run(command, check=True)
        return {key: ca.external(each.name(), library) for key, each in self.functions.items()}

    def solve(self) -> float:
        """The cost of the optimum, from our first guess."""
        (low, high), (row_low, row_high) = self.ours.bounds, self.ours.row_bounds
        given = {"x0": first_variables(self.ours, None), "lbx": low, "ubx": high, "lbg": row_low, "ubg": row_high}
        cost = float(self._solver(**given)["f"])
        self.iterations = int(self._solver.stats()["iter_count"])
        return cost


def bound(functions: Mapping[str, Any], w: Any, multipliers: Any) -> dict[str, Callable[[], Any]]:
    """Functions of CasADi's bound to memory by its `FunctionBuffer`; each call returns the array that it wrote."""

    def bind(function: Any) -> Callable[[], Any]:
        buffer, call = function.buffer()
        given = [np.ascontiguousarray(each) for each in (w, multipliers)[: function.n_in()]]
        out = np.zeros(function.nnz_out(0))
        for k, array in enumerate(given):
            buffer.set_arg(k, memoryview(array))
        buffer.set_res(0, memoryview(out))
        return partial(_called, call, out, (buffer, given))

    return {name: bind(function) for name, function in functions.items()}


def _called(call: Callable[[], object], out: Any, _held: object) -> Any:
    call()
    return out


def _dynamics(ca: Any, y: Any, values: Mapping[str, float]) -> Any:
    """M u̇ + bias - τ of the cart-pole, of y = (x, θ, ẋ, θ̇, ẍ, θ̈, F)."""
    M, m, l = values["M"], values["m"], values["l"]
    s, c = ca.sin(y[1]), ca.cos(y[1])
    along = (M + m) * y[4] + m * l * (c * y[5] - s * y[3] ** 2) - y[6]
    return ca.vertcat(along, m * l * (c * y[4] + l * y[5] - 9.81 * s))


def _accelerations(ca: Any, y: Any, values: Mapping[str, float]) -> Any:
    """ẍ and θ̈ of the cart-pole as textbooks have them, of y = (x, θ, ẋ, θ̇, F)."""
    M, m, l = values["M"], values["m"], values["l"]
    s, c = ca.sin(y[1]), ca.cos(y[1])
    xdd = (y[4] + m * s * (l * y[3] ** 2 - 9.81 * c)) / (M + m * s**2)
    return ca.vertcat(xdd, (9.81 * s - c * xdd) / l)


def our_calls(ours: Collocation, w: Any, multipliers: Any) -> dict[str, Callable[[], Any]]:
    """Our functions on the variables given."""
    shape = ours.transcription
    gradient, values = np.zeros(shape.size), np.zeros(shape.constraints)
    jacobian, curvature = np.zeros(len(shape.jacobian_places[0])), np.zeros(len(shape.curvature_places[0]))
    return {
        "cost": lambda: shape.cost(w),
        "constraints": lambda: shape.values(w, values),
        "gradient": lambda: shape.gradient(w, gradient),
        "Jacobian": lambda: shape.jacobian(w, jacobian),
        "Hessian": lambda: shape.curvature(w, multipliers, 1.0, curvature),
    }


def check_same(
    ours: Collocation, theirs: CartPole, own: Mapping[str, Callable[[], Any]], calls: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise unless all functions have the same values."""
    shape = ours.transcription
    shapes = {"Jacobian": (shape.constraints, shape.size), "Hessian": (shape.size, shape.size)}
    entries = {"Jacobian": shape.jacobian_places, "Hessian": shape.curvature_places}
    for peer, its in calls.items():
        for what, call in its.items():
            mine, other = np.atleast_1d(own[what]()), np.array(call())
            if what in shapes:
                mine = coo_array((mine, entries[what]), shapes[what]).toarray()
                triplet = theirs.functions[what].sparsity_out(0).get_triplet()
                other = coo_array((other, triplet), shapes[what]).toarray()
            apart = np.abs(mine - other).max()
            if not apart <= 1e-9 * max(1.0, np.abs(mine).max()):
                raise ValueError(f"the {what} differs from that of {peer} by {apart:.1e}.")
