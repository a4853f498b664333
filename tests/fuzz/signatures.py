"""Cases from signatures: every public callable, with values of the wrong kind for some of its arguments.

What is called is read from the pages of the reference, so that a new public name is called as soon as it is listed.
"""

import inspect
from functools import cache
from random import Random

from docs.website import public
from tests.fuzz.calls import HOSTILE, SOUND
from tests.fuzz.case import Case
from tests.fuzz.owners import MAKERS, made

import polhode as ph

#: Values of kinds that an argument seldom has.
KINDS = [
    *HOSTILE, "b'\\xff'", "bytearray(3)", "{'a': {'b': [1, {}]}}", "[[[1], 2], 3]", "{1, 2}", "frozenset('ab')", "type",
    "(k for k in range(3))", "np.array([['a', 'b']])", "np.zeros((2, 3, 4))", "np.zeros(0)", "np.array([1j, 2])",
    "np.array([None, object()])", "np.array([True])", "np.full(3, np.nan)", "np.datetime64('2020-01-01')",
    "datetime(2020, 1, 1)", "timedelta(seconds=1)", "complex(1, 2)", "Decimal('1.5')", "ph.Vector([1, 2, 3])",
    "ph.Matrix([[1, 2], [3, 4]])", "ph.Rotation.identity()", "Path('x')", "-5", "10**20", "2**63", "False", "print",
    "int", "lambda t: 'x'", "NotImplemented", "slice(1)", "memoryview(b'x')", "[float('inf')]", "'\\ud800'",
    "'x' * 5000", "{'hinge': [1, 2]}", "{'hinge': float('nan')}", "{'hinge': {}}", "{('a',): 1}", "['hinge', 5]",
    "[ph.symbol('w')]",
]  # fmt: skip

#: Sound values of further parameters.
MORE = {
    "duration": ["0.01"], "by": ["['m']"], "vary": ["{'m': [1, 2]}"], "data": ["owner('run')"], "run": ["owner('run')"],
    "linear": ["owner('small')"], "Q": ["[1, 1, 1, 1]"], "R": ["[1, 1]"], "kp": ["10"], "kd": ["5"], "nodes": ["4"],
    "other": ["owner('equations')"], "matrix": ["np.eye(3)"], "times": ["[0, 1]"], "values": ["[0, 1]"],
    "period": ["1.0"], "samples": ["5"], "start": ["{'hinge': 0.1}"], "symbol": ["ph.symbol('w')"], "dt": ["0.01"],
    "harmonics": ["2"], "inputs": ["None"],
}  # fmt: skip
#: They draw, open pages, or start other processes; or take no argument that could be wrong.
LEFT_OUT = {"animate", "plot", "widget", "exciting_trajectory", "identity", "solve"}
BEFORE = (
    "from tests.fuzz.owners import made as owner, system",
    "from datetime import datetime, timedelta; from decimal import Decimal",
    "from pathlib import Path; from contextlib import suppress",
    "s = system(); m = s.parameters['m']; a, b = s.bodies['a'], s.bodies['b']; tip = s.frames['tip']",
    "c = s.body('c', mass=1); hinge, slide = s.joints['hinge'], s.joints['slide']; e = owner('equations')",
)


@cache
def targets() -> list[tuple[str, inspect.Signature]]:
    """Public callables as text, with their signatures: functions, constructors, methods of objects."""
    found: dict[str, inspect.Signature] = {}
    for page in public.PAGES:
        for path in page.names():
            thing = public.thing_at(path)
            text = path.replace("polhode", "ph", 1)
            if callable(thing) and path.count(".") <= 2 and not (inspect.isabstract(thing) or thing is ph.PolhodeError):
                found[text] = inspect.signature(thing)
    for name in ("system", *MAKERS):
        thing = made(name)
        text = "s" if name == "system" else f"owner({name!r})"
        for method, _ in public.members(type(thing)):
            held = inspect.getattr_static(type(thing), method)
            if inspect.isfunction(held) or isinstance(held, classmethod | staticmethod):
                found[f"{text}.{method}"] = inspect.signature(getattr(thing, method))
        for method in ("__call__", "__getitem__"):
            if method in dir(type(thing)):
                found[f"{text}.{method}"] = inspect.signature(getattr(thing, method))
    for text in ("owner('matrix').__getitem__", "owner('vector').__getitem__", "ph.Vector", "ph.Expr"):
        del found[text]  # a tuple's; and an expression is not made by its class
    return [(text, taken) for text, taken in sorted(found.items()) if text.rpartition(".")[2] not in LEFT_OUT]


def signature_case(chance: Random) -> Case:
    """One public callable with one to three wrong arguments, the others sound or left out."""
    text, taken = chance.choice(targets())
    listed = list(taken.parameters.values())
    wrong = {each.name for each in chance.sample(listed, min(len(listed), chance.choice([0, 1, 1, 1, 2, 3])))}
    given: list[str] = []
    known = SOUND | MORE
    for each in listed:
        required = each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        if each.name not in wrong and not (required and (chance.random() < 0.98 or "'functions'" in text)):
            continue
        value = chance.choice(KINDS if each.name in wrong else known.get(each.name, KINDS))
        if each.kind is each.VAR_KEYWORD:
            given.append(f"misspelt={value}")
        elif each.kind is each.KEYWORD_ONLY or (each.kind is each.POSITIONAL_OR_KEYWORD and not required):
            given.append(f"{each.name}={value}")
        elif not any("=" in one and one.split("=")[0].isidentifier() for one in given):
            given.append(value)
    if not listed:
        given = chance.choice([["1"], ["misspelt=1"], []])
    call = f"result = {text}({', '.join(given)})"
    return Case((*BEFORE, f"with suppress(IndexError): {call}" if text.endswith("__getitem__") else call))
