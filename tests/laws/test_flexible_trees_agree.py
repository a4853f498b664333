"""On 60 random trees of rigid and flexible bodies all formalisms that take them agree, and so does the reference."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.flexible_trees import random_flexible_tree
from tests.seeds import in_turn, seeds

import polhode as ph
from polhode.expr import Matrix, free_symbols
from polhode.formalisms.registry import FORMALISMS
from polhode.model.flexible.beam import Beam
from polhode.model.flexible.deformation import Deformation
from polhode.model.flexible.record import Flexibility

NAMES = [name for name, formalism in FORMALISMS.items() if formalism.flexible and name != "auto"]
#: They hold all kinds of beams, bodies, stations and motions of time that the 60 hold.
SOME = (3, 13, 14, 16, 20, 23, 24, 35)


def kinds(s: ph.System) -> set[str]:
    """What a tree is made of."""
    found = {"prescribed"} if s.prescribed else set()
    for joint in s.joints.values():
        if s.time in free_symbols([ph.expr.as_expr(entry) for entry in joint.in_parent.p]):
            found.add("placed in time")
        if joint.parent in {name for body in s.flexible.values() for name, *_ in body.stations}:
            found.add("joint at a station")
    for body in s.flexible.values():
        if isinstance(body, Beam):
            found |= {f"frame {body.frame}", *body.stiffnesses, f"stiffening {body.stiffening}", f"ends {body.ends}"}
            found |= {f"shear {body.GA is not None}", f"thickness {bool(body.gyration)}"}
            found |= {f"static station {static}" for _, _, static in body.stations}
        else:
            found.add("functions" if body.fields else "nodes")
    return found


@pytest.mark.trial
def test_some_seeds_hold_every_kind_that_all_hold() -> None:
    together = set().union(*(kinds(random_flexible_tree(seed)) for seed in SOME))
    everything = set().union(*(kinds(random_flexible_tree(seed)) for seed in range(60)))
    assert together == everything


@pytest.mark.parametrize("seed", seeds(SOME, of=60))
def test_formalisms_and_the_reference_agree_on_a_random_flexible_tree(seed: int) -> None:
    s = random_flexible_tree(seed)
    found = s.compare([*in_turn(NAMES, 2, seed), "auto"], run=False, functions=())
    assert found.agree, found.verdict
    assert found.reference, found.verdict
    assert not found.reference.not_covered


def test_eight_formalisms_take_flexible_bodies() -> None:
    assert {"poincare", "newton_euler", "composite_body", "kane"} <= set(NAMES)
    s = random_flexible_tree(1)
    assert s.compare([*NAMES, "auto"], run=False, functions=()).agree


@pytest.mark.parametrize("name", [name for name in NAMES if FORMALISMS[name].shortened])
def test_the_plain_form_of_a_shortened_formalism_takes_flexible_bodies_too(name: str) -> None:
    s = random_flexible_tree(3)
    assert s.derive(name, passes=()).agrees_with(s.derive("poincare"))


@pytest.mark.parametrize("passes", [("lend",), ("spread", "regroup", "hold", "rest"), ("slide", "regroup", "merge")])
@pytest.mark.parametrize("frame", ["tangent", "chord", "mean"])
def test_passes_leave_a_body_at_the_tip_where_it_is(frame: str, passes: tuple[str, ...]) -> None:
    """In the frame of the chord the tip turns in place: its mass belongs to the parent where the tip is."""
    s = ph.System("crane")
    boom = s.beam("boom", length=2, mass=s.parameter("m", 1), EI=3, modes=1, frame=frame)
    s.joint("slew", s.ground, boom, ph.Revolute("y"))
    s.joint("load", boom.at(2), s.body("load", 4, (1, 0, 0), (1, 2, 3)), "fixed")
    assert s.derive("newton_euler", passes=passes).agrees_with(s.derive("poincare"))


def test_a_body_that_time_moves_and_does_not_turn_keeps_its_constant_rotation() -> None:
    s = ph.System("carriage")
    arm = s.body("arm", 1, ("0.1", 0, 0), (1, 2, 3))
    s.joint("arm", s.ground, arm, ph.Revolute("y"))
    s.joint("shift", arm, s.body("box", 2, ("0.3", "0.2", 0), (1, 2, 3)), "fixed", at=(0, ph.sin(s.time), 0),
            rotation=("x", "0.4"))  # fmt: skip
    assert s.derive("kane").agrees_with(s.derive("newton_euler"))


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))


def arm() -> ph.System:
    s = ph.System("arm")
    boom = s.beam("boom", length=2, mass=s.parameter("m", 3), EI=40, modes=2, stiffening=True)
    s.joint("slew", s.ground, boom, ph.Universal("y", "z"))
    s.force(boom.at(2, static=False), (1, 2, 3))
    return s


def entry_scaled(of: str, a: int, b: int, i: int, j: int) -> Any:
    """A `flexibility` whose moment `of` has one entry wrong, and the entry that mirrors it."""
    right = Deformation.flexibility

    def wrong(self: Deformation, *given: Any) -> Flexibility:
        record = right(self, *given)
        if of == "first":
            first = [list(vector) for vector in record.first]
            first[a][i] = first[a][i] * 2
            return replace(record, first=tuple(map(ph.Vector, first)))
        second = [[[list(row) for row in G] for G in row] for row in record.second]
        assert second[a][b][i][j], "the entry to change vanishes"
        for at in {(a, b, i, j), (b, a, j, i)}:
            second[at[0]][at[1]][at[2]][at[3]] = second[at[0]][at[1]][at[2]][at[3]] * 2
        return replace(record, second=tuple(tuple(map(Matrix, row)) for row in second))

    return wrong


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize(
    ("of", "a", "b", "i", "j"),
    [
        ("first", 1, 0, 2, 0), ("first", 3, 0, 0, 0), ("second", 0, 0, 0, 0), ("second", 0, 1, 0, 2),
        ("second", 1, 1, 2, 2), ("second", 0, 3, 0, 0), ("second", 3, 3, 0, 0), ("second", 1, 4, 2, 0),
    ],
)  # fmt: skip
def test_a_wrong_entry_of_the_moments_is_noticed(
    of: str, a: int, b: int, i: int, j: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All formalisms take the moments, the reference the shapes themselves: so it notices what they have in common."""
    assert arm().compare(["newton_euler"], run=False, functions=()).reference
    monkeypatch.setattr(Deformation, "flexibility", entry_scaled(of, a, b, i, j))
    found = arm().compare(["newton_euler", "poincare"], run=False, functions=())
    assert not found.agree or not found.reference
    items = {finding.item for finding in found.reference.findings}
    assert items & {"mass matrix", "inverse dynamics", "kinetic energy", "potential energy", "applied effort"}


