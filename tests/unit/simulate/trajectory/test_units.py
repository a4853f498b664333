"""Units of coordinates and speeds, where speeds depend on others or are known beforehand."""

import polhode as ph
from polhode.simulate.trajectory.units import coordinate_units, effort_units, speed_units


def sleigh() -> ph.System:
    s = ph.System("sleigh")
    body = s.body("sleigh", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    s.joint("ice", s.ground, body, ph.Planar(), speeds=["w", "v", "side"])
    s.joint("mast", body, s.body("mast", 1), ph.Revolute("y"))
    s.knife_edge("runner", body)
    return s


def test_units_of_embedded_prescribed_and_curve_coordinates() -> None:
    assert speed_units(sleigh().derive(independent=["v", "w", "mast"]).record) == ["rad/s", "m/s", "rad/s"]
    assert speed_units(sleigh().derive().record) == ["rad/s", "m/s", "m/s", "rad/s"]
    s = sleigh()
    s.prescribe("mast", ph.sin(s.time))
    made = s.derive()
    assert coordinate_units(made.record) == ["rad", "m", "m"] and speed_units(made.record) == ["rad/s", "m/s", "m/s"]
    assert effort_units(made.record) == ["N m", "N", "N"]
    s = ph.System("two beads")
    for name, curve in (("over x", lambda x: x**2), ("round", lambda a: (ph.cos(a), ph.sin(a)))):
        way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"))
        s.joint(name, s.ground, s.body(name, 1), way)
        s.roll_disc(f"wire {name}", name, 0, curve, slips=True)
    assert coordinate_units(s.derive().record) == ["m"] * 4 + ["m", "of a curve"]
