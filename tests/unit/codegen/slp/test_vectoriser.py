"""Isomorphic groups of values are found in the flat program, and computed in packs to the same numbers."""

import ctypes
import random
import re
from dataclasses import dataclass, field, replace
from functools import cache

import llvmlite.binding as llvm
import numpy as np
import pytest
from tests.packed_interpreter import interpret_packed
from tests.random_program import random_program

import polhode as ph
from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.ops import check_program
from polhode.codegen.ir.packed import Gather, Pack, Packed, Source, Splat, Term
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.llvm import kernels, module
from polhode.codegen.slp.reassociation import Node, isomorphism_classes, reassociated
from polhode.codegen.slp.vectoriser import CostModel, group_packs, group_size, seed_groups, sincos_packs, vectorise
from polhode.native import compile_program, engine

JOINTS, SHARED = 3, 4


@dataclass
class Walker:
    """A program with limbs: from a body out to the limbs, back to the body, and out again.

    Limbs have their own numbers, and their sums come in another order; where they are `mirrored`, with other signs too,
    and where they are `uneven`, some lack a term. With `parameters`, the numbers are those of the set-up part.
    """

    seed: int
    limbs: int
    mirrored: bool = False
    uneven: bool = False
    parameters: int = 0
    size: int = 40
    code: list[Instruction] = field(default_factory=list)

    def program(self) -> Program:
        self.recipe, self.chance = random.Random(self.seed), random.Random(self.seed + 1)
        self.numbers = [*(self.chance.uniform(0.2, 0.9) for _ in range(60)), 3.0]
        self.start = len(self.numbers) + SHARED + 2 * JOINTS * self.limbs + self.parameters
        q, u = len(self.numbers), len(self.numbers) + SHARED + JOINTS * self.limbs
        body = [self.emit("sin", q), self.emit("cos", q + 1), q + 2, self.emit("mul", q, q + 3)]
        made: list[list[int]] = []
        for limb in range(self.limbs):
            joints = range(limb * JOINTS, (limb + 1) * JOINTS)
            known = [self.emit(op, q + SHARED + j) for j in joints for op in ("sin", "cos")]
            made.append([*known, *(u + j for j in joints)])
        state = self.recipe.getstate()
        for known in made:
            self.recipe.setstate(state)
            self.grow(known, body, self.size)
        back = [self.sum([known[-k] for known in made] + [body[k]]) for k in range(1, 4)]
        state = self.recipe.getstate()
        for known in made:
            self.recipe.setstate(state)
            self.grow(known, back, self.size // 2)
        outputs = (Output("y", (2 * self.limbs,), tuple(slot for known in made for slot in known[-2:])),)
        arrays = (Array("q", SHARED + JOINTS * self.limbs), Array("u", JOINTS * self.limbs))
        program = Program("walker", arrays, self.parameters, tuple(self.numbers), (), tuple(self.code), outputs)
        check_program(program)
        return program

    def emit(self, op: str, *args: int) -> int:
        self.code.append(Instruction(op, args))
        return self.start + len(self.code) - 1

    def number(self) -> int:
        if self.parameters:
            return self.start - 1 - self.chance.randrange(self.parameters)
        return self.chance.randrange(len(self.numbers) - 1)

    def turned(self, a: int, b: int) -> tuple[int, int]:
        if self.mirrored and self.chance.random() < 0.1:
            a = self.emit("neg", a)
        return (a, b) if self.chance.random() < 0.5 else (b, a)

    def sum(self, terms: list[int]) -> int:
        self.chance.shuffle(terms)
        if self.uneven and len(terms) > 2 and self.chance.random() < 0.1:
            terms.pop()
        total = terms[0]
        for term in terms[1:]:
            op = "sub" if self.mirrored and self.chance.random() < 0.3 else "add"
            total = self.emit(op, *self.turned(total, term))
        return total

    def grow(self, known: list[int], common: list[int], size: int) -> None:
        """So many values of a limb, by the recipe, which is the same for all limbs."""
        for _ in range(size):
            kind = self.recipe.choice(["mul", "scale", "sum", "sum", "common", "div", "root"])
            a, b, c = (known[-self.recipe.randrange(1, min(len(known), 12))] for _ in range(3))
            shared = self.recipe.choice(common)
            if kind == "mul":
                made = self.emit("mul", *self.turned(a, b))
            elif kind == "scale":
                made = self.emit("mul", *self.turned(a, self.number()))
            elif kind == "common":
                made = self.emit("mul", *self.turned(a, shared))
            elif kind == "sum":
                made = self.sum([a, self.emit("mul", *self.turned(b, c)), self.number(), shared])
            else:
                square = self.sum([self.emit("mul", a, a), self.number(), self.number()])
                made = self.emit("sqrt", self.emit("abs", square))
                if kind == "div":
                    below = self.emit("add", made, len(self.numbers) - 1), self.number()
                    made = self.emit("div", b, self.emit("sub", *(self.turned(*below) if self.mirrored else below)))
            known.append(
                self.emit("sin", made) if self.recipe.random() < 0.3 else self.emit("mul", made, self.number())
            )


WALKERS = {
    "two legs": lambda seed: Walker(seed, 2).program(),
    "two mirrored legs": lambda seed: Walker(seed, 2, mirrored=True).program(),
    "four uneven legs": lambda seed: Walker(seed, 4, mirrored=True, uneven=True).program(),
    "three legs with parameters": lambda seed: Walker(seed, 3, parameters=20).program(),
    "six legs": lambda seed: Walker(seed, 6, mirrored=True).program(),
}


def numbers_for(program: Program, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    dice = np.random.default_rng(seed)
    inputs = {array.name: dice.uniform(0.2, 0.9, array.size) for array in program.arrays}
    return inputs, dice.uniform(0.2, 0.9, program.parameters)


def together(program: Program, width: int = 1) -> Packed:
    code = vectorise(program, width)
    assert code is not None
    return code


@pytest.mark.parametrize("kind", WALKERS)
@pytest.mark.parametrize("seed", range(4))
def test_side_by_side_limbs_compute_what_the_program_computes(kind: str, seed: int) -> None:
    program = WALKERS[kind](seed)
    inputs, parameters = numbers_for(program, seed)
    entries = [entry for array in program.arrays for entry in inputs[array.name]]
    found = interpret_packed(program, together(program), entries, list(parameters))
    np.testing.assert_allclose(found, interpret(program, inputs, parameters)["y"], rtol=1e-9)


@pytest.mark.parametrize("kind", WALKERS)
def test_machine_code_of_limbs_gives_the_interpreters_numbers(kind: str) -> None:
    program = WALKERS[kind](5)
    inputs, parameters = numbers_for(program, 5)
    function = compile_program(program, cache=False, backend="llvm", parameters=parameters)
    np.testing.assert_allclose(function(**inputs), interpret(program, inputs, parameters)["y"], rtol=1e-9)
    assert "x double>" in module.scalar_module(program).text


@pytest.mark.parametrize("limbs", [2, 3, 4, 6])
@pytest.mark.parametrize("mirrored", [False, True])
def test_limbs_that_are_alike_take_the_steps_of_one(limbs: int, mirrored: bool) -> None:
    program = Walker(1, limbs, mirrored=mirrored).program()
    code = together(program)
    alone = sum(not is_pack for is_pack, _ in code.order)
    assert {len(pack.lanes) for pack in code.packs} == {limbs}
    assert alone < 20 + limbs  # the body's


def test_a_slot_is_computed_once_and_after_what_it_reads() -> None:
    program = Walker(3, 4, mirrored=True, uneven=True).program()
    code = together(program)
    singles = [number for is_pack, number in code.order if not is_pack]
    lanes = [lane[0] for pack in code.packs for lane in pack.lanes if lane]
    assert len({*singles, *lanes}) == len(singles) + len(lanes)
    placed = {number: place for place, (is_pack, number) in enumerate(code.order) if not is_pack}
    for number, pack in enumerate(code.packs):
        placed.update((lane[0], code.order.index((True, number))) for lane in pack.lanes if lane)
    for slot in singles:
        assert all(placed.get(arg, -1) < placed[slot] for arg in program.run[slot - program.first_run].args)


@pytest.mark.parametrize("limbs", [2, 3, 4, 6])
def test_limbs_are_counted(limbs: int) -> None:
    program = Walker(1, limbs, mirrored=True).program()
    values = reassociated(program)
    assert group_size(values, isomorphism_classes(program, values)) == limbs


def test_inputs_play_the_same_part_where_what_is_made_of_them_does() -> None:
    """(sin a)·b and (sin c)·d; where one sine is in another limb already, b and d still do."""
    steps = [("sin", (0,)), ("sin", (2,)), ("mul", (4, 1)), ("mul", (3, 5))]
    code = tuple(Instruction(op, args) for op, args in steps)
    program = Program("f", (Array("q", 4),), 0, (), (), code, (Output("y", (2,), (6, 7)),))
    values = reassociated(program)
    form = isomorphism_classes(program, values)
    assert seed_groups(program, values, form, 2) == [(0, 2), (1, 3)]
    del values[4]
    assert (1, 3) in seed_groups(program, values, form, 2)


def test_a_mirrored_limb_needs_few_changes_of_sign() -> None:
    """Two limbs that differ in the signs of numbers alone: the numbers take them all."""
    program = Walker(4, 2).program()
    flipped: list[Instruction] = []
    for place, step in enumerate(program.run):
        flipped.append(step if place % 7 or step.op != "add" else Instruction("sub", step.args))
    mirrored = Program(program.name, program.arrays, 0, program.constants, (), tuple(flipped), program.outputs)
    code = together(mirrored)
    mixed = [term for pack in code.packs for term in pack.terms if len(set(term.signs) - {0}) > 1]
    numbers = [term for term in mixed if any(_is_number(factor, program.first_input) for factor in term.factors)]
    assert len(mixed) - len(numbers) < 0.1 * len(code.packs)


def _is_number(source: Source, end: int) -> bool:
    if isinstance(source, Gather):
        return all(slot is None or slot < end for slot in source.slots)
    return isinstance(source, Splat) and source.slot < end


def test_an_output_of_packs_may_lie_over_an_input_and_more_outputs_than_inputs_may_lie_over_them_too() -> None:
    program = Walker(6, 2).program()
    inputs, _ = numbers_for(program, 6)
    expected = interpret(program, inputs)["y"]
    function = compile_program(program, cache=False, backend="llvm")
    q, u, work = inputs["q"].copy(), inputs["u"].copy(), np.empty(1)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (q, u, work, u)]
    function.signature(function.address)(*pointers)
    np.testing.assert_allclose(u[: len(expected)], expected, rtol=1e-12)
    walker = Walker(6, 2).program()
    end = walker.first_run + len(walker.run)
    slots = (*range(walker.first_run, walker.first_run + 30), *range(end - 30, end))
    program = replace(walker, outputs=(Output("y", (60,), slots),))
    inputs, _ = numbers_for(program, 6)
    expected = interpret(program, inputs)["y"]
    function = compile_program(program, cache=False, backend="llvm")
    for over in ("q", "u"):
        arrays = {name: np.concatenate([array, np.zeros(60)]) for name, array in inputs.items()}
        pointers = [arrays["q"], arrays["u"], np.empty(1), arrays[over]]
        function.signature(function.address)(*(ctypes.c_void_p(array.ctypes.data) for array in pointers))
        np.testing.assert_allclose(arrays[over][:60], expected, rtol=1e-12)


def test_lanes_of_a_vector_with_signs_are_read_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """y = -(a - b)·c in two of four lanes, of a vector that holds b - a."""
    steps = [Instruction("sub", (k, k + 4)) for k in range(4)] + [
        Instruction("mul", (10, 8)),
        Instruction("mul", (11, 8)),
    ]
    outputs = (Output("y", (4,), (14, 15, 12, 13)),)
    program = Program("lanes", (Array("q", 10),), 0, (), (), tuple(steps), outputs)
    first = Pack(tuple((10 + k, -1) for k in range(4)), tuple(
        Term((sign,) * 4, (Gather(tuple(range(start, start + 4))),)) for start, sign in ((4, 1), (0, -1))))  # fmt: skip
    second = Pack(((14, 1), (15, -1)), (Term((1, -1), (Gather((10, 11)), Splat(8))),))
    entries = (tuple((slot, 1) for slot in outputs[0].slots),)
    code = Packed((first, second), ((True, 0), (True, 1)), entries)
    inputs = np.array([0.3, 0.8, 0.1, 0.7, 0.9, 0.2, 0.5, 0.6, 0.4, 0.0])
    expected = interpret(program, {"q": inputs})["y"]
    np.testing.assert_allclose(interpret_packed(program, code, list(inputs)), expected)
    monkeypatch.setattr(kernels, "vectorise", lambda program, width: code)
    function = compile_program(program, cache=False, backend="llvm")
    np.testing.assert_allclose(function(q=inputs), expected)


def test_values_that_would_only_be_put_together_and_taken_apart_stay_alone() -> None:
    """tanh(tanh(a)·tanh(b)), twice: filled twice and emptied once for one product; but not if that is squared often."""
    values = {k: Node("tanh", (k - 4,), (1,)) for k in range(4, 8)}
    values.update({8: Node("mul", (4, 5), (1, 1)), 9: Node("mul", (6, 7), (1, 1))})
    values.update({10: Node("tanh", (8,), (1,)), 11: Node("tanh", (9,), (1,))})
    alone = Program("f", (Array("q", 4),), 0, (), (), (), ())
    packs = group_packs(values, dict.fromkeys(range(12), 0), [(8, 9)])
    assert CostModel(alone, values, packs).dissolve() == {0}
    for k in range(10, 20):
        values[k] = Node("mul", (k - 2, k - 2), (1, 1))
    values.update({20: Node("tanh", (18,), (1,)), 21: Node("tanh", (19,), (1,))})
    packs = group_packs(values, dict.fromkeys(range(22), 0), [(k, k + 1) for k in range(8, 20, 2)])
    assert CostModel(alone, values, packs).dissolve() <= {0}


def test_sines_of_a_group_lie_in_one_vector() -> None:
    values = {k: Node("sin", (k - 7,), (1,)) for k in range(7, 14)}
    packs = sincos_packs(values, [(0, 4), (1, 5), (2, 6)], 7, 4)
    assert [[lane and lane[0] - 7 for lane in pack.lanes] for pack in packs] == [[0, 4, 1, 5], [2, 6, 3, None]]
    assert sincos_packs(values, [(0, 4), (1, 5), (2, 6), (0, 1)], 7, 4) == packs
    assert not sincos_packs(values, [], 7, 1)


def test_what_is_not_finite_in_one_limb_stays_there() -> None:
    program = Walker(7, 2).program()
    inputs, _ = numbers_for(program, 7)
    expected = interpret(program, inputs)["y"]
    function = compile_program(program, cache=False, backend="llvm")
    inputs["u"][0] = np.inf
    spoilt = interpret(program, inputs)["y"]
    np.testing.assert_array_equal(np.isfinite(function(**inputs)), np.isfinite(spoilt))
    assert np.isfinite(expected).all() and not np.isfinite(spoilt).all()


def test_programs_without_limbs_stay_and_outputs_are_stored_in_blocks() -> None:
    for program in (random_program(1, 300), random_program(2, 60)):
        assert vectorise(program) is None
        assert kernels.written(kernels.Kernel(program, "f", fused=False))[1] is kernels.scalar_code
    program = Walker(1, 5).program()  # ten outputs
    stores = [line for line in module.scalar_module(program).text.split("\n") if ", ptr %s.out0." in line]
    assert ["<4 x double>" in line for line in stores] == [True, True, False, False]


@pytest.mark.parametrize("limbs", [4, 8])
def test_one_state_takes_registers_of_256_bits_and_a_batch_the_widest(limbs: int) -> None:
    program = Walker(1, limbs).program()
    assert together(program, kernels.ANGLES).widths[-1] == 8
    assert registers(module.scalar_module(program).text) == {"xmm", "ymm"}
    assert "zmm" in registers(module.lane_module(program, 8))


def registers(text: str) -> set[str]:
    """The vector registers in a module's code for a processor with AVX-512."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="sapphirerapids", opt=2)
    _, builder, passes = engine._tools(2)
    parsed = llvm.parse_assembly(text, llvm.create_context())
    passes.run(parsed, builder)
    return set(re.findall("[xyz]mm", machine.emit_assembly(parsed)))


@cache
def quadruped(arms: int = 0) -> ph.Equations:
    """A trunk with four legs of two links, mirrored left and right, and of lengths and masses that are parameters.

    A centaur has arms of three links as well.
    """
    system = ph.System("quadruped", gravity=(0, 0, -9.81))
    length, mass = system.parameter("L", 0.3), system.parameter("m", 0.8)
    trunk = system.body("trunk", mass=10, com=(0, 0, 0.02), inertia=(1, 2, 3))
    system.joint("base", system.ground, trunk, ph.Free())
    for front in (1, -1):
        for left in (1, -1):
            thigh = system.body(
                f"thigh{front}{left}", mass=mass, com=(0, left * length / 9, -length / 2), inertia=(1, 2, 3)
            )
            shank = system.body(f"shank{front}{left}", mass=mass / 2, com=(0, 0, -length / 2), inertia=(1, 1, 2))
            at = (front * length, left * length / 2, 0)
            system.joint(f"hip{front}{left}", trunk, thigh, ph.Revolute("x" if left > 0 else "-x"), at=at)
            system.joint(f"knee{front}{left}", thigh, shank, ph.Revolute("y"), at=(0, 0, -length))
    for left in (1, -1)[:arms]:
        carrier, at = trunk, (length, left * length / 3, length)
        for place, axis in enumerate("yxz"):
            link = system.body(f"link{left}{place}", mass=mass / 3, com=(length / 5, 0, -length / 2), inertia=(1, 2, 3))
            system.joint(f"joint{left}{place}", carrier, link, ph.Revolute(axis), at=at)
            carrier, at = link, (0, 0, -length)
    return system.derive()


@pytest.mark.slow
@pytest.mark.parametrize("bake", [False, True])
@pytest.mark.parametrize("what", ["forward_dynamics", "inverse_dynamics", "mass_matrix"])
def test_the_legs_of_a_quadruped_go_side_by_side(what: str, bake: bool) -> None:
    functions = quadruped().compile(bake=bake, cache=False)
    program = functions.program(what)
    code = together(program)
    assert code.widths == [4] and len(code.order) < 0.55 * len(program.run)
    inputs, _ = numbers_for(program, 1)
    parameters = [] if bake else [0.3, 0.8]
    (found,) = interpret(program, inputs, parameters).values()
    compiled = compile_program(program, cache=False, backend="llvm", parameters=parameters)
    np.testing.assert_allclose(compiled(**inputs), found, rtol=1e-9, atol=1e-10)


def test_the_legs_of_a_centaur_go_by_four_and_its_arms_by_two() -> None:
    program = quadruped(arms=2).compile(bake=True, cache=False).program("inverse_dynamics")
    code = together(program)
    assert code.widths == [2, 4] and sum(len(pack.lanes) == 2 for pack in code.packs) > 40
    inputs, _ = numbers_for(program, 1)
    (found,) = interpret(program, inputs).values()
    compiled = compile_program(program, cache=False, backend="llvm")
    np.testing.assert_allclose(compiled(**inputs), found, rtol=1e-9, atol=1e-10)


@cache
def arm() -> ph.Equations:
    """Seven joints one after the other, as a Panda has them: links look alike here and there, by chance."""
    system = ph.System("arm", gravity=(0, 0, -9.81))
    carrier: ph.Body = system.ground
    for place, axis in enumerate(("z", "y", "z", "-y", "z", "-y", "-z")):
        link = system.body(f"link{place}", mass=place + 1, com=(0.1, place / 50, 0.2), inertia=(1, 2, 3 - place / 10))
        system.joint(f"joint{place}", carrier, link, ph.Revolute(axis), at=(0.1 * (place % 3), 0, 0.3))
        carrier = link
    return system.derive()


@pytest.mark.parametrize("what", ["forward_dynamics", "inverse_dynamics", "mass_matrix"])
def test_what_looks_alike_by_chance_may_go_side_by_side_too(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.codegen.slp.vectoriser.PROFITABLE", np.inf)
    monkeypatch.setattr("polhode.codegen.slp.vectoriser._LEAST", 0.005)
    program = arm().compile(bake=True, cache=False).program(what)
    inputs, _ = numbers_for(program, 1)
    entries = [entry for array in program.arrays for entry in inputs[array.name]]
    (expected,) = interpret(program, inputs).values()
    found = interpret_packed(program, together(program, width=4), entries)
    np.testing.assert_allclose(found, expected.ravel(), rtol=1e-9, atol=1e-10)
    compiled = compile_program(program, cache=False, backend="llvm")
    np.testing.assert_allclose(compiled(**inputs), expected, rtol=1e-9, atol=1e-10)
