"""A beam's records: shapes, moments, stiffness, stations and frames."""

import pickle

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import Vector, evaluate

from .moments import array, frequencies, mass_and_stiffness, material, quadrature, values_of


def beam(**given: object) -> tuple[ph.System, ph.Body]:
    s = ph.System("crane")
    L, m, EI = s.parameter("L", 2), s.parameter("m", 3), s.parameter("EI", 40)
    return s, s.beam("boom", **{"length": L, "mass": m, "EI": EI, "modes": 2, **given})


VARIANTS = {
    "bending": {},
    "both planes, along y": {"EI": (40, 90), "axis": "y", "gyration": ("0.1", "0.2")},
    "all deformations": {"EA": 5000, "GJ": 30, "gyration": "0.1", "modes": 1},
    "shear": {"GA": 300, "gyration": "0.2"},
    "stiffening, down": {"stiffening": True, "axis": "-z"},
    "chord": {"frame": "chord", "stiffening": True},
    "mean axes": {"frame": "mean", "ends": ("free", "free"), "EA": 500},
}
variants = pytest.mark.parametrize("given", VARIANTS.values(), ids=VARIANTS)


@variants
@pytest.mark.parametrize("at", [(), (1,), (1, "1/3")], ids=["no station", "tip", "tip and a third"])
def test_moments_are_the_integrals_over_the_segments(given: dict[str, object], at: tuple[object, ...]) -> None:
    s, boom = beam(**given)
    for x in at:
        boom.at(s.parameters["L"].symbol * ph.expr.as_expr(x))
    values, record = values_of(s), material(s, "boom")
    b, G = quadrature(record, values)
    assert array(record.first, values) == pytest.approx(b, abs=1e-11)
    assert array(record.second, values) == pytest.approx(G, abs=1e-11)
    heavy = s.bodies["boom material"]
    com, mass = array(heavy.com, values), 3.0
    assert b[0] / mass == pytest.approx(com)
    central = G[0, 0] - mass * np.outer(com, com)
    assert array(heavy.inertia, values) == pytest.approx(np.trace(central) * np.eye(3) - central)


@variants
def test_a_station_is_where_its_segment_says_and_turns_with_its_slope(given: dict[str, object]) -> None:
    s, boom = beam(**given)
    L = s.parameters["L"].symbol
    near, here, far = (boom.at(L * ph.expr.as_expr(x), static=False) for x in ("0.6", "0.60001", "0.60002"))
    tip = boom.at(L)
    values, rng = values_of(s), np.random.default_rng(1)
    eta = 1e-6 * rng.normal(size=len(boom.q))

    def pose(body: ph.Body) -> tuple[np.ndarray, np.ndarray]:
        joint = s.model().joints[body.name]
        known = {
            **{s.parameters[key].symbol: value for key, value in values.items()},
            **dict(zip(boom.q, eta, strict=True)),
        }
        numbers = evaluate([*joint.in_parent.R.entries(), *joint.in_parent.p], known)
        return np.array(numbers[:9], dtype=float).reshape(3, 3), np.array(numbers[9:], dtype=float)

    R, _ = pose(here)
    assert pytest.approx(np.eye(3), abs=1e-15) == R @ R.T
    if "GA" not in given:  # a section stays normal to the centre line
        tangent = pose(far)[1] - pose(near)[1]
        axis = {"y": (0, 1, 0), "-z": (0, 0, -1)}.get(str(given.get("axis")), (1, 0, 0))
        assert R @ np.array(axis) == pytest.approx(tangent / np.linalg.norm(tangent), abs=1e-10)
    assert s.model().joints[tip.name].parent == "boom material"


def test_a_station_turns_by_its_slope_and_a_load_at_the_tip_bends_a_cantilever_exactly() -> None:
    s, boom = beam(modes=1)
    tip = boom.at(s.parameters["L"].symbol)
    slope = boom.q[2]
    assert slope.name == "boom_s1_ry"
    R = s.model().joints[tip.name].in_parent.R
    (cosine, sine) = evaluate([R[0, 0], R[0, 2]], {slope: 0.4})
    assert (cosine, sine) == pytest.approx((np.cos(2 * np.arctan(0.2)), np.sin(2 * np.arctan(0.2))))
    s, boom = beam(modes=2)
    L, EI = s.parameters["L"].symbol, s.parameters["EI"].symbol
    boom.at(L)
    (load,) = s.loads
    K = load.stiffness
    assert not any(K[i, j] for i in (0, 1) for j in (2, 3))
    compliance = ph.expr.Matrix([[K[2, 2], K[2, 3]], [K[3, 2], K[3, 3]]]).inv()
    assert compliance[0, 0] == L**3 / (3 * EI)
    assert compliance[0, 1] == -(L**2) / (2 * EI)  # the tip goes up and turns about -y
    assert compliance[1, 1] == L / EI


