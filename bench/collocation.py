"""Derivatives of an optimal control problem beside CasADi: the swing-up of a cart-pole on a mesh of a hundred nodes.

Both have the same transcription, Hermite–Simpson with accelerations as variables, with the same variables in the same
order, and are seen to have the same values and the same optimum. CasADi's expressions are scalar (SX), expanded over
the whole mesh, and run by its virtual machine as `nlpsol` runs them, or as the C that it writes, compiled with -O3 for
this machine; its functions are called on memory that is bound before, by its `FunctionBuffer`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from polhode.errors import PolhodeError
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.problem import Collocation

from .clock import least_times, seconds_of_one
from .table import Timing

SECTION = "collocation"
_CASE = "cart-pole, 100 nodes, {} dynamics"
#: How many times faster than the virtual machine the derivatives together were asked to be.
_GOAL = 5.0
#: To which the two optima are the same.
_SAME = 1e-6
_VIRTUAL, _GENERATED = "CasADi's virtual machine", "C by CasADi"
_DERIVATIVES = ("gradient", "Jacobian", "Hessian")


def problem(dynamics: str = "auto", nodes: int = 100, *, cache: bool = True) -> Collocation:
    """The pole is brought from hanging to standing in two seconds, and the cart a metre to the right."""
    equations = cart_pole().derive()
    functions = equations.compile(cache=cache)
    ends = {"start": {"theta": pi}, "end": {"x": 1, "theta": 0, "x'": 0, "theta'": 0}}
    limits = {"F": 20, "x": (-2, 2)}
    return equations.collocation(
        2, **ends, limits=limits, inputs=["F"], nodes=nodes, dynamics=dynamics, functions=functions
    )


def made_ready(dynamics: str) -> float:
    """Seconds from the described mechanism to compiled functions, nothing being stored."""
    began = processor_seconds()
    problem(dynamics, cache=False).transcription.prepare()
    return processor_seconds() - began


def processor_seconds() -> float:
    """What this process and those that it started have taken."""
    return sum(os.times()[:4])


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    return [row for dynamics in ("explicit", "implicit") for row in rows_of(dynamics, quick, say)]


def rows_of(dynamics: str, quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The rows of one form of the dynamics."""
    ours = problem(dynamics)
    theirs = Peer(ours)
    case = _CASE.format(dynamics)
    say(f"solving, {dynamics}")
    found, other = ours.solve(accuracy=None), theirs.solve()
    if abs(found.cost - other) > _SAME * abs(other):
        raise PolhodeError(f"the optima differ: {found.cost!r} and CasADi's {other!r}.")
    dice = np.random.default_rng(5)
    w = found.variables + 0.01 * dice.standard_normal(len(found.variables))
    multipliers = dice.standard_normal(ours.transcription.constraints)
    calls = {_VIRTUAL: theirs.bound.calls(w, multipliers)}
    made = []
    with tempfile.TemporaryDirectory() as folder:
        began = processor_seconds()
        generated = theirs.compiled(Path(folder), say)
        if generated is not None:
            took = processor_seconds() - began
            calls[_GENERATED] = generated.calls(w, multipliers)
            made.append(Timing(SECTION, case, "made ready", made_ready(dynamics), _GENERATED, took))
        own = our_calls(ours, w, multipliers)
        check_same(ours, theirs, own, calls)
        say("timing")
        passes, count = (5, 200) if quick else (25, 1000)
        measures = {f"ours/{what}": partial(_each, call, count) for what, call in own.items()}
        for peer, its in calls.items():
            measures |= {f"{peer}/{what}": partial(_each, call, count) for what, call in its.items()}
        times = least_times(measures, passes)
    for peer in calls:
        for what in own:
            made.append(Timing(SECTION, case, what, times[f"ours/{what}"], peer, times[f"{peer}/{what}"]))
        own_sum, their_sum = (sum(times[f"{who}/{what}"] for what in _DERIVATIVES) for who in ("ours", peer))
        goal = _GOAL if peer == _VIRTUAL and dynamics == "explicit" else None  # the form that is taken by itself
        made.append(Timing(SECTION, case, "all derivatives", own_sum, peer, their_sum, least_ratio=goal))
    say("solving again")
    solved = {"ours": lambda: seconds_of_one(ours.solve), "theirs": lambda: seconds_of_one(theirs.solve)}
    least = least_times(solved, 3 if quick else 10)
    note = f"{found.iterations} iterations, theirs {theirs.iterations}"
    return [*made, Timing(SECTION, case, "solve", least["ours"], _VIRTUAL, least["theirs"], note=note)]


