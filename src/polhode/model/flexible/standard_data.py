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
from .deformation import Section, check_matrix, modal_mass, outer, zero
from .modal import ModalBody, moments_of_inertia

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
        return FormatError(message, place=f"{self.path}:{line}", cure=cure, code="E-FLEX-022")

    def text(self) -> str:
        try:
            return read_file(self.path, SIZE_LIMIT).decode("latin-1")
        except TooLarge as error:
            raise LimitError(
                f"{error.strerror}.", place=str(self.path), code="E-FLEX-023", cure="Select fewer nodes."
            ) from None
        except OSError as error:
            raise FormatError(
                f"the file cannot be read: {error.strerror}.",
                place=str(self.path),
                cure="Check its name.",
                code="E-FLEX-024",
            ) from None

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
        """A matrix of one of the shapes that are meant; its entries of order 0 and 1."""
        order, rows, columns, count, _, structure = (self.size(block, key) for key in _SIZES)
        if (rows, columns) not in shapes:
            meant = " or ".join(f"{r}×{c}" for r, c in shapes)
            raise self.error(f"'{block.name}' is {rows}×{columns}, not {meant}.", block.line)
        if order and count != nq:
            raise self.error(f"'{block.name}' is expanded in {count} coordinates of {nq}.", block.line)
        for key, (_, line) in block.values.items():
            if key not in _SIZES:
                raise self.error(f"'{block.name}' has no '{key[:30]}'.", line)
        unit = structure == 4
        made = _Taylor(order, [[Fraction(int(unit and i == j)) for j in range(columns)] for i in range(rows)], {})
        for power, indices, value, line in block.entries:
            bounds = (rows, columns) if power == 0 else (rows, nq, columns)
            if len(indices) != len(bounds) or not all(
                1 <= i <= bound for i, bound in zip(indices, bounds, strict=True)
            ):
                raise self.error(f"'{block.name}' has no entry m{power}{indices}.", line)
            if power == 0:
                i, j = indices[0] - 1, indices[1] - 1
                made.zeroth[i][j] = value
                if structure == 2 and rows == columns:
                    made.zeroth[j][i] = value
            else:
                i, q, j = (index - 1 for index in indices)
                made.first[i, q, j] = value
                if structure == 2 and rows == columns:
                    made.first[j, q, i] = value
        return made


@dataclass
class _Taylor:
    """A matrix expanded in the elastic coordinates: m0[i][j], and m1 by (i, coordinate, j)."""

    order: int
    zeroth: list[list[Fraction]]
    first: dict[tuple[int, int, int], Fraction]

    def one(self, i: int, q: int, j: int) -> Fraction:
        return self.first.get((i, q, j), Fraction(0))


def read_standard_data(name: str, path: Any) -> ModalBody:
    """The record of a flexible body from its standard input data."""
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

    moments, inertia, modes = taylor("mdCM", (3, 1)), taylor("J", (3, 3), (6, 1)), taylor("Me", (nq, nq))
    stiffness = taylor("Ke", (nq, nq)) or taylor("K", (nq, nq))
    if moments is None or inertia is None or modes is None or stiffness is None:
        lacking = [
            key
            for key, each in zip(("mdCM", "J", "Me", "Ke"), (moments, inertia, modes, stiffness), strict=True)
            if each is None
        ]
        raise reader.error(f"there is no block '{lacking[0]}'.", modal.line)
    translation, rotation, centrifugal = taylor("Ct", (nq, 3)), taylor("Cr", (nq, 3)), taylor("Oe", (nq, 6))
    damping = taylor("De", (nq, nq)) or taylor("D", (nq, nq))

    m = [row[0] for row in moments.zeroth]
    com = Vector([as_expr(entry) / mass for entry in m])
    J0 = _inertia(inertia)
    first = [com * mass, *(_b(translation, moments, i) for i in range(nq))]
    second = [[Matrix.zeros(3, 3).map(as_expr) for _ in range(nq + 1)] for _ in range(nq + 1)]
    second[0][0] = moments_of_inertia(J0)
    lacking = []
    if not (inertia.order and rotation):
        lacking.append("the coupling of rotation and deformation (J of order 1, Cr)")
    if not (rotation and rotation.order and centrifugal and centrifugal.order):
        lacking.append("products of the modes (Cr and Oe of order 1)")
    for i in range(nq):
        S = moments_of_inertia(_inertia(inertia, i)) if inertia.order else Matrix.zeros(3, 3)
        c = [rotation.zeroth[i][k] for k in range(3)] if rotation else [Fraction(0)] * 3
        second[0][i + 1] = S.map(lambda entry: as_expr(entry) / 2) + _antisymmetric(c)
        second[i + 1][0] = second[0][i + 1].T
        for l in range(nq):
            c = [rotation.one(i, l, k) for k in range(3)] if rotation else [Fraction(0)] * 3
            second[l + 1][i + 1] = _symmetric(centrifugal, modes.zeroth, i, l) + _antisymmetric(c)
    for i in range(1, nq + 1):  # rounded in the file, exactly transposed here
        for l in range(i + 1):
            half = (second[i][l] + second[l][i].T).map(lambda entry: entry / 2)
            second[i][l], second[l][i] = half, half.T
    if lacking:
        warn(
            f"it is used to the order that the file carries, which lacks {' and '.join(lacking)}.",
            place=f"flexible body '{name}'",
            cure=str(reader.path),
            code="W-FLEX-001",
        )
    place = f"{reader.path}: flexible body '{name}'"
    K, M = _rounded(stiffness.zeroth), modal_mass(second, nq)
    check_matrix(K, "stiffness", {}, place, definite=False)
    check_matrix(M, "modal mass", {}, place, definite=True)
    central = (J0 - (Matrix.identity(3) * com.dot(com) - outer(com, com)) * mass).map(as_expr)
    D = _rounded(damping.zeroth) if damping else Matrix.zeros(nq, nq).map(as_expr)
    fields: dict[str, Any] = {"first": tuple(first), "second": tuple(map(tuple, second)), "stiffness": K, "damping": D}
    return ModalBody(name=name, mass=mass, com=com, inertia=central, nodes=_nodes(reader, modal, nq), **fields)