def test_shear_adds_to_the_deflection_under_a_load_as_timoshenko_says_and_modal_mass_is_diagonal_exactly() -> None:
    s = ph.System("crane")
    boom = s.beam("boom", length=2, mass=3, EI=40, GA=300, modes=1, gyration="0.1")
    boom.at(2)
    (load,) = s.loads
    K = array(load.stiffness, {})
    assert np.linalg.inv(K)[1, 1] == pytest.approx(2**3 / (3 * 40) + 2 / 300)
    s, boom = beam(modes=6, EI=(40, 50), EA=300)
    G = material(s, "boom").second
    count = len(boom.q)
    for i in range(1, count + 1):
        for j in range(1, i):
            assert sum((G[i][j][k, k] for k in range(3)), ph.expr.as_expr(0)) == 0


def test_the_frames_of_a_beam_differ_by_rigid_motion_alone() -> None:
    found = {}
    for frame in ("tangent", "chord", "mean"):
        s, boom = beam(frame=frame, modes=2)
        values = values_of(s)
        eta = dict(zip(boom.q, (1e-5, -2e-5), strict=True))
        tip = boom.at(s.parameters["L"].symbol, static=False)
        inboard, outboard = s.model().joints["boom elastic"].in_child, s.model().joints[tip.name].in_parent
        relative = inboard.inverse() @ outboard
        known = {**{s.parameters[key].symbol: value for key, value in values.items()}, **eta}
        found[frame] = np.array(
            evaluate([*map(ph.expr.as_expr, (*relative.p, *relative.R.entries()))], known), dtype=float
        )
    assert found["chord"] == pytest.approx(found["tangent"], abs=1e-8)
    assert found["mean"] == pytest.approx(found["tangent"], abs=1e-8)
    assert not np.allclose(found["chord"], found["tangent"], rtol=0, atol=1e-16)


def test_mean_axes_have_no_linear_or_angular_momentum_of_deformation() -> None:
    s, _ = beam(frame="mean", modes=3, ends=("clamped", "free"))
    record = material(s, "boom")
    for i in range(1, 4):
        assert not any(record.first[i])
        G = record.second[0][i]
        assert not any(G[j, k] - G[k, j] for j in range(3) for k in range(3))


def test_stations_keep_names_and_chords_pass_through_ends_and_a_pinned_inboard_end_turns_in_the_frame() -> None:
    s, boom = beam(frame="chord", modes=3)
    tip = boom.at(s.parameters["L"].symbol, static=False)
    assert s.model().joints[tip.name].in_parent.p[2] == 0 and not any(s.model().joints["boom elastic"].in_child.p)
    s, boom = beam(modes=2)
    before = boom.q
    boom.at(s.parameters["L"].symbol)
    assert boom.q[:2] == before and [q.name for q in boom.q[2:]] == ["boom_s1_z", "boom_s1_ry"]
    assert len(s.loads) == 1
    s, boom = beam(modes=3)
    L = s.parameters["L"].symbol
    tip, middle = boom.at(L), boom.at(L / 2)
    names = {q.name: q for q in boom.q}
    assert s.model().joints[tip.name].in_parent.p == Vector([L, 0, names["boom_s1_z"]])
    assert s.model().joints[middle.name].in_parent.p == Vector([L / 2, 0, names["boom_s2_z"]])
    s, boom = beam(ends=("supported", "guided"), axis="z", modes=1)
    assert boom.q[0].name == "boom_x1"
    R = s.model().joints["boom elastic"].in_child.R
    sine, cosine = evaluate([R[0, 2], R[0, 0]], {boom.q[0]: 0.1, s.parameters["L"].symbol: 2})
    slope = 0.1 * np.pi / 2 / 2  # of sin(π ξ / 2) at 0
    assert np.arctan2(sine, cosine) == pytest.approx(2 * np.arctan(slope / 2), rel=1e-6)


