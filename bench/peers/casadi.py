"""C that CasADi wrote of Pinocchio's algorithms, kept once traced and compiled; and the cart-pole's optimal control."""

import re
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from polhode import Equations
from polhode.optimize.problem import Collocation, first_variables

from ..build import compile_with, key_of, loop, run, stored
from ..mechanisms import Robot
from ..tree import plain_tree
from .pinocchio import as_lines

_FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC")


def traced(name: str, command: list[str], version: str, mechanism: str) -> tuple[Path, Path]:
    """Source and library of what a tracer writes of a mechanism, its numbers as constants."""
    stem = f"{name}-{key_of(version, mechanism, *_FLAGS)}".replace(" ", "-")
    source = stored(f"{stem}.c", lambda path: _write(path, run(command, input=mechanism)))

    def build(path: Path) -> None:
        compile_with("gcc", [*_FLAGS, str(source), "-o", str(path), "-lm"])

    return source, stored(f"{stem}.so", build)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def of_pinocchio(robot: Robot, equations: Equations) -> tuple[Path, Path]:
    """Source and library of Pinocchio's RNEA and ABA of a robot."""
    program, tree = loop("casadi_trace"), as_lines(plain_tree(equations.system))
    return traced(f"pinocchio-{robot.name}", [str(program)], program.name, tree)


def operations_of(what: str, source: str) -> int:
    """The operations of a function in generated C, where each is a line; reading and writing are none.

    >>> operations_of("f", '''
    ... /* f:(i0)->(o0) */
    ...   a0=arg[0]? arg[0][0] : 0;
    ...   a1=sin(a0);
    ...   a1=(a1*a0);
    ...   if (res[0]!=0) res[0][0]=a1;
    ...   return 0;
    ... ''')
    2
    """
    _, _, body = source.partition(f"/* {what}:(")
    return len(re.findall(r"^ +a\d+=.*\(", body.partition("return 0;")[0], flags=re.MULTILINE))


class CartPole:
    """The transcription of our swing-up of a cart-pole in CasADi: the same variables in the same order."""

    def __init__(self, ours: Collocation) -> None:
        import casadi as ca

        made, mesh, implicit = ours.transcription, ours.mesh, ours.point.is_implicit
        self.ours, self.iterations = ours, 0
        values = {name: float(entry.value or 0) for name, entry in ours.point.equations.system.parameters.items()}
        w = ca.SX.sym("w", made.size)
        y = [w[p * made.width : (p + 1) * made.width] for p in range(mesh.points)]
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
        g, multipliers = ca.vertcat(*rows), ca.SX.sym("multipliers", made.constraints)
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

    def compiled(self) -> dict[str, Any]:
        """The functions as C that it writes, compiled for this machine."""
        import casadi as ca

        folder = Path(tempfile.mkdtemp(prefix="polhode-bench-"))
        writer = ca.CodeGenerator("peer.c")
        for function in self.functions.values():
            writer.add(function)
        writer.generate(f"{folder}/")
        library = str(folder / "peer.so")
        compile_with("gcc", [*_FLAGS, str(folder / "peer.c"), "-o", library, "-lm"])
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
