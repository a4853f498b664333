"""One contact problem by several formalisms."""

from dataclasses import replace

import numpy as np

import polhode as ph
from polhode.compare.contact import _Rows, contact_agreement
from polhode.compiled.functions import Functions
from polhode.formalisms.derivation import Derivation


def leg(mass: float = 1) -> ph.System:
    """A body with a hinged leg over a floor, with a stop and dry friction at the hinge."""
    s = ph.System("leg")
    trunk = s.body("trunk", mass, inertia=(0.01, 0.02, 0.03))
    s.joint("f", s.ground, trunk, ph.Free())
    shank = s.body("shank", 0.1, (0, 0, -0.1), inertia=(0.01, 0.01, 0.01))
    s.joint("hip", trunk, shank, ph.Revolute("y"), limits=(-0.3, 0.3), stop=0.5)
    s.friction("hip", 0.01)
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("toe", shank.point((0, 0, -0.2)), floor, friction=0.5)
    s.contact("knee", s.surface("skin", trunk, ph.Shape.sphere(0.1)), floor, friction=0.3)
    return s


def test_accelerations_with_contact_forces_are_those_of_every_formalism() -> None:
    compared = leg().compare(["kane", "poincare", "hamel"], run=False)
    assert compared.contacts is not None and compared.contacts.largest < 1e-10 and compared.contacts.states == 6
    assert "accelerations with contact forces by 3 formalisms agree" in compared.verdict and compared.agree
    wrong = contact_agreement(
        {name: Functions(Derivation(leg(mass).model(), name)) for name, mass in (("kane", 1), ("hamel", 1.001))}
    )
    assert not wrong and "DIFFER" in str(wrong)
    assert not replace(compared, contacts=wrong).agree


def test_held_rows_have_no_acceleration_where_gaps_are_closed() -> None:
    rows = _Rows(Functions(Derivation(leg().model())))
    for x, held in rows.closed_states():
        found, udot = rows.at(x), rows.accelerations(x, held)
        assert np.abs((found["rows"] @ udot + found["drift"])[held]).max() < 1e-7
        assert np.abs(found["gaps"]).min() < 1e-12 or held == [5]  # dry friction alone
