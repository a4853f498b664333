"""Sayers (1991): categories, speeds, and the sums of (40) to (46) taken as printed, on systems of every kind."""

import pickle

import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.errors import ModelError, PolhodeError
from polhode.expr import Matrix, Vector, as_expr, directional, jacobian, same, substitute, symbols
from polhode.formalisms.kane.bodies import parts_of
from polhode.formalisms.kane.literal import Literal
from polhode.geometry.elimination import factor_by_sparsity
from polhode.kinematics.tree import build_tree
from polhode.model.joints import JointType
from polhode.model.samples.random_system import random_system
from polhode.model.system import System
from polhode.papers.sayers.tables import kinematical_equations

FULL = [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]


def literal_of(system: System) -> Literal:
    return Literal(system.model(), build_tree(system.model()))


def assert_sums_as_printed_give_the_same_equations(system: System) -> None:
    """With u = D u* + e: M* = Dᵀ M D, and the bias is Dᵀ (bias + M u̇) where u̇ is what remains at u̇* = 0."""
    other, method = system.derive("composite_body"), literal_of(system)
    own, D = method.own_speeds, method.slopes
    assert same(jacobian(list(own), list(method.speeds)).entries(), D.entries())
    M = other.mass_matrix
    assert same((D.T @ M @ D).map(as_expr).entries(), method.mass_matrix().entries())
    flow = {**dict(zip(other.q, method.coordinate_rates, strict=True)), system.time: as_expr(1)}
    remainder = Vector(directional(list(own), flow))
    meanings = {u: value for u, value in zip(other.u, own, strict=True) if u is not value}
    bias = Vector(substitute(list(other.bias), meanings)) + M @ remainder
    assert same([as_expr(entry) for entry in D.T @ bias], [-entry for entry in method.forcing()])


@pytest.mark.parametrize("seed", seeds(7, of=40))
def test_sums_as_printed_agree_on_random_systems(seed: int) -> None:
    assert_sums_as_printed_give_the_same_equations(random_system(seed, bodies=4, max_speeds=9))


def carried(prescribed: bool = False) -> System:
    """A turning arm that carries a free body with a plate that slides and turns on it."""
    system = ph.System("carried")
    a = system.parameter("a", 1)
    arm = system.body("arm", 1, (a, 0, 0), (1, 2, 2))
    flyer = system.body("flyer", 2, (0, a, 0.3), FULL)
    plate = system.body("plate", 1, (0.1, 0.2, 0.3), (1, 1, 1.5))
    system.joint("hinge", system.ground, arm, ph.Revolute("z"))
    system.joint("loose", arm, flyer, ph.Free("313"), at=(1, 0, 0))
    system.joint("slide", flyer, plate, ph.Planar("z"), at=(0, 1, 0))
    system.torque("plate", (0.3, 0.1, a))
    system.spring("arm", "plate", 3, 1, 0.2)
    if prescribed:
        system.prescribe("hinge", ph.sin(a * system.time))
    return system


@pytest.mark.parametrize("prescribed", [False, True])
def test_a_free_body_on_a_moving_parent_has_absolute_speeds(prescribed: bool) -> None:
    system = carried(prescribed)
    assert_sums_as_printed_give_the_same_equations(system)
    flyer = literal_of(system).parts[1]
    assert (flyer.translation, flyer.rotation) == ("nonrecursive", "nonrecursive")


@pytest.mark.parametrize("moved", [ph.Prismatic("x"), ph.Revolute("y"), ph.Screw("z", 0.3)], ids=lambda of: of.kind)
def test_motion_given_in_time_is_part_of_the_remainders(moved: JointType) -> None:
    """ω_t and v_t of (30), which the paper leaves out, for a rotor on a driven joint and an arm on the rotor."""
    system = ph.System("driven")
    cart = system.body("cart", 1, (0.1, 0.2, 0.3), FULL)
    wheel = system.body("wheel", 2, (0, 0, 0.5), (2, 2, 3))
    system.joint("rock", system.ground, system.body("base", 1, (0, 1, 0), FULL), ph.Revolute((1, 2, 2)))
    system.joint("drive", "base", cart, moved)
    system.joint("spin", cart, wheel, ph.Revolute("z"), at=(0, 1, 0), rotation=("x", 0.4))
    system.joint("swing", wheel, system.body("arm", 1, (0, 0.3, 1), FULL), ph.Revolute("x"), at=(0.5, 0, 0))
    system.prescribe("drive", ph.sin(2 * system.time))
    assert_sums_as_printed_give_the_same_equations(system)
    system.prescribe("spin", system.time**3)
    assert_sums_as_printed_give_the_same_equations(system)
    assert system.derive("kane").agrees_with(system.derive("poincare"))


def test_followers_share_a_speed_and_agree() -> None:
    system = ph.System("geared")
    one = system.body("one", 1, (0.5, 0, 0), (1, 1, 1))
    two = system.body("two", 2, (0.3, 0.2, 0), FULL)
    system.joint("a", system.ground, one, ph.Revolute("z"))
    system.joint("b", one, two, ph.Revolute("x"), at=(1, 0, 0))
    system.couple("b", "a", multiplier=-2)
    assert_sums_as_printed_give_the_same_equations(system)
    assert system.derive("kane").agrees_with(system.derive("newton_euler"))


