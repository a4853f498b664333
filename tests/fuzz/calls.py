"""Cases from calls: every public call with arguments that are sound, odd, of the wrong type, or in the wrong order."""

import inspect
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from tests.fuzz.case import Case
from tests.fuzz.mutate import WORDS

import polhode as ph
from polhode.compiled.functions import Functions
from polhode.simulate import Trajectory

#: Arguments as text: what a tired engineer, another library or an enemy might hand over.
HOSTILE = [
    "None", "True", "5", "-1", "0", "1.5", "-2.5", "1e300", "-1e300", "1e-300", "float('nan')", "float('inf')",
    "10**400",
    "''", "'x'", "'-z'", "'no such'", "'a'", "'hinge'", "'ground'", "'tip'", "[]", "()", "{}", "[1]", "(1, 2)",
    "[1, 2, 3]",
    "(0, 0, 1)", "(0, 0, 0)", "(0, 0, 1e300)", "(1e-200, 0, 0)", "object()", "b'x'", "1j", "...", "{'x'}", "range(3)",
    "iter([1, 2, 3])", "lambda *given: given", "lambda *given: None", "lambda: 1",
    "[None, 1, 2]",
    "['a', 'b', 'c']", "{'hinge': 1}", "{'hinge': 'x'}", "{'hinge': None}", "{1: 2}", "{'m': -1}", "{None: None}",
    "np.zeros(3)", "np.zeros((3, 3))", "np.eye(3)", "np.array(['a'])", "np.float64(2)", "np.int64(3)", "np.nan",
    "np.array(1)",
    "Fraction(1, 3)", "Fraction(10)**400", "'1.02'", "'1/3'", "'m'", "ph", "ph.System", "ph.System('other').ground",
    "ph.symbol('w')", "ph.pi", "ph.sqrt(2)", "ph.symbol('hinge', 'coordinate')", "m", "s", "a", "b", "tip", "hinge",
    "hinge.q[0]", "hinge.u[0]", "a.x", "b.origin", "a.centre", "s.time", "ph.Revolute('x')", "ph.Free()",
    "ph.Fixed()",
    "ph.Shape('box', (1, 1, 1))", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "[[1, 2], [3, 4]]", "[[1, 2, 3], [4, 5]]",
    "[('z', 0.3)]", "[('z',)]", "[('z', 'x')]", "('z', 0.3)", "{'x': 1, 'y': 2}", "[0] * 7", "[[0] * 3] * 3",
    "[[0]] * 6",
    "np.zeros((6, 2))", "[[]]", "[[[]]]", "'quaternion'", "'321'", "'xyz'", "(1, 2, 3)", "[0.1, 0.2, 0.3]",
    *(repr(word) for word in WORDS),
]  # fmt: skip

#: Sound arguments by the names of parameters.
SOUND: dict[str, list[str]] = {
    "name": ["'new'", "'another'", "'with space'"],
    "mass": ["1", "2.5", "m"], "com": ["(0, 0, 1)", "[0, 0, m]"], "inertia": ["(1, 1, 1)", "0", "ph.box(1, 1, 1, 1)"],
    "body": ["a", "'b'"], "on": ["a", "b", "'b'", "s.ground"], "parent": ["a", "s.ground"], "child": ["c", "'c'"],
    "kind": ["ph.Revolute('x')", "'prismatic'", "ph.Spherical()"], "joint": ["hinge", "'slide'"],
    "a": ["a", "s.ground"],
    "b": ["b", "'b'"], "at": ["(0, 0, 1)"], "rotation": ["None", "[('z', 0.3)]"], "axis": ["'x'", "(0, 1, 0)"],
    "value": ["1", "m", "hinge.u[0]"], "vector": ["(1, 0, 0)", "a.x"], "index": ["0"], "radius": ["1", "m"],
    "follower": ["slide"], "leader": ["hinge"], "wheel": ["b"], "ball": ["b"], "disc": ["b"], "frame": ["None", "a"],
    "coordinates": ["None", "['new q']", "{'hinge': 0.3}"], "speeds": ["None", "['new u']", "{'hinge': 1}"],
    "formalism": ["'auto'", "'newton_euler'", "'poincare'"], "constraints": ["'multipliers'", "'embedded'"],
    "law": ["lambda *given: 1", "lambda p: (0, 0, p[0])", "lambda l, r: l"], "curve": ["lambda x: x**2"],
    "energy": ["hinge.q[0]**2"], "motion": ["s.time", "0"], "stiffness": ["1", "m"], "shapes": ["()"],
    "q": ["[0.1, 0.2]", "np.zeros((4, 2))"], "u": ["[0.1, 0.2]"], "tau": ["[0, 0]"], "udot": ["[0, 0]"],
    "duration": ["0.01"], "t": ["0.005", "[0, 0.01]"], "H": ["np.eye(6)[:, :1]"], "groups": ["None", "(1,)"],
    "backend": ["'numpy'"], "cache": ["False"], "path": ["folder / 'x'"], "target": ["'c'", "'numpy'"],
    "of": ["'bias'"],
    "size": ["(1, 1, 1)"], "length": ["1"], "axes": ["'zyx'"], "storage": ["'quaternion'", "'321'"],
    "directions": ["('x',)"],
    "rows": ["[(0, 0, 1, 0)]"], "convention": ["'classic'"], "gravity": ["(0, 0, -10)"], "system": ["None"],
    "x": ["hinge.q[0]", "1"], "y": ["m", "2"], "expression": ["hinge.q[0]"], "equations": ["e"],
}  # fmt: skip

