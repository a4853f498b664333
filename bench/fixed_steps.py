"""How fast fixed steps are: a double pendulum beside MuJoCo's rollout, and SciPy with rates by SymPy."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import sympy
from scipy.integrate import solve_ivp
from sympy.physics import mechanics as me

from polhode.compiled.functions import Functions
from polhode.errors import PolhodeError
from polhode.surface.equations import Equations

from .clock import least_times, seconds_of
from .motions import double_pendulum
from .plain_tree import Floats, as_mjcf, plain_tree
from .table import Timing

SECTION = "simulate"
STEP = 0.001
START = np.array([1.2, -0.7, 0.0, 0.0])
BATCH = 64
MOTION = 10.0
#: The states of a run of ours: of a start, or several, so many steps, and samples.
Run = Callable[..., Floats]
_LINKS = (("upper", 1, Fraction(1, 2), Fraction(1, 12)), ("lower", 1, Fraction(1, 2), Fraction(1, 12)))


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    equations = double_pendulum().derive()
    run = partial(_our_run, equations, equations.compile(bake=True))
    passes = 5 if quick else 40
    return [*_against_mujoco(run, passes, say), _against_scipy(run, max(3, passes // 4), say)]


def _our_run(equations: Equations, functions: Functions, start: Floats, steps: int, samples: int = 0) -> Floats:
    """The states of a run, or of several, at the ends of all steps, or at so many samples."""
    q, u = np.split(start, 2, axis=-1)
    run = equations.simulate(
        steps * STEP, start=q, speeds=u, method="rk4", step=STEP, samples=samples or steps + 1, functions=functions,
        progress=False, watch_energy=False,
    )  # fmt: skip
    return np.concatenate([run.q, run.u], axis=-1)


def _against_mujoco(run: Run, passes: int, say: Callable[[str], None]) -> list[Timing]:
    """RK4 with the same step, every state recorded by both, one thread."""
    import mujoco
    from mujoco import rollout

    say("MuJoCo's rollout")
    model = mujoco.MjModel.from_xml_string(as_mjcf(plain_tree(double_pendulum()), "RK4", STEP))
    data = mujoco.MjData(model)
    in_this_thread = rollout.Rollout(nthread=0)

    def their_run(start: Floats, steps: int) -> Floats:
        # A full physics state is time, positions, velocities.
        first = np.hstack([np.zeros((len(start), 1)), start])
        states, _ = in_this_thread.rollout(model, [data], first, nstep=steps)
        return np.asarray(states)[:, :, 1:]

    many = START + np.random.default_rng(2).uniform(-0.3, 0.3, (BATCH, 4))
    _check("MuJoCo", run(many, 1000)[:, 1:], their_run(many, 1000), 1e-7)
    least = least_times(
        {
            "ours": partial(_per_step, lambda: run(START, 50_000), 50_000),
            "theirs": partial(_per_step, lambda: their_run(START[None], 2_000), 2_000),
            "ours, many": partial(_per_step, lambda: run(many, 1_000), 1_000 * BATCH),
            "theirs, many": partial(_per_step, lambda: their_run(many, 50), 50 * BATCH),
        },
        passes,
    )
    case, peer = "double pendulum", "MuJoCo rollout"
    return [
        Timing(
            SECTION, case, "one RK4 step", least["ours"], peer, least["theirs"], least_ratio=30,
            note=f"{1e-6 / least['ours']:.1f} million steps a second",
        ),
        Timing(
            SECTION, case, f"one RK4 step, {BATCH} runs at once", least["ours, many"], peer, least["theirs, many"],
            note=f"{1e-6 / least['ours, many']:.1f} million steps a second",
        ),
    ]  # fmt: skip


def _per_step(call: Callable[[], object], steps: int) -> float:
    return seconds_of(call) / steps


def _against_scipy(run: Run, passes: int, say: Callable[[str], None]) -> Timing:
    """The same ten seconds, to the error that RK45 makes at 1e-8 or less."""
    say("SciPy with SymPy's right-hand side")
    rates = _rates_by_sympy()
    steps = round(MOTION / STEP)

    def theirs(tolerance: float = 1e-8, method: str = "RK45") -> Floats:
        found = solve_ivp(rates, (0.0, MOTION), START, method, rtol=tolerance, atol=tolerance)
        return np.asarray(found.y[:, -1])

    truth = theirs(1e-12, "DOP853")
    our_error, their_error = (float(np.max(np.abs(end - truth))) for end in (run(START, steps, 2)[-1], theirs()))
    if not our_error <= 1.5 * their_error:
        raise PolhodeError(f"our error {our_error:.1e} exceeds SciPy's {their_error:.1e}.", code="E-BENCH-007")
    least = least_times(
        {
            "ours": partial(seconds_of, lambda: run(START, steps)),
            "theirs": partial(seconds_of, theirs),
        },
        passes,
    )
    return Timing(
        SECTION, "double pendulum", "ten seconds of motion", least["ours"], "solve_ivp and SymPy", least["theirs"],
        note=f"errors {our_error:.0e} and {their_error:.0e}",
    )  # fmt: skip


def _rates_by_sympy() -> Callable[[float, Floats], Floats]:
    """Lagrange's equations by SymPy, as its users run them: `lambdify`, and a solve with M at each call."""
    q = me.dynamicsymbols("q1 q2")
    qd = [coordinate.diff() for coordinate in q]
    x = z = angle = sympy.Integer(0)
    energy = sympy.Integer(0)
    for (_, mass, half, inertia), coordinate in zip(_LINKS, q, strict=True):
        angle = angle + coordinate
        cx, cz = x - half * sympy.sin(angle), z - half * sympy.cos(angle)
        t = me.dynamicsymbols._t
        speed_squared = cx.diff(t) ** 2 + cz.diff(t) ** 2
        kinetic = mass * speed_squared / 2 + sympy.Rational(inertia) * angle.diff(t) ** 2 / 2
        energy += kinetic - mass * sympy.Rational(981, 100) * cz
        x, z = x - 2 * half * sympy.sin(angle), z - 2 * half * sympy.cos(angle)
    method = me.LagrangesMethod(energy, q)
    method.form_lagranges_equations()
    plain = sympy.symbols("a1 a2 b1 b2")
    shown = dict(zip([*qd, *q], [*plain[2:], *plain[:2]], strict=True))
    made = sympy.lambdify([plain], [part.subs(shown) for part in (method.mass_matrix, method.forcing)], cse=True)

    def rates(_: float, state: Floats) -> Floats:
        M, f = made(state)
        return np.concatenate([state[2:], np.linalg.solve(M, f.ravel())])

    return rates


def _check(peer: str, ours: Floats, theirs: Floats, tolerance: float) -> None:
    error = float(np.max(np.abs(ours - theirs)))
    if not error < tolerance:
        raise PolhodeError(f"our motion and that of {peer} differ by {error:.1e}.", code="E-BENCH-008")
