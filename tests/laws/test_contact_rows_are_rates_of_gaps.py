"""One contact problem by every formalism: gaps, rows and their drift, beside poses, differences and the reference."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.seeds import TRIAL

import polhode as ph
from polhode.model.constraints import Contact
from polhode.simulate.contact.mode_forces import all_rows

FORMALISMS = ("newton_euler", "kane", "poincare")


def _arm(touch: Callable[[ph.System, Any], object]) -> ph.System:
    s = ph.System("arm")
    base = s.body("base", 2, (0.1, 0.2, 0.3), inertia=(1, 1.1, 1.2))
    s.joint("free", s.ground, base, ph.Free())
    hand = s.body("hand", 1, (0, 0, 0.2), inertia=(0.1, 0.1, 0.1))
    s.joint("wrist", base, hand, ph.Revolute("y"), at=(0, 0, 0.5))
    touch(s, hand)
    return s


def _plane(s: ph.System) -> Any:
    return s.surface("floor", s.ground, ph.Shape.plane("z"), at=(0, 0, 0.1))


POINT = (0.1, 0.2, 0.3)
#: Contacts, and their gaps from the position of the touching point and the hand's origin.
TOUCHES = {
    "point on plane": (
        lambda s, hand: s.contact("touch", hand.point(POINT), _plane(s), friction=0.5),
        lambda point, origin: point[2] - 0.1,
    ),
    "sphere on plane": (
        lambda s, hand: s.contact("touch", s.surface("tip", hand, ph.Shape.sphere(0.2)), _plane(s), friction=0.5),
        lambda point, origin: origin[2] - 0.3,
    ),
    "sphere on sphere": (
        lambda s, hand: s.contact(
            "touch", s.surface("tip", hand, ph.Shape.sphere(0.2)), s.surface("dome", s.ground, ph.Shape.sphere(0.7)),
            friction=0.5,
        ),
        lambda point, origin: np.linalg.norm(origin) - 0.9,
    ),
    "point on box": (
        lambda s, hand: s.contact("touch", hand, s.surface("brick", s.ground, ph.Shape.box(0.2, 0.4, 0.6))),
        lambda point, origin: np.max(np.abs(origin) - (0.1, 0.2, 0.3)),
    ),
}  # fmt: skip


def _rates(e: ph.Equations, x: np.ndarray, of: str = "contact_rates") -> dict[str, np.ndarray]:
    functions, size = e._functions, len(e.speeds)
    made = functions.native(of).with_parameters(functions.parameter_values(of, {}))
    given = {"x": x[None, :], "tau": np.zeros((1, size)), "inputs": np.zeros((1, 0)), "t": np.zeros((1, 1))}
    values = made(*(np.ascontiguousarray(given[name]) for name in made.arrays))
    return {name: value[0] for name, value in zip(made.outputs, values, strict=True)}


@pytest.mark.parametrize("name", TOUCHES)
def test_formalisms_and_differences_agree(name: str) -> None:
    touch, gap = TOUCHES[name]
    s, rng = _arm(touch), np.random.default_rng(3)
    derived = [s.derive(formalism) for formalism in FORMALISMS]
    e, nq = derived[0], len(derived[0].coordinates)
    for _ in range(4):
        x = rng.uniform(-1, 1, nq + len(e.speeds))
        x[:4] /= np.linalg.norm(x[:4])
        found = _rates(e, x)
        size = len(found["velocities"])
        for other in derived[1:]:
            theirs = _rates(other, x)
            for part in ("gaps", "velocities", "rows", "responses", "drift", "laws", "xdot"):
                assert theirs[part] == pytest.approx(found[part], rel=1e-9, abs=1e-9), part
        rows, responses = (found[part].reshape(size, -1) for part in ("rows", "responses"))
        G = rows @ responses.T
        assert np.allclose(G, rows @ np.linalg.solve(e.compile().mass_matrix(x[:nq]), rows.T), rtol=1e-9)

        position, rotation = (np.asarray(part) for part in e.compile().pose("hand", x[:nq]))
        point = position + rotation @ POINT
        assert found["gaps"][0] == pytest.approx(gap(point, position), abs=1e-12)
        h = 1e-5
        ahead, behind = (
            _rates(e, np.concatenate([x[:nq] + side * h * found["xdot"][:nq], x[nq:]])) for side in (1, -1)
        )
        assert found["velocities"][0] == pytest.approx((ahead["gaps"][0] - behind["gaps"][0]) / (2 * h), abs=1e-7)
        assert found["drift"] == pytest.approx((ahead["velocities"] - behind["velocities"]) / (2 * h), abs=1e-6)
        if name == "point on plane":  # normal and tangents are axes of the plane
            places = [e.compile().pose("hand", x[:nq] + side * h * found["xdot"][:nq]) for side in (1, -1)]
            ends = [np.asarray(p) + np.asarray(R) @ POINT for p, R in places]
            v = (ends[0] - ends[1]) / (2 * h)
            assert found["velocities"] == pytest.approx([v[2], v[0], v[1]], abs=1e-7)


RIMS = {
    "disc on heights": (ph.Shape.disc(0.3), ph.Shape.heights(lambda x, y: ph.sin(x) / 10 + ph.cos(2 * y) / 10)),
    "cylinder on curve": (ph.Shape.cylinder(0.3, 0.2), ph.Shape.curve(lambda x: ph.sin(x) / 10)),
    "cylinder on box": (ph.Shape.cylinder(0.3, 0.2), ph.Shape.box(0.5, 0.6, 0.7)),
    "disc on box": (ph.Shape.disc(0.3), ph.Shape.box(0.5, 0.6, 0.7)),
}


@pytest.mark.parametrize("name", RIMS if TRIAL else ["disc on heights", "cylinder on curve", "disc on box"])
def test_rows_of_rims_agree_and_drift_as_velocities_change(name: str) -> None:
    shape, ground = RIMS[name]

    def touch(s: ph.System, hand: Any) -> None:
        s.contact("touch", s.surface("tip", hand, shape), s.surface("rock", s.ground, ground), friction=0.5)

    s, rng = _arm(touch), np.random.default_rng(4)
    compared = FORMALISMS if TRIAL or name == "cylinder on curve" else FORMALISMS[:1]
    derived = [s.derive(formalism) for formalism in compared]
    nq = len(derived[0].coordinates)
    for _ in range(4):
        x = rng.uniform(-1, 1, nq + len(derived[0].speeds))
        x[:4] /= np.linalg.norm(x[:4])
        found = _rates(derived[0], x)
        for other in derived[1:]:
            theirs = _rates(other, x)
            for part in ("gaps", "margins", "velocities", "rows", "responses", "drift"):
                assert theirs[part] == pytest.approx(found[part], rel=1e-9, abs=1e-7), part
        h = 1e-6
        ends = [
            _rates(derived[0], np.concatenate([x[:nq] + side * h * found["xdot"][:nq], x[nq:]])) for side in (1, -1)
        ]
        change = (ends[0]["velocities"] - ends[1]["velocities"]) / (2 * h)
        smooth = np.abs(ends[0]["velocities"] + ends[1]["velocities"] - 2 * found["velocities"]) < 1e-9
        assert smooth.mean() > 0.8  # elsewhere a normal jumps, or turns fast
        assert found["drift"][smooth] == pytest.approx(change[smooth], rel=1e-4, abs=1e-4)


def test_rows_by_the_twist_of_two_bodies_are_the_same() -> None:
    """Two boxes and a driven floor, beside a stop and a planar pair; rows of runs beside those of each group."""
    s, shapes = ph.System("boxes"), []
    for name, joint in (("a", ph.Free()), ("b", ph.Free()), ("c", ph.Planar("y"))):
        s.joint(name, s.ground, s.body(name, 1.5, (0.1, 0, 0.2), inertia=(1, 1.1, 1.2)), joint)
        seat = {"at": (0.1, 0.2, -0.1), "rotation": [("x", 0.3), ("z", 0.2)]} if name != "c" else {}
        shapes.append(s.surface(f"skin {name}", name, ph.Shape.box(0.4, 0.3, 0.2), **seat))
    lift = s.body("lift", 1)
    s.joint("lift", s.ground, lift, ph.Prismatic("z"))
    s.prescribe("lift", ph.sin(s.time))
    s.contact("pair", shapes[0], shapes[1], friction=0.5)
    s.contact("sole", shapes[2], s.surface("floor", lift, ph.Shape.plane()), friction=0.5)
    s.stop("c", 0, 1, index=0)
    e, rng = s.derive(), np.random.default_rng(5)
    known = e._functions.derivation.synopsis
    ends = [k for k, (name, *_) in enumerate(known.contacts) if name not in ("pair", "sole")]  # of the stop
    assert len(ends) == 2 and [k for k, (_, _, arm) in enumerate(known.contact_layout) if arm < 0] == ends
    for _ in range(20):
        x = rng.uniform(-1, 1, len(e.coordinates) + len(e.speeds))
        x[:4] /= np.linalg.norm(x[:4])
        x[7:11] /= np.linalg.norm(x[7:11])
        found, whole = all_rows(_rates(e, x, "contact_motion"), known), _rates(e, x)
        for part in ("gaps", "margins", "velocities", "rows", "responses", "drift", "laws", "xdot"):
            assert found[part].ravel() == pytest.approx(whole[part].ravel(), rel=1e-11, abs=1e-11), part


@pytest.mark.parametrize("name", TOUCHES)
def test_the_reference_derivation_agrees(name: str) -> None:
    made = _arm(TOUCHES[name][0]).compare(["newton_euler", "kane"], run=False)
    assert made.agree and "contact term γ" in made.reference.checked
    assert bool(made.reference.not_covered) == (name == "point on box")


def test_a_wrong_normal_velocity_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    s = _arm(TOUCHES["sphere on plane"][0])
    right = Contact.groups

    def wrong(contact: Contact, moving: Any) -> list[Any]:
        return [replace(g, rates=(2 * g.rates[0], *g.rates[1:])) for g in right(contact, moving)]

    monkeypatch.setattr(Contact, "groups", wrong)
    made = s.compare(["newton_euler"], run=False)
    assert not made.agree and "contact row A of 'touch' normal" in str(made.reference)