START = (
    "s = ph.System('fuzz')",
    "m = s.parameter('m', 2)",
    "a = s.body('a', mass=1, com=(0, 0, 1), inertia=(1, 1, 1))",
    "b = s.body('b', mass=m, inertia=(1, 1, 1))",
    "c = s.body('c', mass=1)",
    "hinge = s.joint('hinge', s.ground, a, ph.Revolute('y'))",
    "slide = s.joint('slide', a, b, ph.Prismatic('x'))",
    "tip = s.frame('tip', b, (0, 0, 1))",
)
DERIVED = ("_ = s.joint('weld', b, c, 'fixed')", "e = s.derive()")
COMPILED = (*DERIVED, "f = e.compile(cache=False, backend='numpy')")
SIMULATED = (*COMPILED, "r = e.simulate(0.01, samples=3, method='rk4', step=0.005)")

#: Given now and then to calls that take any option.
_OPTIONS = ("foo", "parameters", "inputs", "t", "start", "speeds", "method", "step", "samples", "rtol", "axis", "at")
#: Made by others: results, and a tuple by another name.
_NOT_CALLED = {"Equations", "Vector"}
#: Calls that only draw, or that reach far: left to tests of their own.
_LEFT_OUT = {"animate", "plot", "keeping", "native", "compiled", "mro"}


#: The functions of numbers say only that they take any number of arguments.
_COUNTS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(
        [
            "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "absolute",
            "sign", "floor",
        ],
        lambda x: x,
    ),
    **dict.fromkeys(("atan2", "minimum", "maximum"), lambda x, y: x),
}  # fmt: skip


@cache
def targets() -> list[tuple[str, tuple[str, ...], float, list[inspect.Parameter]]]:
    """What can be called: its text, what must stand before it, how often, and its parameters."""
    found: list[tuple[str, tuple[str, ...], float, list[inspect.Parameter]]] = []

    def add(text: str, before: tuple[str, ...], weight: float, call: Callable[..., Any], bound: bool = False) -> None:
        try:
            parameters = list(inspect.signature(call).parameters.values())
        except (TypeError, ValueError):
            return
        found.append((text, before, weight, parameters[1:] if bound else parameters))

    for name in ph.__all__:
        call = getattr(ph, name)
        if name in _COUNTS:
            call = _COUNTS[name]
        if callable(call) and not (isinstance(call, type) and issubclass(call, Exception)) and name not in _NOT_CALLED:
            add(f"ph.{name}", (), 1.0, call)
    add("ph.load", (), 1.0, ph.load)
    for owner, kind, before, weight in (
        ("s", ph.System, (), 5.0), ("a", ph.Body, (), 1.0), ("tip", ph.Frame, (), 1.0), ("a.x", ph.Arrow, (), 1.0),
        ("b.origin", ph.Point, (), 1.0), ("e", ph.Equations, DERIVED, 1.0), ("f", Functions, COMPILED, 1.0),
        ("r", Trajectory, SIMULATED, 0.4),
    ):  # fmt: skip
        for name, call in inspect.getmembers(kind, callable):
            if not name.startswith("_") and name not in _LEFT_OUT:
                add(f"{owner}.{name}", before, weight, call, inspect.isfunction(inspect.getattr_static(kind, name)))
    return found