def test_equation_22_needs_the_velocity_of_the_point_of_the_parent() -> None:
    """As printed, (22) subtracts v^A0 alone; with a parent that turns, ω^A × r^A0B0 is missing."""
    method = literal_of(carried())
    q, rates = method.tree.q, method.coordinate_rates
    flow = dict(zip(q, rates, strict=True))
    X = method.equations().pose("flyer")
    part, move = method.parts[1], method.translational[1]
    position = [as_expr(entry) for entry in X.point(part.centre)]
    assert same(directional(position, flow), [as_expr(entry) for entry in X.R @ move.v])
    link = part.link
    missing = method.rotational[0].w.cross(link.X.p)
    rates_of_position = [rates[k] for k in link.coordinates[3:]]
    printed = [as_expr(a + b) for a, b in zip(rates_of_position, link.fixed.R.T @ missing, strict=True)]
    assert not same(printed, rates_of_position)
    wrong = flow | dict(zip([q[k] for k in link.coordinates[3:]], printed, strict=True))
    assert not same(directional(position, wrong), [as_expr(entry) for entry in X.R @ move.v])


@pytest.mark.parametrize("seed", seeds(4, of=12))
def test_rates_solve_the_kinematical_equations(seed: int) -> None:
    """S q̇ = v, (1); S is a Gram matrix of directions where a body is nonrecursive."""
    method = literal_of(random_system(seed, bodies=3, joints=("free", "spherical", "planar", "compound", "revolute")))
    S, v = kinematical_equations(method)
    assert same([as_expr(entry) for entry in S @ method.coordinate_rates], v)
    assert same(S.T.entries(), S.entries())


def test_skew_translations_of_a_nonrecursive_body_have_a_gram_matrix() -> None:
    """(23): rows are dotted with directions that are not orthogonal."""
    system = ph.System("skew")
    directions = [(0.6, 0.8, 0), (0, 0, 1), (0, 1, 0)]
    body = system.body("body", 1, (0, 0, 0), FULL)
    system.joint("slide", system.ground, body, ph.BuildingBlock(directions))
    method = literal_of(system)
    S, v = kinematical_equations(method)
    gram = [sum(a * b for a, b in zip(one, other, strict=True)) for one in directions for other in directions]
    assert same(S.entries(), [as_expr(round(entry, 12)) for entry in gram])
    u = Vector(method.speeds)
    assert same(v, [as_expr(u.dot([as_expr(x) for x in direction])) for direction in directions])
    assert same([as_expr(entry) for entry in S @ method.coordinate_rates], v)


def categories(system: System) -> list[tuple[str, str]]:
    return [(part.translation, part.rotation) for part in parts_of(system, build_tree(system))]


def test_table_5_a_planar_body_on_the_ground_is_nonrecursive_and_on_a_swing_is_not() -> None:
    system = ph.System("plates")
    for place, name in enumerate(("lower", "upper", "hung")):
        system.body(name, 1, (0.1 * place, 0.2, 0), FULL)
    system.joint("a", system.ground, "lower", ph.Planar("z"))
    system.joint("b", "lower", "upper", ph.Planar("z"))
    system.joint("c", "upper", system.body("swing", 1, (0, 1, 0), FULL), ph.Revolute("x"))
    system.joint("d", "swing", "hung", ph.Planar("z"))
    assert [translation for translation, _ in categories(system)] == [
        "nonrecursive", "nonrecursive", "recursive", "recursive",
    ]  # fmt: skip
    assert_sums_as_printed_give_the_same_equations(system)


def test_table_6_a_rotor_has_equal_moments_across_its_axis() -> None:
    system = ph.System("rotors")
    for name, inertia in (("round", (2, 2, 3)), ("flat", (1, 2, 2.5)), ("tilted", FULL)):
        system.body(name, 1, (0, 0, 1), inertia)
        system.joint(name, system.ground, name, ph.Revolute("z"))
    system.joint("weld", system.ground, system.body("rail", 1, (1, 2, 3), FULL), ph.Prismatic("x"))
    assert categories(system) == [
        ("fixed", "rotor"),
        ("fixed", "recursive"),
        ("fixed", "recursive"),
        ("recursive", "rotor"),
    ]