@pytest.mark.parametrize("seed", seeds((2, 3), of=12))
def test_energy_is_kept_where_nothing_is_damped(seed: int) -> None:
    s = random_flexible_tree(seed, time=False, loads=False)
    undamped = {name: 0 for name in s.parameters if name.startswith("zeta")}
    e = s.derive()
    rng = np.random.default_rng(seed)
    run = e.simulate(
        0.3, speeds={name: 0.1 * rng.normal() for name in e.speeds}, parameters=undamped, rtol=1e-11, atol=1e-11
    )
    assert run.energy_drift < 1e-9


@pytest.mark.parametrize(("frame", "stiffening"), [("tangent", False), ("chord", True), ("mean", True)])
def test_a_free_flexible_body_keeps_its_momenta_and_energy(frame: str, stiffening: bool) -> None:
    s = ph.System("satellite", gravity=(0, 0, 0))
    mast = s.beam(
        "mast", length=2, mass=3, EI=(40, 60), GJ=30, gyration="0.1", modes=1, frame=frame, stiffening=stiffening
    )
    s.joint("flight", s.ground, mast, "free")
    s.joint("panel", mast.at(2, static=False), s.body("panel", 1, (0, "0.4", 0), (1, 2, 3)), ph.Revolute("x"))
    e = s.derive()
    rng = np.random.default_rng(3)
    run = e.simulate(1, speeds={name: 0.5 * rng.normal() for name in e.speeds}, rtol=1e-11, atol=1e-11, samples=30)
    assert run.energy_drift < 1e-8
    for part in run.momentum:
        assert np.abs(part - part[:1]).max() < 1e-9 * np.abs(part).max()