def _b(translation: _Taylor | None, moments: _Taylor, i: int) -> Vector:
    """∫ Φ_i dm: the row of Ct, or how mdCM depends on the coordinate."""
    return Vector([as_expr(translation.zeroth[i][k] if translation else moments.one(k, i, 0)) for k in range(3)])


def _inertia(J: _Taylor, q: int | None = None) -> Matrix:
    """J as a matrix, or its derivative by a coordinate; a file has 3×3 entries, or xx, yy, zz, xy, xz, yz."""
    flat = len(J.zeroth) == 6
    order = [[0, 3, 4], [3, 1, 5], [4, 5, 2]]

    def entry(i: int, j: int) -> Fraction:
        row, column = (order[i][j], 0) if flat else (i, j)
        return J.zeroth[row][column] if q is None else J.one(row, q, column)

    return Matrix([[as_expr((entry(i, j) + entry(j, i)) / 2) for j in range(3)] for i in range(3)])


def _antisymmetric(c: list[Fraction]) -> Matrix:
    """The antisymmetric part of ∫ a bᵀ dm from ∫ a × b dm."""
    x, y, z = (as_expr(entry / 2) for entry in c)
    return Matrix([[0, z, -y], [-z, 0, x], [y, -x, 0]]).map(as_expr)


def _symmetric(centrifugal: _Taylor | None, mass: list[list[Fraction]], i: int, l: int) -> Matrix:
    """The symmetric part of G_il with the trace of Me; without Oe of order 1 it is spread evenly."""
    if centrifugal is None or not centrifugal.order:
        return Matrix.diagonal([mass[i][l] / 3] * 3).map(as_expr)
    xx, yy, zz, xy, yz, xz = (centrifugal.one(i, l, k) for k in range(6))
    missing = (mass[i][l] - xx - yy - zz) / 3
    rows = [[xx + missing, xy / 2, xz / 2], [xy / 2, yy + missing, yz / 2], [xz / 2, yz / 2, zz + missing]]
    return Matrix(rows).map(as_expr)


def _rounded(matrix: list[list[Fraction]]) -> Matrix:
    """A matrix whose halves differ by rounding alone, made symmetric."""
    n = len(matrix)
    result: list[list[Expr]] = [[as_expr(entry) for entry in row] for row in matrix]
    for i in range(n):
        for j in range(i):
            bound = Fraction(1, 10**12) * abs(matrix[i][i] * matrix[j][j])
            if (matrix[i][j] - matrix[j][i]) ** 2 <= bound:
                result[i][j] = result[j][i] = as_expr((matrix[i][j] + matrix[j][i]) / 2)
    return Matrix(result)


def _nodes(reader: _Reader, modal: _Block, nq: int) -> dict[str, Section]:
    """The nodes by name, where shapes and rotations are known."""
    frame = modal.child("frame")
    sections: dict[str, Section] = {}
    for node in [] if frame is None else frame.blocks:
        known = {block.name: block for block in node.blocks}
        if "origin" not in known or "phi" not in known:
            raise reader.error(f"node '{node.argument}' has no origin or no phi.", node.line)
        origin, phi = reader.matrix(known["origin"], [(3, 1)], nq), reader.matrix(known["phi"], [(3, nq)], nq)
        psi = reader.matrix(known["psi"], [(3, nq)], nq) if "psi" in known else None
        turned = reader.matrix(known["AP"], [(3, 3)], nq).zeroth if "AP" in known else None
        at = Vector([as_expr(row[0]) for row in origin.zeroth])
        moved = [Vector([as_expr(row[i]) for row in phi.zeroth]) for i in range(nq)]
        turns = [Vector([as_expr(row[i]) for row in psi.zeroth]) if psi else zero() for i in range(nq)]
        R = Matrix.identity(3) if turned is None or not any(map(any, turned)) else Matrix(turned)
        sections[node.argument] = Section((at, *moved), tuple(turns), R.map(as_expr))
    return sections
