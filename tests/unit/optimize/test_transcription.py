"""Derivatives of the sparse problem are those of its functions, for every scheme and form of the dynamics."""

import shutil

import numpy as np
import pytest
from scipy.sparse import coo_array, tril

import polhode as ph
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.mesh import SCHEMES
from polhode.optimize.problem import Collocation


def matrix(entries, places, shape):
    return coo_array((entries, places), shape).tocsr()


def problem(scheme: str, dynamics: str, duration: object) -> Collocation:
    """A problem with all there can be: a limit on an expression, a terminal cost, time, accelerations."""
    e = cart_pole().derive()
    (x, theta), (v, w), t = e.q, e.u, e.system.time
    push = e.system.inputs["F"].symbol
    return e.collocation(
        duration,
        end={"x": 1, ph.sin(theta) * v + t: (0, 1), w**2: 4},
        cost=push**2 + ph.cos(theta) * x + t * v**2 + e.udot[1] ** 2,
        terminal_cost=x**2 * w + t**2 * theta,
        limits={x + ph.sin(theta) * t: (-1, 5)},
        scheme=scheme,
        dynamics=dynamics,
        nodes=[0, 0.2, 0.5, 0.6, 1],
    )


@pytest.mark.parametrize("duration", [1.5, (1, 2)])
@pytest.mark.parametrize("dynamics", ["implicit", "explicit"])
@pytest.mark.parametrize("scheme", list(SCHEMES))
def test_derivatives_are_those_of_central_differences(scheme: str, dynamics: str, duration: object) -> None:
    made = problem(scheme, dynamics, duration).transcription
    dice = np.random.default_rng(3)
    w, along = dice.standard_normal((2, made.size))
    w[-1] = 1.5
    multipliers, step = dice.standard_normal(made.constraints), 1e-6

    def gradient(w):
        return made.gradient(w, np.zeros(made.size))

    def values(w):
        return made.values(w, np.zeros(made.constraints))

    def jacobian(w):
        entries = made.jacobian(w, np.zeros(len(made.jacobian_places[0])))
        return matrix(entries, made.jacobian_places, (made.constraints, made.size))

    def slope(function):
        return (function(w + step * along) - function(w - step * along)) / (2 * step)

    def lagrangian_gradient(w):
        return 1.7 * gradient(w) + jacobian(w).T @ multipliers

    scale = 1e-7 * max(1.0, np.abs(jacobian(w).toarray()).max()) ** 2
    assert slope(made.cost) == pytest.approx(gradient(w) @ along, abs=scale)
    assert np.abs(slope(values) - jacobian(w) @ along).max() < scale
    entries = made.curvature(w, multipliers, 1.7, np.zeros(len(made.curvature_places[0])))
    lower = matrix(entries, made.curvature_places, (made.size, made.size))
    assert (made.curvature_places[0] >= made.curvature_places[1]).all()
    whole = lower + tril(lower, -1).T
    assert np.abs(slope(lagrangian_gradient) - whole @ along).max() < scale


def test_only_points_of_an_interval_meet_and_the_second_derivatives_are_blocks_of_points() -> None:
    made = problem("hermite_simpson", "implicit", 1.5).transcription
    rows, columns = made.curvature_places
    assert (rows // made.width == columns // made.width).all()
    assert len(rows) < made.mesh.points * made.width * (made.width + 1) // 2, "zeros of the graph are left out"


def test_implicit_dynamics_take_fewer_operations() -> None:
    from polhode.optimize.point_model import PointFunction

    counted = {}
    for dynamics in ("implicit", "explicit"):
        made = cart_pole().derive().collocation(1, dynamics=dynamics)
        counted[dynamics] = len(made.functions.program(PointFunction(made.point, "curvature")).run)
    assert counted["implicit"] < counted["explicit"] / 2


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_every_backend_has_the_same_values(backend: str) -> None:
    if backend == "c" and shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    e = cart_pole().derive()
    found = []
    for functions in (e.compile(), e.compile(backend=backend)):
        made = e.collocation((1, 2), end={"x": 1}, functions=functions, nodes=5).transcription
        dice = np.random.default_rng(2)
        w, multipliers = dice.standard_normal(made.size), dice.standard_normal(made.constraints)
        entries = np.zeros(len(made.jacobian_places[0])), np.zeros(len(made.curvature_places[0]))
        found.append([
            made.cost(w), made.gradient(w, np.zeros(made.size)), made.values(w, np.zeros(made.constraints)),
            made.jacobian(w, entries[0]), made.curvature(w, multipliers, 1.0, entries[1]),
        ])  # fmt: skip
    for ours, theirs in zip(*found, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-10)
