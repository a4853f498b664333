"""Cases from expressions: as a model file spells them and as Python builds them."""

from random import Random

from tests.fuzz.case import Case
from tests.fuzz.mutate import mutated

FUNCTIONS = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs",
    "sign", "floor", "min",
    "max", "u", "q", "foo",
]  # fmt: skip
LEAVES = [
    "0", "1", "2", "-1", "0.5", "1e300", "1e-300", "1/3", "3.7e-5", "1e22", "pi", "t", "x", "m", "k", "z", "2.5",
    "1e999",
    "170141183460469231731687303715884105727", "0.1", "1e-15", "100", "7", "1000",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "**", "**", "^", "//", "%"]

MODEL = """\
parameters: {m: 1.5, k: 2}
inputs: {z: 0}
bodies: {cart: {mass: MASS, com: [COM, 0, 0]}}
joints: {x: {parent: ground, child: cart, type: prismatic, axis: x}}
loads: [{type: joint_force, joint: x, value: "FORCE"}]
"""


def _text(chance: Random, depth: int) -> str:
    kind = chance.random()
    if depth == 0 or kind < 0.2:
        return chance.choice(LEAVES)
    if kind < 0.55:
        arguments = [_text(chance, depth - 1) for _ in range(chance.choice([1, 1, 1, 2, 2, 3]))]
        return f"{chance.choice(FUNCTIONS)}({', '.join(arguments)})"
    left, right = _text(chance, depth - 1), _text(chance, depth - 1)
    return f"({left}){chance.choice(OPERATORS)}({right})" if kind < 0.95 else f"-({left})"


def expr_case(chance: Random) -> Case:
    """An expression in a model file, or the same in Python."""
    text = _text(chance, chance.randrange(1, 6))
    if chance.random() < 0.3:
        text = mutated(text.encode(), chance).decode("utf-8", "replace")
    if chance.random() < 0.3:
        return _in_python(chance)
    hole = chance.choice(["MASS", "COM", "FORCE", "FORCE"])
    content = MODEL.replace(hole, text.replace('"', "")).replace("MASS", "2").replace("COM", "0").replace("FORCE", "0")
    statements = ["s = ph.load(folder / 'm.yaml')"]
    if chance.random() < 0.3:
        statements += [
            "e = s.derive()",
            "str(e.bias), ph.latex(e.bias[0])",
            "f = e.compile(cache=False, backend='numpy')",
            "f.bias([0.3], [0.2])",
        ]
    return Case(tuple(statements), {"m.yaml": content.encode("utf-8", "surrogatepass")})


#: The functions of Python by how many arguments they take.
ONE = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "absolute", "sign"]
ONE += ["floor"]
TWO = ["atan2", "minimum", "maximum"]


def _python(chance: Random, depth: int) -> str:
    kind = chance.random()
    if depth == 0 or kind < 0.2:
        leaf = chance.choice(LEAVES)
        return f"ph.{leaf}" if leaf == "pi" else leaf if leaf.isalpha() else f"(0*x + {leaf})"
    if kind < 0.45:
        return f"ph.{chance.choice(ONE)}({_python(chance, depth - 1)})"
    left, right = _python(chance, depth - 1), _python(chance, depth - 1)
    if kind < 0.6:
        return f"ph.{chance.choice(TWO)}({left}, {right})"
    return f"({left}) {chance.choice(['+', '-', '*', '/', '**'])} ({right})"


def _in_python(chance: Random) -> Case:
    return Case(
        (
            "t, x, m, k, z = (ph.symbol(name) for name in 'txmkz')",
            f"y = x + {_python(chance, chance.randrange(1, 6))}",
            chance.choice(["str(y)", "ph.latex(y)", "ph.to_sympy(y)", "ph.normal(y)", "y == y + 1", "y.diff(x)"]),
        )
    )
