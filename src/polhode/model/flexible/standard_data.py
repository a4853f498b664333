"""Standard input data of a flexible body (O. Wallrapp, 1994), as finite-element codes write them: the file *.SID_FEM.

A text of nested blocks, `name` … `end name`, with lines `key = value`. A matrix is a block of its own, expanded in the
elastic coordinates: order, nrow, ncol, nq, nqn, structure (0 zero, 1 diagonal, 2 symmetric, 3 full, 4 unit), then its
entries m0(row, column) and m1(row, coordinate, column); entries that are not there are zero. With r = R + Σ Φ_i q_i:

    mdCM  m c                            Ct  b_i = ∫ Φ_i dm          Me  ∫ Φ_i · Φ_j dm = tr G_ij
    J     J_0 + Σ J_i q_i, J_i = tr(S_i) 1 - S_i with S_i = G_0i + G_0iᵀ
    Cr    ∫ R × Φ_i dm + Σ q_l ∫ Φ_l × Φ_i dm: the antisymmetric parts of G_0i and G_li
    Oe    m1: Φ_iᵀ ω̃ ω̃ Φ_l by ωx², ωy², ωz², ωx ωy, ωy ωz, ωx ωz: the symmetric part of G_il

from which b_i, G_0i and G_ij follow. Gr and Ge hold the same integrals again and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...errors import FormatError, LimitError, path_of, warn
from ...expr import Expr, Matrix, Vector, as_expr
from ...files.reading import TooLarge, read_file
from .deformation import Section, no_moments, outer, zero
from .modal import moments_of_inertia

SIZE_LIMIT = 100_000_000
MODE_LIMIT = 100
_ENTRY = re.compile(r"m([01])\s*\((.*)\)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d{1,3})?")
_SIZES = ("order", "nrow", "ncol", "nq", "nqn", "structure")


@dataclass
class _Block:
    """A block of the file: where it begins, its lines `key = value`, and the blocks in it."""

    name: str
    line: int
    argument: str = ""
    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    entries: list[tuple[int, tuple[int, ...], Fraction, int]] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)

    def child(self, name: str) -> _Block | None:
        return next((block for block in self.blocks if block.name == name), None)


class _Reader:
    """The file as it is read; errors have its name and the line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def error(
        self, message: str, line: int, cure: str = "Write the file again from the finite-element code."
    ) -> FormatError:
        return FormatError(message, place=f"{self.path}:{line}", cure=cure, code="E-FILE-READ")

    def text(self) -> str:
        try:
            return read_file(self.path, SIZE_LIMIT).decode("latin-1")
        except TooLarge as error:
            message, place = f"{error.strerror}.", str(self.path)
            raise LimitError(message, place=place, cure="Select fewer nodes.", code="E-FILE-READ") from None
        except OSError as error:
            message, place = f"the file cannot be read: {error.strerror}.", str(self.path)
            raise FormatError(message, place=place, cure="Check its name.", code="E-FILE-READ") from None

    def blocks(self) -> _Block:
        """The tree of blocks."""
        root = _Block("file", 1)
        stack = [root]
        for number, line in self._lines():
            words = line.split()
            key, equals, value = (part.strip() for part in line.partition("="))
            if words[0] == "end":
                if len(stack) == 1 or (len(words) > 1 and words[1] != stack[-1].name):
                    raise self.error(f"'{line[:40]}' ends no block; '{stack[-1].name}' is open.", number)
                stack.pop()
            elif (words[0] == "new" and len(words) > 1) or not equals:
                name = words[1].rstrip("=") if words[0] == "new" and len(words) > 1 else words[0]
                stack[-1].blocks.append(_Block(name, number, value))
                stack.append(stack[-1].blocks[-1])
            elif match := _ENTRY.fullmatch(key):
                stack[-1].entries.append(
                    (int(match[1]), self._indices(match[2], number), self.number(value, number), number)
                )
            else:
                stack[-1].values.setdefault(key, (value, number))
        if len(stack) > 1:
            raise self.error(f"the block '{stack[-1].name}' has no end.", stack[-1].line)
        return root

    def _lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers, from `part` on; what stands before it is a title."""
        begun = False
        for number, line in enumerate(self.text().splitlines(), start=1):
            stripped = line.strip()
            begun = begun or stripped == "part"
            if begun and stripped:
                yield number, stripped
        if not begun:
            raise self.error("no line 'part' begins the standard input data.", 1, "Give a file of the kind *.SID_FEM.")

    def number(self, text: str, line: int) -> Fraction:
        if not _NUMBER.fullmatch(text):
            raise self.error(f"'{text[:30]}' is not a number.", line)
        return Fraction(text.lower().replace("d", "e"))

    def _indices(self, text: str, line: int) -> tuple[int, ...]:
        parts = [part.strip() for part in text.split(",")]
        if not all(part.isdecimal() and len(part) < 7 for part in parts):
            raise self.error(f"'({text[:30]})' are no indices.", line)
        return tuple(int(part) for part in parts)

    def size(self, block: _Block, key: str) -> int:
        text, line = block.values.get(key, ("", block.line))
        if not text.isdecimal() or len(text) > 6:
            raise self.error(f"'{block.name}' has no whole number '{key}'.", line)
        return int(text)

    def matrix(self, block: _Block, shapes: list[tuple[int, int]], nq: int) -> _Taylor:
        """A matrix of one of the allowed shapes: its entries of order 0 and 1."""
        order, rows, columns, count, _, structure = (self.size(block, key) for key in _SIZES)
        if (rows, columns) not in shapes:
            meant = " or ".join(f"{r}×{c}" for r, c in shapes)
            raise self.error(f"'{block.name}' is {rows}×{columns}, not {meant}.", block.line)
        if order and count != nq:
            raise self.error(f"'{block.name}' is expanded in {count} coordinates of {nq}.", block.line)
        for key, (_, line) in block.values.items():
            if key not in _SIZES:
                raise self.error(f"'{block.name}' has no '{key[:30]}'.", line)
        taylor = _Taylor(order, (rows, columns), {})
        if structure == 4:
            taylor.entries |= {(i, None, i): Fraction(1) for i in range(rows)}
        for power, indices, value, line in block.entries:
            bounds = (rows, nq, columns) if power else (rows, columns)
            if len(indices) != len(bounds) or not all(map(lambda i, bound: 1 <= i <= bound, indices, bounds)):
                raise self.error(f"'{block.name}' has no entry m{power}{indices}.", line)
            i, *q, j = (index - 1 for index in indices)
            for at in ((i, j), (j, i))[: 2 if structure == 2 and rows == columns else 1]:
                taylor.entries[at[0], q[0] if q else None, at[1]] = value
        return taylor


@dataclass
class _Taylor:
    """A matrix expanded in the elastic coordinates: entries by row, coordinate (None for order 0) and column."""

    order: int
    shape: tuple[int, int]
    entries: dict[tuple[int, int | None, int], Fraction]

    def __call__(self, i: int, j: int, q: int | None = None) -> Fraction:
        return self.entries.get((i, q, j), Fraction(0))

    def row(self, i: int, q: int | None = None) -> list[Fraction]:
        return [self(i, j, q) for j in range(self.shape[1])]


def read_standard_data(name: str, path: Any) -> dict[str, Any]:
    """Rigid data, moments, stiffness, damping (if any) and nodes of a flexible body from its standard input data."""
    reader = _Reader(path_of(path))
    part = reader.blocks().child("part")
    modal = part.child("modal") if part is not None else None
    if modal is None:
        raise reader.error("there is no block 'modal'.", 1)
    refmod = modal.child("refmod")
    if refmod is None or "mass" not in refmod.values:
        raise reader.error("there is no mass: the block 'refmod' lacks it.", modal.line)
    nq = reader.size(refmod, "nelastq")
    if not 0 < nq <= MODE_LIMIT:
        raise reader.error(f"it has {nq} modes, not 1 to {MODE_LIMIT}.", refmod.line, "Select modes.")
    mass = as_expr(reader.number(*refmod.values["mass"]))
    if mass.data <= 0:
        raise reader.error(f"the mass {mass} is not positive.", refmod.values["mass"][1])

    def taylor(key: str, *shapes: tuple[int, int]) -> _Taylor | None:
        block = modal.child(key)
        return None if block is None else reader.matrix(block, list(shapes), nq)

    needed = {"mdCM": taylor("mdCM", (3, 1)), "J": taylor("J", (3, 3), (6, 1)), "Me": taylor("Me", (nq, nq))}
    needed["Ke"] = taylor("Ke", (nq, nq)) or taylor("K", (nq, nq))
    for key, matrix in needed.items():
        if matrix is None:
            raise reader.error(f"there is no block '{key}'.", modal.line)
    moments, inertia, modes, stiffness = (block for block in needed.values() if block is not None)
    translation, rotation, centrifugal = taylor("Ct", (nq, 3)), taylor("Cr", (nq, 3)), taylor("Oe", (nq, 6))
    damping = taylor("De", (nq, nq)) or taylor("D", (nq, nq))
    com = Vector([as_expr(moments(k, 0)) / mass for k in range(3)])
    b = [translation.row(i) if translation else [moments(k, 0, i) for k in range(3)] for i in range(nq)]
    J0, second, lacking = _inertia(inertia), no_moments(nq + 1), []
    second[0][0] = moments_of_inertia(J0)
    if not (inertia.order and rotation):
        lacking.append("the coupling of rotation and deformation (J of order 1, Cr)")
    if not (rotation and rotation.order and centrifugal and centrifugal.order):
        lacking.append("products of the modes (Cr and Oe of order 1)")
    none = [Fraction(0)] * 3
    for i in range(nq):
        half = moments_of_inertia(_inertia(inertia, i)).map(lambda entry: entry / 2)
        second[0][i + 1] = half + _antisymmetric(rotation.row(i) if rotation else none)
        second[i + 1][0] = second[0][i + 1].T
        for l in range(nq):
            crossed = _antisymmetric(rotation.row(i, l) if rotation else none)
            second[l + 1][i + 1] = _symmetric(centrifugal, modes(i, l), i, l) + crossed
    for i in range(1, nq + 1):  # rounded in the file, exactly transposed here
        for l in range(1, i + 1):
            half = (second[i][l] + second[l][i].T).map(lambda entry: entry / 2)
            second[i][l], second[l][i] = half, half.T
    if lacking:
        message = f"it is used to the order that the file carries, which lacks {' and '.join(lacking)}."
        warn(message, place=f"flexible body '{name}'", cure=str(reader.path), code="W-FLEX-MISSING")
    central = J0 - (Matrix.identity(3) * com.dot(com) - outer(com, com)) * mass
    parts = {"mass": mass, "com": com, "inertia": central.map(as_expr), "nodes": _nodes(reader, modal, nq)}
    parts |= {
        "first": (com * mass, *(Vector(map(as_expr, row)) for row in b)),
        "second": tuple(map(tuple, second)),
        "stiffness": _rounded(stiffness),
    }
    return parts | ({"damping": _rounded(damping)} if damping and any(damping.entries.values()) else {})


def _inertia(J: _Taylor, q: int | None = None) -> Matrix:
    """J as a matrix, or its derivative by a coordinate; a file has 3×3 entries, or xx, yy, zz, xy, xz, yz."""
    six = [[0, 3, 4], [3, 1, 5], [4, 5, 2]]
    if J.shape == (6, 1):
        return Matrix([[as_expr(J(six[i][j], 0, q)) for j in range(3)] for i in range(3)])
    return Matrix([[as_expr((J(i, j, q) + J(j, i, q)) / 2) for j in range(3)] for i in range(3)])


def _antisymmetric(c: list[Fraction]) -> Matrix:
    """The antisymmetric part of ∫ a bᵀ dm from ∫ a × b dm."""
    x, y, z = (as_expr(entry / 2) for entry in c)
    return Matrix([[0, z, -y], [-z, 0, x], [y, -x, 0]]).map(as_expr)


def _symmetric(centrifugal: _Taylor | None, mass: Fraction, i: int, l: int) -> Matrix:
    """The symmetric part of G_il with the trace of Me; without Oe of order 1 it is spread evenly."""
    if centrifugal is None or not centrifugal.order:
        return Matrix.diagonal([mass / 3] * 3).map(as_expr)
    xx, yy, zz, xy, yz, xz = centrifugal.row(i, l)
    rest = (mass - xx - yy - zz) / 3
    rows = [[xx + rest, xy / 2, xz / 2], [xy / 2, yy + rest, yz / 2], [xz / 2, yz / 2, zz + rest]]
    return Matrix(rows).map(as_expr)


def _rounded(taylor: _Taylor) -> Matrix:
    """A square matrix, symmetrised if its halves differ by rounding."""

    def entry(i: int, j: int) -> Expr:
        one, other = taylor(i, j), taylor(j, i)
        alike = (one - other) ** 2 <= Fraction(1, 10**12) * abs(taylor(i, i) * taylor(j, j))
        return as_expr((one + other) / 2 if alike else one)

    n = taylor.shape[0]
    return Matrix([[entry(i, j) for j in range(n)] for i in range(n)])


def _nodes(reader: _Reader, modal: _Block, nq: int) -> dict[str, Section]:
    """Nodes by name, with their shapes and rotations."""
    frame = modal.child("frame")
    sections: dict[str, Section] = {}
    for node in [] if frame is None else frame.blocks:
        blocks = {block.name: block for block in node.blocks}
        if "origin" not in blocks or "phi" not in blocks:
            raise reader.error(f"node '{node.argument}' has no origin or no phi.", node.line)
        origin, phi = reader.matrix(blocks["origin"], [(3, 1)], nq), reader.matrix(blocks["phi"], [(3, nq)], nq)
        psi = reader.matrix(blocks["psi"], [(3, nq)], nq) if "psi" in blocks else None
        turned = reader.matrix(blocks["AP"], [(3, 3)], nq) if "AP" in blocks else None
        position = [
            Vector([as_expr(of(k, i)) for k in range(3)]) for of, i in ((origin, 0), *((phi, i) for i in range(nq)))
        ]
        turns = [Vector([as_expr(psi(k, i)) for k in range(3)]) if psi else zero() for i in range(nq)]
        R = Matrix([turned.row(k) for k in range(3)]) if turned and turned.entries else Matrix.identity(3)
        sections[node.argument] = Section(tuple(position), tuple(turns), R.map(as_expr))
    return sections
