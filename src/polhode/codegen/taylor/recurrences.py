"""Taylor coefficients of a program's values along a motion: every operation as a recurrence over orders.

A value y(t) has the series y_0, y_1, y_2, … with y_k = y⁽ᵏ⁾/k!. Order zero is the value itself, by the program. From
order one on, with ⟨a, b⟩_k = Σ a_j b_{k-j} over 0 < j < k, which reads lower orders alone:

    same, negation      y_k = ± a_k                          what is added is steady: the same all along the motion
    sum, difference     y_k = a_k ± b_k
    scaled              y_k = c a_k                          c steady
    product             y_k = ⟨a, b⟩_k + a_0 b_k + a_k b_0
    square              y_k = ⟨a, a⟩_k + 2 a_0 a_k           half as many products
    quotient            y_k = (a_k − ⟨b, y⟩_k − b_k y_0) / b_0
    inverse             y_k = −(⟨b, y⟩_k + b_k y_0) / b_0    of a steady value over b
    root                y_k = (a_k − ⟨y, y⟩_k) / (2 y_0)
    integral            y_k = ⟨ȧ, w⟩_k / k + a_k w_0         y = ∫ w da; here ȧ_j = j a_j

Every function with a derivative that is made of such values is an integral: exp a = ∫ exp a da, sin a = ∫ cos a da,
tan a = ∫ (1 + tan² a) da. `ALONG` is the table of operations; w may come after y, since its lower orders are known.

A. Jorba and M. Zou, *A software package for the numerical integration of ODEs by means of high-order Taylor methods*,
Experimental Mathematics 14 (2005), 99-117, proposition 2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ..ir.ops import live_run
from ..ir.program import Instruction, Program

#: Rules that add up products of lower orders.
NONLINEAR = frozenset({"product", "square", "quotient", "inverse", "root", "integral"})


@dataclass(frozen=True, slots=True)
class Rule:
    """The recurrence of a value and the slots that it reads, in the order of the table above, possibly negative."""

    name: str
    args: tuple[int, ...] = ()
    sign: int = 1


#: What has no time: its orders from one on are zero.
STEADY = Rule("steady")


@dataclass(frozen=True)
class SeriesProgram:
    """A program for order zero, the values that recurrences need beside it among them, and a rule for each of its run
    instructions; slots that are not run are the state and time, or steady."""

    program: Program
    rules: tuple[Rule, ...]
    work: tuple[int, ...]  # the slots of the work array, as the program that it was made of has them

    @property
    def states(self) -> range:
        """The slots of the state."""
        return self.program.slots_of("x")

    @property
    def time(self) -> range:
        """The slot of time, if there is one."""
        return self.program.slots_of("t")

    @property
    def rates(self) -> tuple[int, ...]:
        """The slot of each rate of the state."""
        return self.program.outputs[0].slots

    def rule(self, slot: int) -> Rule:
        """The rule of a slot."""
        if slot >= self.program.first_run:
            return self.rules[slot - self.program.first_run]
        return Rule("state") if slot in self.states else Rule("time") if slot in self.time else STEADY

    def is_steady(self, slot: int) -> bool:
        """Whether a slot has no orders but zero."""
        return self.rule(slot) == STEADY

    @property
    def products(self) -> float:
        """How many sums of products each order has; one of squares counts half."""
        return sum(0.5 if rule.name in ("square", "root") else rule.name in NONLINEAR for rule in self.rules)

    @property
    def moving(self) -> int:
        """How many values have orders beyond zero."""
        return sum(rule != STEADY for rule in self.rules)


def has_recurrences(program: Program) -> bool:
    """Whether all that changes along a motion x' = f(t, x) has a recurrence: no sign, abs, min, max or call does."""
    moving = {*program.slots_of("x"), *program.slots_of("t")}
    wanted = live_run(program)
    for slot, step in enumerate(program.run, program.first_run):
        if slot in wanted and not moving.isdisjoint(step.args):
            if step.op not in ALONG:
                return False
            moving.add(slot)
    return True


