"""The quintic between two states."""

from tests.refusals import refused

import polhode as ph
from polhode.expr import as_expr, evaluate, same, substitute, symbol, symbols
from polhode.planning import quintic


def test_a_quintic_has_the_given_values_and_derivatives_and_rests_at_its_end() -> None:
    t, T = symbol("t", "time"), symbol("T", "parameter")
    start, end = symbols("p v a"), symbols("P V A")
    made = quintic(t, start, end, T)
    jet = [made, made.diff(t), made.diff(t).diff(t)]
    assert same(substitute(jet, {t: as_expr(0)}), start) and same(substitute(jet, {t: T}), end)
    assert not made.diff(t).diff(t).diff(t).diff(t).diff(t).diff(t)
    t = symbol("t", "time")
    made = ph.planning.quintic(t, (1, 2, -3), (4, 0, 0), 2)
    jet = [made, made.diff(t), made.diff(t).diff(t)]
    for after in (2, 3, 100):
        assert evaluate(jet, {t: after}) == [4, 0, 0]
    inside = quintic(t, (1, 2, -3), (4, 0, 0), 2, hold=False)
    assert evaluate(jet, {t: 0.7}) == evaluate([inside, inside.diff(t), inside.diff(t).diff(t)], {t: 0.7})
    assert evaluate([inside], {t: 3}) != [4]


def test_a_quintic_that_ends_in_motion_goes_on_unless_held_as_a_controlled_slider_is() -> None:
    t = symbol("t", "time")
    assert float(quintic(t, (0, 0, 0), (1, 1, 0), 1).subs({t: 2})) != 1
    assert float(quintic(t, (0, 0, 0), (1, 1, 0), 1, hold=True).subs({t: 2})) == 1
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    e = s.derive()
    for t in (s.time, ph.symbol("t")):
        move = quintic(t, (0, 0, 0), (1, 0, 0), 2)
        run = e.simulate(3, controller=ph.control.ComputedTorque(e, kp=100, kd=20), reference=move, samples=31)
        assert abs(run.tracking_error["x"]).max() < 1e-8 and abs(run["x"][20:] - 1).max() < 1e-8


def test_a_quintic_takes_three_numbers_at_either_end_and_a_positive_duration() -> None:
    t, rest = symbol("t", "time"), (0, 0, 0)
    refused(r"\(0, 0\) is not a value, a velocity and an acceleration", lambda: quintic(t, (0, 0), rest, 1))
    for duration in (0, -1):
        refused(f"the duration {duration} is not positive", lambda T=duration: quintic(t, rest, (1, 0, 0), T))
