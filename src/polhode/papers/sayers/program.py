"""The simulation program in the paper's variables: `export(target, folder, program="sayers")`.

The rates of the states are computed as the tables write them: constants P once, then C and S, variables Z, the
kinematical equations, M and f of (43) to (46). M u̇ = f is uncoupled by elimination along the zeros of M; each of its
steps is a further Z, with a comment that says what it is of M and f.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from ...codegen.ir.ops import live
from ...codegen.ir.program import Array, Instruction, Output, Program
from ...compiled.catalogue import Planned, arrays_of
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_rigid, check_untruncated
from ...errors import fault_at
from ...expr import Expr, as_expr, free_symbols, is_zero, quiet_collector, symbol, topological
from ...expr.node import CALL, NUMBER
from ...formalisms.kane.literal import SayersSpeeds
from ...geometry.elimination import factor_by_sparsity
from .notation import prime
from .tables import SayersTables

fault = fault_at("export")

#: "number" and its value, "input", "parameter" or "code" and an index.
Operand: TypeAlias = tuple[str, Any]
#: What stands before the user's names: none of ours begins so.
_PREFIXES = {"effort": "tau_", "input": "in_", "parameter": "p_", "time": "time_"}
_LONGEST = 40


class Statement(NamedTuple):
    """A line of the program: a name, what it stands for in names before it, and a comment."""

    name: Expr
    meaning: Expr
    note: str = ""


def sayers_rates(equations: EquationsOfMotion) -> Planned:
    """The rates of the states in the paper's variables, in the speeds of equations of a tree by Kane's method."""
    name, chosen = equations.system.name, equations.dependent_speeds
    if equations.formalism != "kane":
        message = f"the paper's program is that of Kane's method, and system '{name}' was derived by "
        cure = 'Write derive("kane") or derive("kane", speeds="sayers"), or program=True.'
        raise fault(f"{message}{equations.formalism!r}.", cure, "E-CODE-UNSUPPORTED")
    if not (isinstance(chosen, SayersSpeeds) or (chosen is None and equations.constraints is None)):
        message = f"the paper's program is that of a tree, and speeds of system '{name}' depend on others."
        raise fault(message, "Write program=True.", "E-CODE-UNSUPPORTED")
    check_untruncated(equations, "the paper's program")
    check_rigid(equations.system, "the paper's program", "Write program=True.")
    return planned(SayersTables(equations, chosen is not None))


def statements(tables: SayersTables) -> list[Statement]:
    """The program, line by line: constants, variables, rates of coordinates, M and f, elimination, accelerations."""
    notation = tables.notation
    lines = [Statement(*entry) for entry in (*tables.constants.items(), *notation.variables)]
    rates = zip(notation.rate_names, map(notation.shown, notation.rates), strict=True)
    lines += [Statement(name, rate) for name, rate in rates if name is not rate]
    size = len(tables.forcing)
    places = [(i, j) for i in range(size) for j in range(i + 1) if not is_zero(tables.mass_matrix[i, j])]
    M = {(i, j): Statement(symbol(f"M{i + 1}_{j + 1}", "shown"), tables.mass_matrix[i, j]) for i, j in places}
    f = [Statement(symbol(f"f{i + 1}", "shown"), as_expr(entry)) for i, entry in enumerate(tables.forcing)]
    lines += [*M.values(), *f]
    return lines + _elimination(tables, {at: line.name for at, line in M.items()}, [line.name for line in f])


def _elimination(tables: SayersTables, M: dict[tuple[int, int], Expr], f: list[Expr]) -> list[Statement]:
    """One acceleration after the other is eliminated from the other rows, then all follow backwards."""
    tree, lines = tables.equations.tree, list[Statement]()
    factors = factor_by_sparsity(tables.sums[0], tree.speed_order, tree.speeds)
    prefix, letters = tables.notation.prefix, tables.notation.letters_of
    number = sum(name.name.startswith(prefix) for name, _ in tables.notation.variables)

    def step(meaning: Expr, note: str) -> Expr:
        name = symbol(f"{prefix}{number + len(lines) + 1}", "shown")
        lines.append(Statement(name, meaning, note))
        return name

    names = [prime(letters[u]) for u in tables.literal.speeds]
    L: dict[tuple[int, int], Expr] = {}
    for k in reversed(factors.order):
        others, gone = list(factors.rows[k]), f"without u{k + 1}p"
        pivot = step(1 / M[k, k], f"reciprocal of M({k + 1},{k + 1})")
        for i in others:
            L[k, i] = step(M[max(i, k), min(i, k)] * pivot, f"M({i + 1},{k + 1}) over M({k + 1},{k + 1})")
        for start, i in enumerate(others):
            for j in others[start:]:
                at, beside = (max(i, j), min(i, j)), M[max(j, k), min(j, k)]
                M[at] = step(M.get(at, as_expr(0)) - L[k, i] * beside, f"M({at[0] + 1},{at[1] + 1}) {gone}")
            f[i] = step(f[i] - L[k, i] * f[k], f"f({i + 1}) {gone}")
        f[k] = step(f[k] * pivot, f"f({k + 1}) over M({k + 1},{k + 1})")
    for k in factors.order:
        rest = sum((L[k, i] * names[i] for i in factors.rows[k]), start=as_expr(0))
        lines.append(Statement(names[k], f[k] - rest))
    return lines


def planned(tables: SayersTables) -> Planned:
    """The program of the paper's tables, and its parameters."""
    with quiet_collector():
        return _Assembly().planned(tables)