def series_program(program: Program) -> SeriesProgram:
    """The program and the rules of its values; raises KeyError where it has an operation without a recurrence."""
    writer = _Writer(program)
    wanted = live_run(program)
    for slot, step in enumerate(program.run, program.first_run):
        if slot in wanted:
            writer.slots[slot] = writer.apply(step.op, tuple(writer.slots[arg] for arg in step.args))
    return writer.finished()


class _Writer:
    """A series program under construction. Slots are negative for new constants until it is finished."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.slots = {slot: slot for slot in range(program.first_run)}
        self.moving = {*program.slots_of("x"), *program.slots_of("t")}
        self.constants: list[float] = []
        self.run: list[Instruction] = []
        self.rules: list[Rule] = []
        self.known: dict[tuple[str, tuple[int, ...]], int] = {}

    def constant(self, value: float) -> int:
        if value in self.program.constants:
            return self.program.constants.index(value)
        if value not in self.constants:
            self.constants.append(value)
        return -1 - self.constants.index(value)

    def apply(self, op: str, args: tuple[int, ...]) -> int:
        """The slot of an operation on slots; its rule and the slots of that are added."""
        if (op, args) not in self.known:
            if self.moving.isdisjoint(args):
                self.known[op, args] = self.emit(op, args, STEADY)
            else:
                result = ALONG[op](self, *args)
                self.known.setdefault((op, args), result)
        return self.known[op, args]

    def emit(self, op: str, args: tuple[int, ...], rule: Rule) -> int:
        slot = self.program.first_run + len(self.run)
        self.run.append(Instruction(op, args))
        self.rules.append(rule)
        if rule != STEADY:
            self.moving.add(slot)
        return slot

    def integral(self, op: str, args: tuple[int, ...], along: int, integrand: Callable[[int], int]) -> int:
        """y = op(args) = ∫ w da along a, with w made of y."""
        slot = self.emit(op, args, Rule("integral"))
        self.known[op, args] = slot
        self._set(slot, Rule("integral", (along, integrand(slot))))
        return slot

    def pair(self, one: str, other: str, sign: int, wanted: str, a: int) -> int:
        """Two functions of which each is the other's integral: sin and cos, with the sign −1, or sinh and cosh."""
        first = self.emit(one, (a,), Rule("integral"))
        second = self.emit(other, (a,), Rule("integral", (a, first), sign))
        self._set(first, Rule("integral", (a, second)))
        self.known[one, (a,)], self.known[other, (a,)] = first, second
        return self.known[wanted, (a,)]

    def _set(self, slot: int, rule: Rule) -> None:
        self.rules[slot - self.program.first_run] = rule

    def finished(self) -> SeriesProgram:
        """With new constants after the old ones, and all other slots moved up by their number."""
        old, more = len(self.program.constants), len(self.constants)

        def moved(slot: int) -> int:
            return old - 1 - slot if slot < 0 else slot if slot < old else slot + more

        def shifted(rule: Rule) -> Rule:
            return replace(rule, args=tuple(map(moved, rule.args)))

        def at(instructions: tuple[Instruction, ...] | list[Instruction]) -> tuple[Instruction, ...]:
            return tuple(Instruction(step.op, tuple(map(moved, step.args))) for step in instructions)

        outputs = tuple(
            replace(output, slots=tuple(moved(self.slots[slot]) for slot in output.slots))
            for output in self.program.outputs
        )
        program = replace(
            self.program,
            constants=(*self.program.constants, *self.constants),
            setup=at(self.program.setup),
            run=at(self.run),
            outputs=outputs,
            notes={},
        )
        return SeriesProgram(program, tuple(map(shifted, self.rules)), tuple(map(moved, self.program.saved)))


def _sum(w: _Writer, a: int, b: int) -> int:
    moving = tuple(arg for arg in (a, b) if arg in w.moving)
    return w.emit("add", (a, b), Rule("sum" if len(moving) == 2 else "same", moving))


def _difference(w: _Writer, a: int, b: int) -> int:
    moving = tuple(arg for arg in (a, b) if arg in w.moving)
    name = "difference" if len(moving) == 2 else "same" if a in moving else "negation"
    return w.emit("sub", (a, b), Rule(name, moving))


