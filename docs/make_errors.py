"""Print the page of error codes: docs/errors.md, and tables made from the calls in the source that raise a code.

The tables are made with the website and are not committed. Run: python docs/make_errors.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "polhode"
PAGE = ROOT / "docs" / "errors.md"
CODE = re.compile(r"[EWN]-[A-Z]+-[A-Z_]+")

#: What each family of codes is about.
FAMILIES = {
    "BATCH": "Batches and sweeps",
    "CALL": "Arguments and options of functions",
    "CLI": "The command line",
    "CODE": "Generated code: programs, targets, compiled functions, export",
    "CONSTRAINT": "Constraints: loops, rolling, conditions, assembly",
    "CONTROL": "Controllers: laws, gains, references, regulators",
    "DERIVE": "Deriving: formalisms, speeds, small variables, reactions",
    "EQUILIBRIUM": "Equilibria, branches and periodic orbits",
    "EXPR": "Expressions, exact numbers and matrices",
    "FILE": "Reading and writing files",
    "FLEX": "Flexible bodies",
    "FUNCTION": "Functions that a user gives, tables and samples",
    "GEOMETRY": "Geometry of control",
    "IDENTIFICATION": "Identification: base parameters, exciting motions, measured data",
    "JOINT": "Joints: axes, maps, motors",
    "LINEAR": "Linear equations about a state",
    "MODEL": "The model: names, bodies, frames, loads",
    "MODELFILE": "Model files",
    "OBSERVER": "Observers",
    "OPTIMAL": "Optimal control",
    "PAPER": "Networks, programmes of motion, proofs and the ladder of formalisms",
    "PICTURE": "Pictures, plots, pages and sliders",
    "PLANNING": "Motions through orientations and poses",
    "POSE": "Inverse kinematics, workspaces, singular configurations",
    "REFERENCE": "The reference derivation",
    "ROBOT": "Files of robots: URDF, SDF, MJCF, Denavit-Hartenberg tables",
    "ROTATION": "Rotations, screws, dual numbers, principal axes",
    "RUN": "Runs: starts, inputs, methods, steps",
    "SENSITIVITY": "Sensitivities and gradients",
    "SYMMETRY": "Symmetries and reduction",
    "TRAJECTORY": "Trajectories",
    "UNIT": "Units",
    "VALUE": "Values of parameters and inputs",
    "VECTOR": "Vectors and dyadics",
}
#: What kind of mistake the last word of a code names.
KINDS = {
    "ANGLE": "an angle is taken as the right angle next to it",
    "AUDIT": "the energy of a run does not balance",
    "DEPENDENCE": "something depends on what it may not depend on",
    "DERIVATIVE": "a function lacks a derivative",
    "FAILED": "a search, a fit or a run did not succeed",
    "MISSING": "something that is needed is not there: a value, a part, a package",
    "NAME": "a name does not exist here, or cannot be one",
    "NUMBER": "a number is out of range, not finite or not a number",
    "READ": "a file or a text cannot be read",
    "SHAPE": "a wrong count, length or shape",
    "SINGULAR": "what is asked for is not determined: something is singular, parallel or without mass",
    "SIZE": "too large, too long or too deep",
    "TREE": "parts do not hang together: in no system, off the ground, or in a circle",
    "TWICE": "given twice, or in conflict with something else that is given",
    "TYPE": "a value of the wrong kind",
    "UNSUPPORTED": "not possible for this system, method or format",
    "WRITE": "a file or a folder cannot be written",
    "ZERO": "a division by zero",
}

#: What makes the code of a status: `Stop("diverged", message, cure)` is E-RUN-DIVERGED.
_STOPS = ("Stop", "Fault", "NoMode")
#: The parameters of constructors that take no names from a `def`.
_ERRORS = ("PolhodeError", "ModelError", "FormatError", "ValueMissing", "ShapeError", "LimitError")
_RECORDS = dict.fromkeys(("Problem", *_ERRORS), ("message", "place", "cure", "code"))
_RECORDS |= dict.fromkeys(_STOPS, ("status", "message", "cure")) | {"NoMode": ("status", "message")}


@dataclass(frozen=True)
class Told:
    """A code where it is raised or told: the file, the sentences that it may come with, and their cures."""

    code: str
    home: str
    messages: tuple[str, ...]
    cures: tuple[str, ...]


@dataclass(frozen=True)
class _Source:
    """A file: its functions, and its calls, each with the innermost function around it."""

    name: str
    functions: list[ast.FunctionDef]
    calls: list[tuple[ast.Call, ast.AST]]
    above: dict[ast.AST, dict[str, list[ast.expr]]]  # what the assignments right above a statement set

    def telling(self) -> Iterator[tuple[ast.Call, str, Mapping[str, list[ast.expr]]]]:
        """Each call that is given a code, the code, and the values of the names around it."""
        around: dict[ast.AST, dict[str, list[ast.expr]]] = {}
        for call, scope in self.calls:
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            codes = [text for text in map(_constant, given) if CODE.fullmatch(text)]
            if _called(call) in _STOPS:
                codes = [f"E-RUN-{status.upper()}" for status in self._statuses(call.args[0], scope)]
            for code in codes:
                if scope not in around:
                    around[scope] = _assigned(scope)
                yield call, code, {**around[scope], **self.above.get(call, {})}

    def _statuses(self, status: ast.expr, scope: ast.AST) -> list[str]:
        """The statuses that a run stops with: a constant, or those that the calls of the function around it pass."""
        passed = [call.args[0] for call, _ in self.calls if call.args and _called(call) == getattr(scope, "name", None)]
        return [text for text in map(_constant, [status] if _constant(status) else passed) if text]


def _read(name: str, text: str) -> _Source:
    """A file in one walk from the outside in."""
    source = _Source(name, [], [], {})
    tree = ast.parse(text)
    nodes: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    for node, scope in nodes:
        inner = scope
        if isinstance(node, ast.FunctionDef):
            inner = node
            source.functions.append(node)
        elif isinstance(node, ast.Call):
            source.calls.append((node, scope))
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                source.above.update(_set_right_above(value))
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST) and child._fields and not isinstance(child, ast.Name | ast.Constant):
                    nodes.append((child, inner))
    return source


def _set_right_above(block: list[ast.AST]) -> Iterator[tuple[ast.AST, dict[str, list[ast.expr]]]]:
    """The call of each statement of a block, and what the assignments between it and the one before set."""
    names: dict[str, list[ast.expr]] = {}
    for statement in block:
        if isinstance(statement, ast.Assign):
            names |= _assigned(statement)
            continue
        call = getattr(statement, "exc", None) or getattr(statement, "value", None)
        if names and isinstance(call, ast.Call):
            yield call, names
        names = {}


def sources(folder: Path = PACKAGE) -> tuple[tuple[str, str], ...]:
    """The name and the text of each file of the package."""
    return tuple(
        (path.relative_to(folder).as_posix(), path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))
    )


@cache
def told(files: tuple[tuple[str, str], ...]) -> list[Told]:
    """Every place that raises or tells a code; to look at the code of an error is neither."""
    read = [
        _read(name, text)
        for name, text in files
        if "code" in text or CODE.search(text) or any(f"{name}(" in text for name in _STOPS)
    ]
    functions: dict[str, list[ast.FunctionDef]] = {}
    for source in read:
        for function in source.functions:
            functions.setdefault(function.name, []).append(function)
    found = []
    for source in read:
        for call, code, names in source.telling():
            given = _bound(call, functions)
            found.append(Told(code, source.name, _texts(given.get("message"), names), _texts(given.get("cure"), names)))
    return found


def _bound(call: ast.Call, functions: Mapping[str, list[ast.FunctionDef]]) -> dict[str, ast.expr]:
    """The arguments of a call by the parameters' names; the message of a function that composes it out of them."""
    name = _called(call)
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if name in _RECORDS:
        return {**dict(zip(_RECORDS[name], call.args, strict=False)), **given}
    for function in functions.get(name, ()):
        parameters = [each.arg for each in function.args.args if each.arg not in ("self", "cls")]
        takes_code = parameters[len(call.args) - 1 : len(call.args)] == ["code"]
        if "code" in given:
            takes_code = "code" in [*parameters, *(each.arg for each in function.args.kwonlyargs)]
        if not takes_code:
            continue
        given = {**dict(zip(parameters, call.args, strict=False)), **given}
        if "message" in given:
            return given
        calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
        made = next(filter(_hands_on_a_code, calls), call)
        return {key: _Filled(given).visit(deepcopy(value)) for key, value in _bound(made, {}).items()}
    names = ("message", "cure", "code") if len(call.args) == 3 else ("message",)  # of `fault_at`
    return {**dict(zip(names, call.args, strict=False)), **given}


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _constant(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _hands_on_a_code(call: ast.Call) -> bool:
    return any(each.arg == "code" and getattr(each.value, "id", "") == "code" for each in call.keywords)


class _Filled(ast.NodeTransformer):
    """Puts the texts that a function is given in the place of its parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.given.get(node.id)
        return value if isinstance(value, ast.Constant) else node


def _assigned(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """What each name of a function is set to."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            for one, to in pairs:
                if isinstance(one, ast.Name):
                    found.setdefault(one.id, []).append(to)
    return found


def _texts(node: ast.expr | None, names: Mapping[str, list[ast.expr]]) -> tuple[str, ...]:
    """The sentences that an expression may be, with ‹…› for what is filled in."""
    if node is None:
        return ()
    if isinstance(node, ast.IfExp):
        return (*_texts(node.body, names), *_texts(node.orelse, names))
    if isinstance(node, ast.Constant):
        return (node.value,) if node.value else ()
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else _blank(part) for part in node.values]
        return ("".join(map(str, parts)),)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return tuple(a + b for a in _texts(node.left, names) for b in _texts(node.right, names))
    if isinstance(node, ast.Name) and node.id in names:
        others = {name: values for name, values in names.items() if name != node.id}
        return tuple(dict.fromkeys(text for value in names[node.id] for text in _texts(value, others)))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "suggestion":
        return ("Did you mean ‹name›?",)
    return (_blank(node),)


