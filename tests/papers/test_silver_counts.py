"""Silver, section 1: what lies between 852 / 738, printed for Luh's recursion, and the count of Silver's own lines.

Both counts are a pencil's, on an arm of which nothing is known. Each convention that makes them differ is dropped in
turn, and the recursion counted again.
"""

from itertools import pairwise
from typing import Any

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.model.samples import four_bar
from polhode.papers.silver import (
    Formula,
    OwnLadder,
    Reading,
    as_written,
    differences,
    fitted,
    general_arm,
    ladder_of,
    puma_like_arm,
)
from polhode.papers.silver.counts import FORMALISMS


def test_the_recursion_with_every_convention_takes_both_printed_formulas() -> None:
    assert Reading().growth == (Formula.of(150, -48), Formula.of(131, -48))


def test_without_them_it_is_silver_s_but_for_sums_that_serve_sliding_joints() -> None:
    bare = Reading(either_joint=False, far_frames=False, axis_turned=False, first_link_full=False)
    for n in range(1, 8):
        count, silver = bare.count(n), as_written("silver", n)
        assert silver.multiplications == count.multiplications
        assert silver.additions - count.additions == 4 * (n - 1)


def test_each_line_saves_and_the_last_adds_what_silver_s_lines_do_for_any_joint() -> None:
    counts = [each.count for each in differences(6)]
    assert (str(counts[0]), str(counts[-1])) == ("852 / 738", "618 / 515")
    pairs = list(pairwise(counts))
    saved = [(a.multiplications - b.multiplications, a.additions - b.additions) for a, b in pairs]
    assert saved == [(36, 72), (18, 33), (128, 88), (52, 50), (0, -20)]


@pytest.mark.parametrize("one", ["either_joint", "far_frames", "axis_turned"])
def test_no_convention_can_be_left_out_of_the_printed_count(one: str) -> None:
    assert Reading(**{one: False}).growth != Reading().growth


@pytest.fixture(scope="module")
def four_hinges() -> OwnLadder:
    return ladder_of(general_arm(4))


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_one_s_own_arm_without_zeros_costs_what_a_general_one_does(four_hinges: OwnLadder, formalism: str) -> None:
    """Hinges in a row: as papers count, that is all there is to know of it."""
    arm = four_hinges[formalism]
    assert arm.written == as_written(formalism, 4)
    assert arm.with_zeros is not None
    assert arm.written is not None
    assert arm.planned is not None
    assert arm.with_zeros.multiplications < arm.written.multiplications
    assert arm.planned.multiplications < arm.with_zeros.multiplications
    assert arm.planned.additions < arm.with_zeros.additions


ANCESTORS = ("stepanenko_vukobratovic", "orin", "silver")  # the order of section 1.3


def test_section_1_3_each_successor_refers_more_to_the_links_and_costs_less() -> None:
    growth = [
        tuple(
            str(fitted([getattr(as_written(name, n), part) for n in range(1, 6)])) for part in vars(as_written(name, 1))
        )
        for name in ANCESTORS
    ]
    assert growth == [("192n - 66", "155n - 75"), ("168n - 84", "141n - 87"), ("122n - 114", "104n - 109")]
    for system in (general_arm(5), puma_like_arm(), fork(driven=False)):
        own = ladder_of(system)
        for part in ("written", "with_zeros", "planned"):
            found = [getattr(own[name], part) for name in ANCESTORS]
            totals = [count.multiplications + count.additions for count in found]
            assert totals == sorted(totals, reverse=True)


def test_the_multiplications_of_a_further_link_by_hand() -> None:
    alike = (6 + 12) + (6 + 12 + 3) + (9 + 9 + 6) + 6 + 6  # v̇ over the offset, F, N, c × F, p × f
    outward = 27 + 9 + 3 + 3 + 6  # W, p, ẑ q̇, ẑ q̈ and ω × ẑ q̇ in the ground's components
    by_hand = {
        "stepanenko_vukobratovic": alike + outward + 9 + 54 + 3 + 3,  # c, W I Wᵀ, m g, ẑ · n
        "orin": alike + outward + 27 + 18,  # ω, ω̇, v̇ - g to the link; f, n to the link before
        "silver": alike + 27 + 2 + 18,  # ω, ω̇, v̇ from link to link, ω × ẑ q̇; f, n
    }
    for name, number in by_hand.items():
        assert as_written(name, 5).multiplications - as_written(name, 4).multiplications == number


def fork(driven: bool) -> ph.System:
    """A slide with two hinged arms beside each other."""
    s = ph.System("fork")
    rail = s.body("rail", 1, (1, 2, 3), (3, 4, 5))
    s.joint("slide", s.ground, rail, ph.Prismatic("x"))
    for name in ("left", "right"):
        s.joint(name, rail, s.body(f"{name} arm", 1, (1, 0, 0), (1, 1, 1)), ph.Revolute("z"), at=(0, 1, 0))
    if driven:
        s.prescribe("slide", ph.sin(s.time))
    s.joint_spring("left", 3)
    return s


def test_a_branched_tree_with_a_slide_is_counted_and_nothing_printed_is_claimed_for_it() -> None:
    made = ladder_of(fork(driven=False))
    assert made.joints == 3
    assert all(rung.printed is None for rung in made.rungs)
    silver = made["silver"].written
    assert silver is not None
    assert silver.multiplications < as_written("silver", 3).multiplications  # no link is turned by two joints before it


def test_a_driven_base_is_counted_too() -> None:
    made = ladder_of(fork(driven=True))
    assert made.joints == 2
    assert all(rung.with_zeros is not None and rung.planned is not None for rung in made.rungs)


def test_loads_are_no_part_of_the_count() -> None:
    bare = fork(driven=False)
    loaded = fork(driven=False)
    loaded.joint_spring("right", 5)
    assert ladder_of(loaded).rungs == ladder_of(bare).rungs


def test_the_ladder_of_a_mechanism_is_a_table_and_plain_data() -> None:
    made = ladder_of(fork(driven=False))
    assert made.table()[0] == ("method", "printed", "as written", "with its zeros", "planned")
    assert "Uicker, Kahn" in str(made)
    record = made.as_json()
    silver = next(rung for rung in record["rungs"] if rung["formalism"] == "silver")
    assert silver["with zeros"]["multiplications"] > 0
    assert silver["printed"] is None


def test_loops_and_joints_of_several_freedoms_are_refused() -> None:
    with pytest.raises(PolhodeError, match="open chains and trees"):
        ladder_of(four_bar())
    s = ph.System("ball")
    s.joint("socket", s.ground, s.body("ball", 1, (0, 0, 1)), ph.Spherical())
    with pytest.raises(PolhodeError, match="joint 'socket': every method of the ladder"):
        ladder_of(s)


@pytest.mark.parametrize("given", [None, 3, "x"])
def test_what_is_no_system_is_not_counted(given: Any) -> None:
    with pytest.raises(PolhodeError, match="is not a system"):
        ladder_of(given)


def test_nothing_to_move_is_not_counted() -> None:
    with pytest.raises(PolhodeError, match="there is no joint to count operations of"):
        ladder_of(ph.System("empty"))


@pytest.mark.parametrize("given", [None, 1.5, "6", 1, 0, -1])
def test_differences_are_of_two_joints_or_more(given: Any) -> None:
    with pytest.raises(PolhodeError, match="is not two joints or more"):
        differences(given)
