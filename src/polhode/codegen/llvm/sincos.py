"""Sine and cosine together, as LLVM IR, for one number or for lanes of them.

Reduction (Cody and Waite): k = round(2x/π), r = ((x − k·P1) − k·P2) − k·P3 with P1 + P2 + P3 = π/2 to 160 bits and
fused multiply-adds. P1 has 53 bits below 2, so x and k·P1 are both multiples of 2^-53 once |x| > 1/2: the first
difference is exact. The second is rounded once, relative to its own size. The third corrects by k·2^-110, far below the
smallest |r| that a double below `LIMIT` can have (about 2^-60).

Polynomials, |r| ≤ π/4:  sin r = r + r³ S(r²),  cos r = 1 − r²/2 + r⁴ C(r²),  S and C of degree 5, minimax for relative
error by the Remez exchange in 200-bit arithmetic, then rounded: 2^-57.9 and 2^-63.9 (the unit test finds them again).
The quadrant picks and signs by selects and bit operations. Beyond `LIMIT`, and for inf and nan, a cold function
outside the straight line asks the C library; in lanes it takes them one by one, so that none depends on the others.
Error: at most 2 units in the last place.
"""

from __future__ import annotations

import struct
from functools import partial

#: Above this the reduction is left to the C library.
LIMIT = float(2**28)

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
HALF_PI = tuple(map(float.fromhex, ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54", "-0x1.f1976b7ed8fbcp-110")))
SINE = tuple(map(float.fromhex, (
    "-0x1.5555555555548p-3", "0x1.111111110f7cap-7", "-0x1.a01a019bfd180p-13", "0x1.71de3567124fap-19",
    "-0x1.ae5e59f58b52cp-26", "0x1.5d8fa31c259fap-33",
)))  # fmt: skip
COSINE = tuple(map(float.fromhex, (
    "0x1.555555555554bp-5", "-0x1.6c16c16c14f8ap-10", "0x1.a01a019c8390fp-16", "-0x1.27e4f7ea37964p-22",
    "0x1.1ee9d75291b13p-29", "-0x1.8fa465ee9966bp-37",
)))  # fmt: skip
# Adding 1.5·2^52 rounds to an integer and leaves it in the low bits, two's complement.
_ROUNDER = 1.5 * 2.0**52


def double(value: float) -> str:
    """A float as an LLVM literal that is read back to the same bits."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def vector_type(lanes: int, element: str = "double") -> str:
    """The type of `lanes` elements; one lane is a plain scalar."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def splat(value: float, lanes: int) -> str:
    """The same float in every lane."""
    return double(value) if lanes == 1 else "<" + ", ".join([f"double {double(value)}"] * lanes) + ">"


def suffix(lanes: int) -> str:
    """How LLVM spells the type in the name of an intrinsic."""
    return "f64" if lanes == 1 else f"v{lanes}f64"


def sincos_name(lanes: int) -> str:
    """The name of the function that `sincos_ir` defines."""
    return f"@ph_sincos{lanes}"


def sincos_ir(lanes: int = 1, *, fused: bool = True) -> str:
    """LLVM functions returning {sin x, cos x}; the module declares @sin, @cos, fma and fabs."""
    by_library = _library_ir if lanes == 1 else partial(_each_lane_ir, lanes)
    if not fused:
        return by_library(sincos_name(lanes), "#1")
    real, mask, integer = vector_type(lanes), vector_type(lanes, "i1"), vector_type(lanes, "i64")
    pair, name, kind = f"{{ {real}, {real} }}", sincos_name(lanes), suffix(lanes)
    body: list[str] = []

    def c(value: float) -> str:
        return splat(value, lanes)

    def bits(value: int) -> str:
        return str(value) if lanes == 1 else "<" + ", ".join([f"i64 {value}"] * lanes) + ">"

    def fma(result: str, a: str, b: str, plus: str) -> None:
        body.append(f"  %{result} = call {real} @llvm.fma.{kind}({real} {a}, {real} {b}, {real} {plus})")

    def op(result: str, text: str) -> None:
        body.append(f"  %{result} = {text}")

    op("size", f"call {real} @llvm.fabs.{kind}({real} %x)")
    op("over", f"fcmp ugt {real} %size, {c(LIMIT)}")
    if lanes > 1:
        op("any", f"call i1 @llvm.vector.reduce.or.v{lanes}i1({mask} %over)")
    body.append(f"  br i1 {'%over' if lanes == 1 else '%any'}, label %far, label %near, !prof !0")
    body.append("far:")
    op("slow", f"call {pair} {name}_far({real} %x)")
    body.append(f"  ret {pair} %slow")
    body.append("near:")
    fma("shifted", "%x", c(TWO_OVER_PI), c(_ROUNDER))
    op("k", f"fsub {real} %shifted, {c(_ROUNDER)}")
    op("code", f"bitcast {real} %shifted to {integer}")
    op("back", f"fneg {real} %k")
    fma("r1", "%back", c(HALF_PI[0]), "%x")
    fma("r2", "%back", c(HALF_PI[1]), "%r1")
    fma("r", "%back", c(HALF_PI[2]), "%r2")
    op("z", f"fmul {real} %r, %r")
    op("zz", f"fmul {real} %z, %z")
    # Estrin's scheme: three independent pairs, then two steps in z², half the latency of Horner's.
    for letter, row in (("s", SINE), ("c", COSINE)):
        for k in (0, 2, 4):
            fma(f"{letter}{k}", "%z", c(row[k + 1]), c(row[k]))
        fma(f"{letter}h", "%zz", f"%{letter}4", f"%{letter}2")
        fma(f"{letter}p", "%zz", f"%{letter}h", f"%{letter}0")
    op("cube", f"fmul {real} %z, %r")
    fma("sine", "%cube", "%sp", "%r")
    fma("bow", "%z", c(-0.5), c(1.0))
    fma("cosine", "%zz", "%cp", "%bow")
    op("lowest", f"and {integer} %code, {bits(1)}")
    op("odd", f"icmp ne {integer} %lowest, {bits(0)}")
    op("a", f"select {mask} %odd, {real} %cosine, {real} %sine")
    op("b", f"select {mask} %odd, {real} %sine, {real} %cosine")
    op("next", f"add {integer} %code, {bits(1)}")
    for result, magnitude, quadrant in (("sin", "a", "code"), ("cos", "b", "next")):
        # Bit 1 of the quadrant is the sign.
        op(f"{result}.2", f"and {integer} %{quadrant}, {bits(2)}")
        op(f"{result}.sign", f"shl {integer} %{result}.2, {bits(62)}")
        op(f"{result}.bits", f"bitcast {real} %{magnitude} to {integer}")
        op(f"{result}.signed", f"xor {integer} %{result}.bits, %{result}.sign")
        op(result, f"bitcast {integer} %{result}.signed to {real}")
    op("one", f"insertvalue {pair} poison, {real} %sin, 0")
    op("both", f"insertvalue {pair} %one, {real} %cos, 1")
    head = f"define internal {pair} {name}({real} %x) alwaysinline #1 {{"
    return "\n".join([head, *body, f"  ret {pair} %both", "}", by_library(f"{name}_far", "noinline cold #1")])


def _each_lane_ir(lanes: int, name: str, attributes: str) -> str:
    """Each lane by the function of one."""
    real, one = vector_type(lanes), "{ double, double }"
    pair, at = f"{{ {real}, {real} }}", "getelementptr double, ptr"
    return "\n".join(
        [
            f"define internal {pair} {name}({real} %x) {attributes} {{",
            "entry:",
            *(f"  %{part} = alloca {real}, align 8" for part in ("from", "sin", "cos")),
            f"  store {real} %x, ptr %from, align 8",
            "  br label %lane",
            "lane:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %lane ]",
            *(f"  %{part}.at = {at} %{part}, i64 %i" for part in ("from", "sin", "cos")),
            "  %x.i = load double, ptr %from.at, align 8",
            f"  %both = call {one} {sincos_name(1)}(double %x.i)",
            f"  %sin.i = extractvalue {one} %both, 0",
            f"  %cos.i = extractvalue {one} %both, 1",
            "  store double %sin.i, ptr %sin.at, align 8",
            "  store double %cos.i, ptr %cos.at, align 8",
            "  %next = add i64 %i, 1",
            f"  %more = icmp slt i64 %next, {lanes}",
            "  br i1 %more, label %lane, label %done",
            "done:",
            f"  %sines = load {real}, ptr %sin, align 8",
            f"  %cosines = load {real}, ptr %cos, align 8",
            f"  %one = insertvalue {pair} poison, {real} %sines, 0",
            f"  %two = insertvalue {pair} %one, {real} %cosines, 1",
            f"  ret {pair} %two",
            "}",
        ]
    )


def _library_ir(name: str, attributes: str) -> str:
    """Both by the C library."""
    return "\n".join(
        [
            f"define internal {{ double, double }} {name}(double %x) {attributes} {{",
            "  %sin = call double @sin(double %x)",
            "  %cos = call double @cos(double %x)",
            "  %one = insertvalue { double, double } poison, double %sin, 0",
            "  %both = insertvalue { double, double } %one, double %cos, 1",
            "  ret { double, double } %both",
            "}",
        ]
    )