def _blank(node: ast.AST) -> str:
    """A word for what is filled in at run time."""
    while not isinstance(node, ast.Name | ast.Attribute):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len":
            return "‹number›"
        if isinstance(node, ast.Call):
            node = node.args[0] if node.args else node.func
        elif isinstance(node, ast.FormattedValue | ast.Subscript | ast.Starred):
            node = node.value
        else:
            return str(node.value) if isinstance(node, ast.Constant) else "‹…›"
    word = node.id if isinstance(node, ast.Name) else node.attr
    return f"‹{word.strip('_').replace('_', ' ').lower()}›"


def page(found: Iterable[Told]) -> str:
    """The page: a section for each family, and in it a table for each code, with a row for each place."""
    rows = sorted(found, key=lambda each: (each.code.split("-")[1], each.code, each.home))
    lines = [PAGE.read_text(encoding="utf-8").rstrip()]
    for family, members in groupby(rows, key=lambda each: each.code.split("-")[1]):
        lines += ["", f"## {FAMILIES[family]}"]
        for code, places in groupby(members, key=lambda each: each.code):
            kind = code.split("-")[2]
            lines += ["", f"### {code}", ""]
            said = KINDS.get(
                kind, f"a run ended with the status `{kind.lower()}` (see [runs](simulation.md#how-a-run-ends))"
            )
            lines += [f"{said[0].upper()}{said[1:]}.", ""]
            lines += ["| what it says | what to do | from |", "| --- | --- | --- |"]
            for each in dict.fromkeys(places):
                cells = ("<br>".join(map(_cell, each.messages)), "<br>".join(map(_cell, each.cures)))
                lines.append(f"| {' | '.join(cells)} | `{each.home.removesuffix('.py')}` |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text on one line that Markdown takes as text."""
    return " ".join(text.replace("<", "&lt;").replace("|", "\\|").split())


if __name__ == "__main__":
    print(page(told(sources())), end="")