class _Assembly:
    """Statements as instructions in their order, those of parameters alone in the set-up, each with its name."""

    def __init__(self) -> None:
        self.code: list[tuple[str, tuple[Operand, ...]]] = []
        self.known: dict[tuple[str, tuple[Operand, ...]], Operand] = {}
        self.values: dict[Expr, Operand] = {}
        self.names: dict[Operand, str] = {}
        self.notes: dict[Operand, str] = {}
        #: Names in small letters, for which Fortran takes capitals; a prefix alone is one of the arrays, or no name.
        self._taken = {prefix.strip("_") for prefix in _PREFIXES.values()}
        self.functions: list[Any] = []

    def planned(self, tables: SayersTables) -> Planned:
        """The program, and its parameters."""
        equations, notation, lines = tables.equations, tables.notation, statements(tables)
        met = {*free_symbols(line.meaning for line in lines)}
        letters = {letter: node for node, letter in notation.letters_of.items() if letter in met}
        met |= {*free_symbols(letters.values())}
        table = {**arrays_of(equations), "x": [*equations.q, *tables.literal.speeds, *equations.z]}
        wanted = ["x", "tau", *(key for key in ("inputs", "t") if met & {*table[key]})]
        arguments = [node for key in wanted for node in table[key]]
        used = {key: entry.symbol for key, entry in equations.system.parameters.items() if entry.symbol in met}
        for kind, nodes in (("input", arguments), ("parameter", used.values())):
            for index, node in enumerate(nodes):
                short = notation.letters_of.get(node)
                text = short.name if short else f"{_PREFIXES[node.data[0]]}{node.name}"
                self._define(node, (kind, index), text)
        for letter, node in letters.items():
            self._define(letter, self._emitted(node), letter.name)
        for name, meaning, note in lines:
            is_rate = name.data[0] == "acceleration"
            self._define(name, self._emitted(meaning), f"{name.name}p" if is_rate else name.name, note)
        size, names = len(equations.tree.q), notation.rate_names
        accelerations = [prime(notation.letters_of[u]) for u in tables.literal.speeds]
        rates = [*equations.kept(names[:size]), *accelerations, *names[size:]]
        arrays = tuple(Array(key, len(table[key])) for key in wanted)
        return Planned(self._program(arrays, len(used), [self.values[rate] for rate in rates]), tuple(used))

    def _define(self, name: Expr, operand: Operand, label: str, note: str = "") -> None:
        """A value by its name; one that has a name already, and a number, keep what they are."""
        self.values[name] = operand
        if operand[0] != "number" and operand not in self.names:
            plain = re.sub(r"[^A-Za-z0-9]+", "_", label)[:_LONGEST].strip("_")
            free, count = plain, 2
            while free.lower() in self._taken:
                free, count = f"{plain}_{count}", count + 1
            self._taken.add(free.lower())
            self.names[operand], self.notes[operand] = free, note

    def _emitted(self, root: Expr) -> Operand:
        """The instructions of an expression in names that are defined."""
        operands: dict[int, Operand] = {}
        for node in topological([root]):
            if node in self.values:
                operands[id(node)] = self.values[node]
            elif node.op in (NUMBER, "pi"):
                operands[id(node)] = "number", math.pi if node.op == "pi" else float(node.data)
            else:
                op = node.op
                if op == CALL:
                    self.functions += [node.data] if node.data not in self.functions else []
                    op = f"{CALL}{self.functions.index(node.data)}"
                key = op, tuple(operands[id(arg)] for arg in node.args)
                if key not in self.known:
                    self.known[key] = "code", len(self.code)
                    self.code.append(key)
                operands[id(node)] = self.known[key]
        return operands[id(root)]

    def _program(self, arrays: tuple[Array, ...], parameters: int, rates: Sequence[Operand]) -> Program:
        """The instructions that the rates need, set-up first."""
        code = [Instruction(op, tuple(k for kind, k in args if kind == "code")) for op, args in self.code]
        needed = live(enumerate(code), (k for kind, k in rates if kind == "code"))
        moves: list[bool] = []
        for _, args in self.code:
            moves.append(any(kind == "input" or (kind == "code" and moves[k]) for kind, k in args))
        order = sorted(needed, key=lambda k: (moves[k], k))
        operands = [*(arg for k in order for arg in self.code[k][1]), *rates]
        constants = dict.fromkeys(value for kind, value in operands if kind == "number")
        numbers = {value: index for index, value in enumerate(constants)}
        first = {"input": len(numbers), "parameter": len(numbers) + sum(array.size for array in arrays)}
        slots = {k: first["parameter"] + parameters + index for index, k in enumerate(order)}

        def slot(operand: Operand) -> int:
            kind, k = operand
            return numbers[k] if kind == "number" else slots[k] if kind == "code" else first[kind] + k

        instructions = [Instruction(self.code[k][0], tuple(map(slot, self.code[k][1]))) for k in order]
        setup = sum(not moves[k] for k in order)
        labelled = [name for name in self.names if name[0] != "code" or name[1] in slots]
        return Program(
            "state_rates",
            arrays,
            parameters,
            tuple(numbers),
            tuple(instructions[:setup]),
            tuple(instructions[setup:]),
            (Output("xdot", (len(rates),), tuple(map(slot, rates))),),
            {slot(key): self.notes[key] for key in labelled if self.notes[key]},
            tuple(self.functions),
            {slot(key): self.names[key] for key in labelled},
        )