def _argument(name: str, chance: Random, trust: float) -> str:
    return chance.choice(SOUND[name]) if name in SOUND and chance.random() < trust else chance.choice(HOSTILE)


def call_text(text: str, parameters: list[inspect.Parameter], chance: Random) -> str:
    """A call with arguments, some of them left out, misplaced or unknown."""
    trust = chance.choice([0.0, 0.6, 0.9])
    given: list[str] = []
    own = {parameter.name for parameter in parameters}
    for parameter in parameters:
        optional = parameter.default is not inspect.Parameter.empty
        name = parameter.name
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            given += [_argument(name, chance, trust) for _ in range(chance.randrange(3))]
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            given += [
                f"{word}={_argument(word, chance, trust)}"
                for word in _OPTIONS
                if word not in own and chance.random() < 0.1
            ]
        elif optional and chance.random() < 0.6:
            continue
        elif optional or parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            given.append(f"{name}={_argument(name, chance, trust)}")
        else:
            given.append(_argument(name, chance, trust))
    return f"{text}({', '.join(given)})"


def api_case(chance: Random) -> Case:
    """A small system, and one to three calls on it or beside it, sometimes carried on to a derivation."""
    calls: list[str] = []
    known = targets()
    for _ in range(chance.choice([1, 2, 3])):
        text, before, _, parameters = chance.choices(known, [weight for _, _, weight, _ in known])[0]
        calls += [*(line for line in before if line not in calls), f"result = {call_text(text, parameters, chance)}"]
    ending: tuple[str, ...] = ()
    if chance.random() < 0.1:
        ending = chance.choice([DERIVED, ("s.diagnose()",), ("from polhode.formats import dumps_yaml; dumps_yaml(s)",)])
    if chance.random() < 0.02:
        ending = (*COMPILED, "f.forward_dynamics(np.zeros(len(e.coordinates)), np.zeros(len(e.speeds)))")
    return Case((*START, *calls, *ending))


_COLUMNS = ("theta", "d", "a", "alpha", "joint", "mass", "com", "inertia", "name")
_CELLS = {
    "theta": ["0", "ph.pi/2", "0.3"], "d": ["0", "1", "m"], "a": ["1", "0.5"], "alpha": ["0", "ph.pi/2", "1.5707963"],
    "joint": ["'revolute'", "'prismatic'", "'fixed'"], "mass": ["1", "m"], "com": ["(0, 0, 0)"],
    "inertia": ["(1, 1, 1)"],
    "name": ["''", "'link'"],
}  # fmt: skip


def dh_case(chance: Random) -> Case:
    """A Denavit–Hartenberg table, changed."""
    trust = chance.choice([0.5, 0.9, 0.95])

    def cell(column: str) -> str:
        return chance.choice(_CELLS[column] if chance.random() < trust else HOSTILE)

    rows: list[str] = []
    for _ in range(chance.randrange(4)):
        kind = chance.random()
        if kind < 0.5:
            rows.append("(" + "".join(f"{cell(column)}, " for column in _COLUMNS[: chance.choice([4, 5, 6, 8])]) + ")")
        elif kind < 0.9:
            keys = chance.sample(_COLUMNS, chance.randrange(6))
            rows.append("{" + ", ".join(f"{key!r}: {cell(key)}" for key in keys) + "}")
        else:
            rows.append(chance.choice(HOSTILE))
    options = chance.choice(
        ["", ", 'modified'", ", system=s", f", gravity={chance.choice(HOSTILE)}", f", {cell('name')}"]
    )
    made = [*START[:2], "from polhode.formats.dh import from_dh", f"arm = from_dh([{', '.join(rows)}]{options})"]
    if chance.random() < 0.1:
        made.append("e = arm.derive()")
    return Case(tuple(made))