def _each(call: Callable[[], object], count: int) -> float:
    """Seconds of one of many calls."""

    def often() -> None:
        for _ in range(count):
            call()

    return seconds_of_one(often) / count


def our_calls(ours: Collocation, w: Any, multipliers: Any) -> dict[str, Callable[[], Any]]:
    """Our functions on the variables given."""
    made = ours.transcription
    gradient, values = np.zeros(made.size), np.zeros(made.constraints)
    jacobian, curvature = np.zeros(len(made.jacobian_places[0])), np.zeros(len(made.curvature_places[0]))
    return {
        "cost": lambda: made.cost(w),
        "constraints": lambda: made.values(w, values),
        "gradient": lambda: made.gradient(w, gradient),
        "Jacobian": lambda: made.jacobian(w, jacobian),
        "Hessian": lambda: made.curvature(w, multipliers, 1.0, curvature),
    }


@dataclass(frozen=True)
class Bound:
    """Functions of CasADi's, and the arrays that they write."""

    functions: Mapping[str, Any]

    def calls(self, w: Any, multipliers: Any) -> dict[str, Callable[[], Any]]:
        """The functions, bound to the variables given; each returns what it wrote."""
        return {name: self._bound(function, w, multipliers) for name, function in self.functions.items()}

    def _bound(self, function: Any, w: Any, multipliers: Any) -> Callable[[], Any]:
        buffer, run = function.buffer()
        given = [np.ascontiguousarray(each) for each in (w, multipliers)[: function.n_in()]]
        out = np.zeros(function.nnz_out(0))
        for k, array in enumerate(given):
            buffer.set_arg(k, memoryview(array))
        buffer.set_res(0, memoryview(out))
        return partial(_ran, run, out, (buffer, given))


def _ran(run: Callable[[], object], out: Any, held: object) -> Any:
    """What a bound function wrote; it reads the memory that is held."""
    run()
    return out