def _product(w: _Writer, a: int, b: int) -> int:
    if a not in w.moving or b not in w.moving:
        steady, moving = (b, a) if a in w.moving else (a, b)
        return w.emit("mul", (a, b), Rule("scaled", (steady, moving)))
    return w.emit("mul", (a, b), Rule("square", (a,)) if a == b else Rule("product", (a, b)))


def _quotient(w: _Writer, a: int, b: int) -> int:
    if b in w.moving:
        return w.emit("div", (a, b), Rule("quotient", (a, b)) if a in w.moving else Rule("inverse", (b,)))
    return w.apply("mul", (w.apply("div", (w.constant(1.0), b)), a))


def _one_plus_square(w: _Writer, a: int, op: str = "add") -> int:
    return w.apply(op, (w.constant(1.0), w.apply("mul", (a, a))))


def _reciprocal(w: _Writer, a: int) -> int:
    return w.apply("div", (w.constant(1.0), a))


def _arcsine(w: _Writer, op: str, a: int) -> int:
    """asin' = 1/√(1 − a²), acos' = −1/√(1 − a²)."""
    root = w.apply("sqrt", (_one_plus_square(w, a, "sub"),))
    sign = 1.0 if op == "asin" else -1.0
    return w.integral(op, (a,), a, lambda y: w.apply("div", (w.constant(sign), root)))


def _atan2(w: _Writer, y: int, x: int) -> int:
    """dθ = (x dy − y dx)/(x² + y²): the sum of two integrals, with the angle itself at order zero alone."""
    square = w.apply("add", (w.apply("mul", (x, x)), w.apply("mul", (y, y))))
    parts = []
    for along, top, sign in ((y, x, 1), (x, y, -1)):
        if along in w.moving:
            parts.append(w.emit("atan2", (y, x), Rule("integral", (along, w.apply("div", (top, square))), sign)))
    if len(parts) == 1:
        return parts[0]
    return w.emit("atan2", (y, x), Rule("sum", (parts[0], parts[1])))


def _pow(w: _Writer, a: int, b: int) -> int:
    """a^b: for a steady b the integral of b a^b/a, else exp(b log a) beyond order zero."""
    if b not in w.moving:
        return w.integral("pow", (a, b), a, lambda y: w.apply("div", (w.apply("mul", (b, y)), a)))
    exponent = w.apply("mul", (b, w.apply("log", (a,))))
    return w.integral("pow", (a, b), exponent, lambda y: y)


#: For each operation, the function that writes it, with its rule, for operands of which one at least moves.
ALONG: Mapping[str, Callable[..., int]] = MappingProxyType({
    "add": _sum, "sub": _difference, "mul": _product, "div": _quotient, "atan2": _atan2, "pow": _pow,
    "neg": lambda w, a: w.emit("neg", (a,), Rule("negation", (a,))),
    "sqrt": lambda w, a: w.emit("sqrt", (a,), Rule("root", (a,))),
    "sin": lambda w, a: w.pair("sin", "cos", -1, "sin", a),
    "cos": lambda w, a: w.pair("sin", "cos", -1, "cos", a),
    "sinh": lambda w, a: w.pair("sinh", "cosh", 1, "sinh", a),
    "cosh": lambda w, a: w.pair("sinh", "cosh", 1, "cosh", a),
    "tan": lambda w, a: w.integral("tan", (a,), a, lambda y: _one_plus_square(w, y)),
    "tanh": lambda w, a: w.integral("tanh", (a,), a, lambda y: _one_plus_square(w, y, "sub")),
    "exp": lambda w, a: w.integral("exp", (a,), a, lambda y: y),
    "log": lambda w, a: w.integral("log", (a,), a, lambda y: _reciprocal(w, a)),
    "asin": lambda w, a: _arcsine(w, "asin", a),
    "acos": lambda w, a: _arcsine(w, "acos", a),
    "atan": lambda w, a: w.integral("atan", (a,), a, lambda y: _reciprocal(w, _one_plus_square(w, a))),
})  # fmt: skip