def test_masses_that_do_not_move_in_the_parent_are_counted_there() -> None:
    """(15) and (16) through two generations: a wheel on a wheel, both centred on their axes."""
    system = ph.System("wheels")
    m1, m2, m3 = (system.parameter(name, 1) for name in ("m1", "m2", "m3"))
    base = system.body("base", m1, (0, 1, 0), FULL)
    wheel = system.body("wheel", m2, (0, 0, 2), FULL)
    hub = system.body("hub", m3, (0, 0, 3), (1, 1, 2))
    system.joint("swing", system.ground, base, ph.Revolute("x"))
    system.joint("turn", base, wheel, ph.Revolute("z"), at=(4, 0, 0))
    system.joint("spin", wheel, hub, ph.Revolute("z"), at=(0, 0, 1))
    first = parts_of(system, build_tree(system))[0].composite
    assert same([first.mass], [m1 + m2 + m3])
    whole = m1 + m2 + m3
    assert same(first.centre, [4 * (m2 + m3) / whole, m1 / whole, (2 * m2 + 4 * m3) / whole])
    assert_sums_as_printed_give_the_same_equations(system)


def test_sparse_elimination_solves_any_symmetric_matrix_and_names_what_moves_nothing() -> None:
    a, b, c, d = symbols("a b c d")
    M = Matrix([[a, 0, b, 0], [0, c, 0, d], [b, 0, d, a], [0, d, a, b]])
    names = ["w", "x", "y", "z"]
    found = factor_by_sparsity(M, [0, 1, 2, 3], names).solve([1, a, b, 0])
    assert same([as_expr(entry) for entry in M @ found], [1, a, b, 0])
    with pytest.raises(ModelError, match=r"(?s)'y'.*E-MODEL-SINGULAR"):
        factor_by_sparsity(Matrix([[a, 0, 0], [0, c, 0], [0, 0, a - a]]), [0, 1, 2], ["w", "x", "y"])


def test_the_tables_are_kane_s_alone() -> None:
    with pytest.raises(PolhodeError, match=r"(?s)'auto' has no tables.*E-DERIVE-UNSUPPORTED"):
        carried().derive(tables=True)
    with pytest.warns(DeprecationWarning, match="sayers_tables"):
        assert carried().derive("kane", report=True).report.table_2.bodies


def test_letters_of_the_paper_make_way_for_the_user_s_names() -> None:
    system = ph.System("named")
    P1, Z1 = system.parameter("P1", 1), system.parameter("Z1", 2)
    base = system.body("base", P1, (0, 0, 1), FULL)
    system.joint("turn", system.ground, base, ph.Revolute("x"))
    system.joint("spin", base, system.body("hub", Z1, (0, 0, 3), (1, 1, 2)), ph.Revolute("z"))
    report = system.derive("kane").sayers_tables
    assert [constant.name for constant in report.constants] == ["PP1"]
    assert report.cell_text(report.table_2.cell("Mass center of composite body", "B")) == "0, 0, PP1"
    assert "ZZ1 = " in str(report)


def test_bodies_keep_their_letters_and_others_get_the_first_free_from_their_initial() -> None:
    system = ph.System("letters")
    parent = system.ground
    for name in ("arm", "N", "wheel", "b", "wing", "A"):
        parent = system.joint(name, parent, system.body(name, 1, (0, 1, 0), FULL), ph.Revolute("x")).child
    report = system.derive("kane").sayers_tables
    assert report.table_2.bodies == ("C", "O", "W", "B", "X", "A")
    assert report.cell_text(report.table_2.cell("Unit vectors", "A")) == "n1, a2, a3"


@pytest.mark.parametrize(
    ("names", "letters"), [("aA", "BA"), ("Aa", "AB"), ("bBc", "DBC"), ("NnQU", "OPRV"), ("zYx", "ZYX")]
)
def test_a_capital_keeps_its_letter_before_a_small_one_and_n_is_the_ground_s(names: str, letters: str) -> None:
    system = ph.System("letters")
    for name in names:
        system.joint(f"to {name}", system.ground, system.body(name, 1, (0, 1, 0), FULL), ph.Revolute("x"))
    assert "".join(system.derive("kane").sayers_tables.table_2.bodies) == letters


def test_tables_are_those_of_the_whole_equations() -> None:
    with pytest.raises(PolhodeError, match=r"(?s)the paper.s tables .* whole equations.*E-DERIVE-UNSUPPORTED"):
        carried().derive("kane", tables=True, small=["slide"])


def test_a_report_pickles() -> None:
    report = carried().derive("kane").sayers_tables
    again = pickle.loads(pickle.dumps(report))
    assert str(again) == str(report)


@pytest.mark.parametrize("seed", seeds(3, of=8))
def test_every_report_can_be_written_and_its_variables_mean_what_they_stand_for(seed: int) -> None:
    system = random_system(seed, bodies=3, max_speeds=8)
    report = system.derive("kane").sayers_tables
    notation = report.notation
    for entries in (notation.entries, notation.rates, notation.sums):
        shown = [notation.shown(entry) for entry in entries]
        assert same(report.written_out(shown), substitute(entries, report.constants))
    his = system.derive("kane", speeds="sayers")
    assert same(report.written_out(report.mass_matrix.entries()), his.mass_matrix.entries())
    assert same(report.written_out(report.forcing), his.forcing)
    assert report.latex().count(r"\begin{tabular}") == 3
    assert str(report).startswith("Table 2. Body and joint properties")
    assert {*report.as_json()} == {"tables", "equations", "mass_matrix", "forcing", "variables", "operations"}
