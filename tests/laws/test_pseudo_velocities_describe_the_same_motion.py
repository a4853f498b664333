"""Pseudo-velocities are other words for one motion: accelerations, reactions and energy are those of the speeds."""

import random
from collections.abc import Callable
from itertools import product

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import seeds

import polhode as ph
from polhode.compare import agreement
from polhode.dynamics.envelope import envelope
from polhode.expr import as_expr, directional, same
from polhode.formalisms.hamel import Hamel
from polhode.model.samples.random_system import random_system

SEEDS = seeds(2, of=4)


def tree(seed: int) -> ph.System:
    return random_system(seed, bodies=2, max_speeds=8)


def chosen(system: ph.System, seed: int) -> dict[str, ph.Expr]:
    """One unit triangular combination for each independent speed, with entries of coordinates and time."""
    generator = random.Random(seed)
    plain = system.derive(constraints="embedded" if system.constraints else "multipliers")
    entries = [as_expr(0), as_expr(2), ph.cos(plain.q[0]), plain.q[-1] * system.time, system.time]
    made: dict[str, ph.Expr] = {}
    for k, u in enumerate(plain.u):
        rest = sum((generator.choice(entries) * v for v in plain.u[k + 1 :]), start=as_expr(0))
        made[f"pi {k + 1}"] = as_expr(u + rest + generator.choice(entries))
    return made


@pytest.mark.parametrize("make", [tree, random_constrained_system], ids=["tree", "constrained"])
@pytest.mark.parametrize("seed", SEEDS)
def test_formalisms_agree_in_them_and_with_the_speeds(make: Callable[[int], ph.System], seed: int) -> None:
    system = make(seed)
    pseudo = chosen(system, seed)
    hamel = system.derive("hamel", pseudo=pseudo)
    assert hamel.speeds == list(pseudo)
    for formalism in ("newton_euler", "routh"):
        other = system.derive(formalism, pseudo=pseudo)
        assert same(hamel.mass_matrix.entries(), other.mass_matrix.entries()) and same(hamel.bias, other.bias)
        assert same(hamel.forward_dynamics, other.forward_dynamics)
        if system.constraints:
            assert same(hamel.multipliers, other.multipliers)
    plain = system.derive("newton_euler", constraints="embedded" if system.constraints else "multipliers")
    assert hamel.agrees_with(plain)
    judged = agreement({"hamel": hamel.record})
    assert judged, str(judged)
    put = hamel.record.in_independent_speeds
    assert same(put([plain.kinetic_energy]), [hamel.kinetic_energy])
    assert same(put(plain.coordinate_rates), hamel.coordinate_rates)


@pytest.mark.parametrize("seed", SEEDS)
def test_structure_coefficients_are_the_brackets_of_the_motions(seed: int) -> None:
    system = random_constrained_system(seed) if seed % 2 else tree(seed)
    made = system.derive("hamel", pseudo=chosen(system, seed))
    found = made.structure_coefficients
    hamel = Hamel(made.system, envelope(made.tree), made.dependent_speeds)
    (b, b_0), q = hamel.fields, list(made.q)
    columns = [[as_expr(entry) for entry in column] for column in b.columns]

    def bracket(X: list[ph.Expr], Y: list[ph.Expr], now: int = 0) -> ph.Vector:
        along = dict(zip(q, X, strict=True)) | ({made.system.time: as_expr(1)} if now else {})
        return ph.Vector(directional(Y, along)) - ph.Vector(directional(X, dict(zip(q, Y, strict=True))))

    size = range(len(columns))
    for k, j in product(size, size):
        spread = b @ ph.Vector([found[k, i, j] for i in size])
        assert same(bracket(columns[k], columns[j]), spread)  # [Π_k, Π_j] = Σ γ_kij Π_i
    drift = [as_expr(entry) for entry in b_0]
    for k in size:  # with time as one more coordinate, whose velocity is one
        assert same(-bracket(drift, columns[k], now=1), b @ ph.Vector(list(found.by_time[k])))