def test_a_station_that_only_looks_adds_no_coordinate_and_may_get_static_shapes_later() -> None:
    s, boom = beam(modes=2)
    L = s.parameters["L"].symbol
    looked = boom.at(L / 2, static=False)
    assert len(boom.q) == 2 and boom.at(L / 2) is looked and len(boom.q) == 4


def test_a_station_carries_a_joint_a_force_and_a_frame_and_damping_by_ratios_and_by_rayleigh() -> None:
    s, boom = beam()
    L = s.parameters["L"].symbol
    s.joint("slew", s.ground, boom, ph.Revolute("z"))
    s.joint("tip", boom.at(L), s.body("load", 1), ph.Revolute("y"))
    s.force(boom.at(L / 2), (0, 0, -1))
    s.frame("camera", boom.at(L))
    assert s.model().joints["tip"].parent == "boom at L" and s.frames["camera"].body == "boom at L"
    assert pickle.loads(pickle.dumps(s)).flexible["boom"].stations == s.flexible["boom"].stations
    s, _ = beam(damping="0.02", modes=3)
    M, K = mass_and_stiffness(s, "boom")
    (load,) = s.loads
    D = array(load.damping, values_of(s))
    assert np.diag(D) == pytest.approx(2 * 0.02 * np.sqrt(np.diag(K) * np.diag(M)))
    s, _ = beam(rayleigh=(0.1, 0.002), modes=3)
    (load,) = s.loads
    assert array(load.damping, values_of(s)) == pytest.approx(0.1 * M + 0.002 * K)
    u = s.model().joints["boom elastic"].u[0]
    (force,) = [each for each in load.loads(s.model()) if getattr(each, "index", None) == 0]
    assert u in ph.expr.free_symbols([force.value])


def test_a_pair_of_stiffnesses_is_about_the_axes_across() -> None:
    s = ph.System("crane")
    s.beam("boom", length=1, mass=1, EI=(10, 90), modes=1)
    plain = ph.System("plain")
    plain.beam("boom", length=1, mass=1, EI=10, bending="z", modes=1)
    assert [q.name for q in s.model().joints["boom elastic"].q] == ["boom_y1", "boom_z1"]
    assert frequencies(s, "boom")[0] == pytest.approx(frequencies(plain, "boom")[0])


@pytest.mark.parametrize(("given", "sentence"), [
    ({"modes": 0}, "the number of modes 0 is not a whole number"),
    ({"modes": {"z": 2, "y": 1}}, "there is no deformation 'y'"), ({"EI": None}, "its stiffness EI is missing"),
    ({"EI": -4}, "the stiffness 'z' -4 is not positive"), ({"mass": 0}, "the mass 0 is not positive"),
    ({"ends": ("free", "free")}, "the ends free and free leave the beam loose"),
    ({"ends": ("pinned", "free")}, "the ends pinned and free leave the beam loose"),
    ({"ends": ("clamped", "glued")}, "there is no ends 'glued'"), ({"axis": "w"}, "there is no axis 'w'"),
    ({"bending": "x"}, "it cannot bend along its axis x"), ({"GJ": 3}, "torsion needs the inertia of the sections"),
    ({"frame": "moving"}, "there is no frame 'moving'"),
    ({"damping": (0.1, 0.2, 0.3)}, "3 ratios of damping are given, not 2"),
    ({"damping": 0.1, "rayleigh": (1, 2)}, "damping is given by ratios and by Rayleigh"),
    ({"EJ": 3}, "there is no option 'EJ'"),
])  # fmt: skip
def test_what_no_beam_has_is_refused_in_a_sentence(given: dict[str, object], sentence: str) -> None:
    refused(sentence, lambda: beam(**given))


def test_stations_off_the_beam_shear_negative_damping_and_wrong_units_are_refused() -> None:
    s, boom = beam()
    L = s.parameters["L"].symbol
    refused("is off the beam", lambda: boom.at(L * 3 / 2), ModelError)
    refused("not a fixed fraction of the length", lambda: boom.at(1), ModelError)
    refused("not a fixed fraction of the length", lambda: boom.at(s.parameters["m"].symbol), ModelError)
    s = ph.System("crane")
    with pytest.raises(ModelError, match="whose values are not known"):
        s.beam("boom", length=1, mass=1, EI=s.parameter("EI"), GA=3, gyration="0.1")
    s = ph.System("crane")
    with pytest.raises(ModelError, match="beam 'boom': the EI EI is in N·m, not in N·m²"):
        s.beam("boom", length=2, mass=3, EI=s.parameter("EI", "8 kN m"))
    assert s.beam("boom", length=2, mass=3, EI=s.parameter("B", "8 kN m^2")).q
    s = ph.System("crane")
    refused("the mass m is not positive", lambda: s.beam("boom", length=1, mass=s.parameter("m", -1), EI=1), ModelError)
    assert list(s.bodies) == ["ground"]