class Peer:
    """The same problem in CasADi."""

    def __init__(self, ours: Collocation) -> None:
        import casadi as ca

        made, mesh = ours.transcription, ours.mesh
        self.ours, self.iterations = ours, 0
        values = {name: float(entry.value) for name, entry in ours.point.equations.system.parameters.items()}  # type: ignore[arg-type] # all have one
        w = ca.SX.sym("w", made.size)
        y = [w[p * made.width : (p + 1) * made.width] for p in range(mesh.points)]
        h = ours.first_duration / mesh.intervals
        defects, kept, cost = [], [], 0
        is_implicit = ours.point.is_implicit
        accelerations = [each[4:6] if is_implicit else accelerations_of(ca, each, values) for each in y]
        f = [ca.vertcat(each[2:4], ud) for each, ud in zip(y, accelerations, strict=True)]
        x = [each[:4] for each in y]
        for k, m, n in zip(*mesh.sides, strict=True):
            defects += [x[m] - (x[k] + x[n]) / 2 - h / 8 * (f[k] - f[n])]
            defects += [x[n] - x[k] - h / 6 * (f[k] + 4 * f[m] + f[n])]
        for each, weight in zip(y, mesh.quadrature, strict=True):
            kept += [dynamics_of(ca, each, values)] if is_implicit else []
            cost += weight * ours.first_duration * each[-1] ** 2
        g = ca.vertcat(*defects, *kept)
        multipliers = ca.SX.sym("multipliers", made.constraints)
        hessian = ca.tril(ca.hessian(cost + ca.dot(multipliers, g), w)[0])
        self.problem = {"x": w, "f": cost, "g": g}
        self.bound = Bound({
            "cost": ca.Function("cost", [w], [cost]),
            "constraints": ca.Function("constraints", [w], [g]),
            "gradient": ca.Function("gradient", [w], [ca.densify(ca.gradient(cost, w))]),
            "Jacobian": ca.Function("jacobian", [w], [ca.jacobian(g, w)]),
            "Hessian": ca.Function("hessian", [w, multipliers], [hessian]),
        })  # fmt: skip
        options = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", "ipopt.tol": 1e-8}
        self._solver = ca.nlpsol("solver", "ipopt", self.problem, options)

    def compiled(self, folder: Path, say: Callable[[str], None]) -> Bound | None:
        """The functions as C that it writes, if there is a compiler."""
        import casadi as ca

        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            say("no C compiler: the generated C is left out")
            return None
        writer = ca.CodeGenerator("peer.c")
        for function in self.bound.functions.values():
            writer.add(function)
        writer.generate(f"{folder}/")
        library = folder / "peer.so"
        say("compiling the C that CasADi wrote")
        flags = ["-O3", "-march=native", "-fPIC", "-shared"]
        subprocess.run([compiler, *flags, str(folder / "peer.c"), "-o", str(library), "-lm"], check=True)
        return Bound({key: ca.external(each.name(), str(library)) for key, each in self.bound.functions.items()})

    def solve(self) -> float:
        """The cost of the optimum, from our first guess."""
        from polhode.optimize.problem import first_variables

        (low, high), (row_low, row_high) = self.ours.bounds, self.ours.row_bounds
        first = first_variables(self.ours, None)
        found = self._solver(x0=first, lbx=low, ubx=high, lbg=row_low, ubg=row_high)
        self.iterations = int(self._solver.stats()["iter_count"])
        return float(found["f"])


def dynamics_of(ca: Any, y: Any, values: Mapping[str, float]) -> Any:
    """M u̇ + bias - τ of the cart-pole, of y = (x, θ, ẋ, θ̇, ẍ, θ̈, F)."""
    M, m, l = values["M"], values["m"], values["l"]
    s, c = ca.sin(y[1]), ca.cos(y[1])
    return ca.vertcat(
        (M + m) * y[4] + m * l * (c * y[5] - s * y[3] ** 2) - y[6],
        m * l * (c * y[4] + l * y[5] - 9.81 * s),
    )


def accelerations_of(ca: Any, y: Any, values: Mapping[str, float]) -> Any:
    """ẍ and θ̈ of the cart-pole as textbooks have them, of y = (x, θ, ẋ, θ̇, F)."""
    M, m, l = values["M"], values["m"], values["l"]
    s, c = ca.sin(y[1]), ca.cos(y[1])
    xdd = (y[4] + m * s * (l * y[3] ** 2 - 9.81 * c)) / (M + m * s**2)
    return ca.vertcat(xdd, (9.81 * s - c * xdd) / l)


def check_same(
    ours: Collocation, theirs: Peer, own: Mapping[str, Callable[[], Any]], calls: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise unless all functions have the same values."""
    from scipy.sparse import coo_array

    made = ours.transcription
    shapes = {"Jacobian": (made.constraints, made.size), "Hessian": (made.size, made.size)}
    places = {"Jacobian": made.jacobian_places, "Hessian": made.curvature_places}
    for peer, its in calls.items():
        for what, call in its.items():
            mine, other = np.atleast_1d(own[what]()), np.array(call())
            if what in shapes:
                mine = coo_array((mine, places[what]), shapes[what]).toarray()
                rows, columns = theirs.bound.functions[what].sparsity_out(0).get_triplet()
                other = coo_array((other, (rows, columns)), shapes[what]).toarray()
            apart = np.abs(mine - other).max()
            if not apart <= 1e-9 * max(1.0, np.abs(mine).max()):
                raise PolhodeError(f"the {what} differs from that of {peer} by {apart:.1e}.")