def _ratios(s: ph.System, **parameters: float) -> list[float]:
    values = s.derive().linearize({}, parameters=parameters).eigenvalues(parameters)
    return [-value.real / abs(value) for value in values]


@pytest.mark.parametrize("parameters", [{}, {"L": 5, "m": 0.7, "EI": 3}], ids=["defaults", "other values"])
def test_one_ratio_damps_each_mode_by_it_also_with_static_shapes(parameters: dict[str, float]) -> None:
    s, boom = beam(damping="0.02")
    s.gravity = (0, 0, 0)
    s.joint("wall", s.ground, boom, "fixed")
    boom.at(s.parameters["L"].symbol)
    assert np.allclose(_ratios(s, **parameters), 0.02, rtol=1e-7)


@pytest.mark.parametrize("given", [{"damping": -1}, {"rayleigh": (0, -1)}], ids=["ratio", "Rayleigh"])
def test_negative_damping_is_refused(given: dict[str, object]) -> None:
    refused("the damping -1 is negative", lambda: beam(**given), ModelError)


@pytest.mark.parametrize("given", ["length", "mass", "EI", "damping"])
def test_a_beam_cannot_depend_on_coordinates(given: str) -> None:
    s = ph.System("crane")
    slide = s.joint("slide", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    with pytest.raises(ModelError, match="cannot depend on the coordinate 'slide'"):
        s.beam("boom", **{"length": 2, "mass": 3, "EI": 40, given: 1 + slide.q[0]})


def test_beams_depend_on_no_coordinates_and_stations_are_fractions_and_a_gravity_field_over_a_beam_is_refused() -> None:
    _, boom = beam(length="0.3")
    assert boom.at(0.1 + 0.2) is boom.at("0.3")
    _, boom = beam(length=1)
    assert boom.at(1 / 3) is boom.at("1/3")
    s, boom = beam()
    s.body("boom at L", 1)
    refused(
        "there is already a body, frame or surface of this name", lambda: boom.at(s.parameters["L"].symbol), ModelError
    )
    assert len(boom.q) == 2
    s, _ = beam()
    refused("rigid bodies, and 'boom material' bends", lambda: s.gravity_field(lambda r: (0, 0, -9)), ModelError)
    s = ph.System("crane")
    s.gravity_field(lambda r: (0, 0, -9))
    s.joint("wall", s.ground, s.beam("boom", length=2, mass=3, EI=40), "fixed")
    refused("rigid bodies, and 'boom material' bends", lambda: s.derive().forcing, ModelError)


def test_elastic_joints_are_not_coupled_and_bodies_that_bend_have_no_fixed_places() -> None:
    s, boom = beam(modes=1)
    s.joint("slew", s.ground, boom, ph.Revolute("z"))
    refused("has 1 elastic coordinates", lambda: s.couple("boom elastic", "slew", 2), ModelError)
    s, boom = beam()
    s.joint("root", s.ground, boom)
    with pytest.raises(ModelError, match=r"(?s)bends, and has no fixed places.*boom\.at"):
        s.force("boom material", (0, 0, 1), at=(1, 0, 0))
    refused("no point of it", lambda: s.bodies["boom material"].centre.velocity(), ModelError)
    with pytest.warns(UserWarning, match="those at the default values"):
        beam(GA=1000, gyration="0.05")


def test_nothing_drives_elastic_coordinates() -> None:
    from polhode.control import LQR, ComputedTorque

    s, boom = beam()
    s.gravity = (0, 0, 0)
    s.joint("slew", s.ground, boom, ph.Revolute("y"))
    equations = s.derive()
    assert LQR(equations.linearize({})).K.shape == (1, 6)
    with pytest.raises(ph.PolhodeError, match="underactuated: tau_slew drives all speeds but 'boom_z1' and 'boom_z2'"):
        ComputedTorque(equations, kp=1, kd=1)
