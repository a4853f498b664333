"""Standard input data (Wallrapp): a known body written as a file has the same moments when it is read."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError, ModelError, PolhodeError

from .moments import array, mass_and_stiffness, material, values_of


def _matrix(name: str, zeroth: np.ndarray, first: np.ndarray | None, nq: int, structure: int = 3) -> list[str]:
    """The lines of a matrix; `first` is indexed by row, coordinate, column."""
    rows, columns = zeroth.shape
    lines = [name, f"order = {int(first is not None)}", f"nrow = {rows}", f"ncol = {columns}", f"nq = {nq}", "nqn = 0"]
    lines.append(f"structure = {structure}")
    entries = [(f"m0( {i + 1}, {j + 1})", zeroth[i, j]) for i in range(rows) for j in range(columns)]
    if structure == 2:
        entries = [(f"m0( {i + 1}, {j + 1})", zeroth[i, j]) for i in range(rows) for j in range(i + 1)]
    if first is not None:
        entries += [(f"m1( {i + 1}, {q + 1}, {j + 1})", first[i, q, j]) for i, q, j in np.ndindex(first.shape)]
    lines += [f"{key:24}={value:.16E}".replace("E", "D") for key, value in entries if value and structure != 4]
    return [*lines, f"end {name}"]


def standard_data(
    mass: float,
    b: np.ndarray,
    G: np.ndarray,
    K: np.ndarray,
    nodes: dict[int, tuple[np.ndarray, np.ndarray]],
    flat: bool,
) -> list[str]:
    """The file of a body with these moments; each node has its fields B_a and its rotations ψ_i."""
    nq = len(b) - 1
    eye, eps = np.eye(3), np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        eps[i, j, k], eps[i, k, j] = 1, -1

    def inertia(S: np.ndarray) -> np.ndarray:
        return np.trace(S) * eye - S

    J1 = np.array([inertia(G[0, i] + G[0, i].T) for i in range(1, nq + 1)])
    J0 = inertia(G[0, 0])
    six = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    centrifugal = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]
    Cr0 = np.array([np.einsum("kij,ij->k", eps, G[0, i]) for i in range(1, nq + 1)])
    Cr1 = np.array([[np.einsum("kij,ij->k", eps, G[l, i]) for l in range(1, nq + 1)] for i in range(1, nq + 1)])
    Oe1 = np.zeros((nq, nq, 6))
    for i, l in np.ndindex(nq, nq):
        S = (G[i + 1, l + 1] + G[i + 1, l + 1].T) / 2
        Oe1[i, l] = [S[r, c] - np.trace(S) if r == c else 2 * S[r, c] for r, c in centrifugal]
    lines = [f" {len(nodes)} {nq} :No. nodes, No. modes", "part", "new modal =", "refmod", f"mass = {mass:.16E}"]
    lines += [f"nelastq = {nq}", *(f"ielastq ( {k + 1}) = Eigen Mode {k} : 1.0 Hz" for k in range(nq)), "end refmod"]
    lines.append("frame")
    for name, (B, psi) in nodes.items():
        lines += [f"new node = {name}", "rframe = body ref", *_matrix("origin", B[:1].T, np.zeros((3, nq, 1)), nq)]
        lines += [*_matrix("phi", B[1:].T, None, nq), *_matrix("psi", psi.T, None, nq)]
        lines += [*_matrix("AP", eye, np.zeros((3, nq, 3)), nq, 4), "end node"]
    lines += ["end frame", *_matrix("mdCM", b[:1].T, b[1:].T[:, :, None], nq)]
    if flat:
        lines += _matrix(
            "J", np.array([[J0[r]] for r in six]), np.array([[[J1[q][r]] for q in range(nq)] for r in six]), nq
        )
    else:
        lines += _matrix("J", J0, J1.transpose(1, 0, 2), nq, 2)
    lines += [*_matrix("Ct", b[1:], None, nq), *_matrix("Cr", Cr0, Cr1, nq)]
    Me = np.trace(G, axis1=2, axis2=3)[1:, 1:]
    lines += [*_matrix("Me", Me, None, nq, 2), *_matrix("Oe", np.zeros((nq, 6)), Oe1, nq), *_matrix("Ke", K, None, nq)]
    return [*lines, "end modal", "end part"]


def known_body() -> tuple[ph.System, ph.Body]:
    s = ph.System("known")
    wing = s.beam("wing", length=2, mass=3, EI=(40, 70), GJ=9, gyration="0.3", modes=1)
    return s, wing


def written(path: Path, flat: bool = False, leave_out: str = "") -> Path:
    s, wing = known_body()
    tip = wing.at(2)
    record, values = material(s, "wing"), values_of(s)
    section = s.flexible["wing"].deformation().stations[tip.name]
    nodes = {7: (array(section.position, values), array(section.turns, values))}
    _, K = mass_and_stiffness(s, "wing")
    lines = standard_data(3.0, array(record.first, values), array(record.second, values), K, nodes, flat)
    text = "\n".join(lines)
    if leave_out:
        text = re.sub(rf"\n{leave_out}\n.*?end {leave_out}\n", "\n", text, flags=re.DOTALL)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("flat", [False, True], ids=["J as a matrix", "J as six numbers"])
def test_a_beam_written_as_standard_input_data_has_the_same_moments(tmp_path: Path, flat: bool) -> None:
    known, wing = known_body()
    wing.at(2)
    s = ph.System("read")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = s.flexible_body("wing", data=written(tmp_path / "wing.sid", flat))
    a, b = material(known, "wing"), material(s, "wing")
    assert array(b.first, {}) == pytest.approx(array(a.first, {}), abs=1e-14)
    assert array(b.second, {}) == pytest.approx(array(a.second, {}), abs=1e-14)
    assert mass_and_stiffness(s, "wing")[1] == pytest.approx(mass_and_stiffness(known, "wing")[1], rel=1e-12, abs=1e-9)
    heavy, first = s.bodies["wing material"], known.bodies["wing material"]
    assert float(heavy.mass) == pytest.approx(3) and array(heavy.com, {}) == pytest.approx(array(first.com, {}))
    assert array(heavy.inertia, {}) == pytest.approx(array(first.inertia, {}), abs=1e-14)
    tip = read.at(7)
    position = s.model().joints[tip.name].in_parent.p
    assert [float(ph.expr.constant_value(x)) for x in ph.expr.substitute(list(position), dict.fromkeys(read.q, 0))] == [
        2,
        0,
        0,
    ]


def test_what_the_file_lacks_is_said(tmp_path: Path) -> None:
    s = ph.System("read")
    with pytest.warns(UserWarning, match="which lacks products of the modes"):
        s.flexible_body("wing", data=written(tmp_path / "wing.sid", leave_out="Oe"))
    known, wing = known_body()
    wing.at(2)
    assert mass_and_stiffness(s, "wing")[0] == pytest.approx(mass_and_stiffness(known, "wing")[0], abs=1e-14)


@pytest.mark.parametrize(("change", "sentence"), [
    (("end part", ""), r"sid:2: the block 'part' has no end"),
    (("end refmod", "end frame"), r"'end frame' ends no block; 'refmod' is open"),
    (("mass = ", "mass = x"), r"sid:5: 'x.*' is not a number"), (("mass = ", "weight = "), "there is no mass"),
    (("nelastq = 8", "nelastq = 7"), r"'mdCM' is expanded in 8 coordinates of 7"),
    (("m1( 1, 1, 1)", "m1( 1, 99, 1)"), r"has no entry m1\(1, 99, 1\)"),
    (("m0( 1, 1)", "m0( 1, z)"), "are no indices"), (("m0( 1, 1)", "m7( 1, 1)"), r"'origin' has no 'm7\( 1, 1\)'"),
    (("part\nnew", "parts\nnew"), "no line 'part' begins"),
    (("end modal\nend part", "end modal\nend part\nend part"), "'end part' ends no block"),
])  # fmt: skip
def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    path = written(tmp_path / "wing.sid")
    text = path.read_text("utf-8")
    assert change[0] in text
    head, _, tail = text.rpartition(change[0]) if change[0] == "end part" else text.partition(change[0])
    path.write_text(head + change[1] + tail, encoding="utf-8")
    refused(sentence, lambda: ph.System("read").flexible_body("wing", data=path), FormatError)


@pytest.mark.parametrize("block", ["mdCM", "J", "Me", "Ke"])
def test_a_file_without_a_matrix_that_is_needed_is_refused(tmp_path: Path, block: str) -> None:
    with pytest.raises(FormatError, match=f"there is no block '{block}'"):
        ph.System("read").flexible_body("wing", data=written(tmp_path / "wing.sid", leave_out=block))


def test_files_without_needed_matrices_or_symmetry_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "wing.sid")
    before, _, after = path.read_text("utf-8").partition("\nKe\n")
    after = re.sub(r"(m0\( 4, 5\)\s*=).*", r"\g<1>1.0D+05", after, count=1)
    path.write_text(f"{before}\nKe\n{after}", encoding="utf-8")
    refused("the stiffness is not symmetric", lambda: ph.System("read").flexible_body("wing", data=path), ModelError)
    with pytest.raises(ModelError, match="mass is given, and the data file has it"):
        ph.System("read").flexible_body("wing", 3, data=written(tmp_path / "wing.sid"))


def test_a_missing_file_and_random_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the file cannot be read"):
        ph.System("read").flexible_body("wing", data=tmp_path / "none.sid")
    path = written(tmp_path / "wing.sid")
    text, rng = path.read_bytes(), np.random.default_rng(3)
    for _ in range(60):
        changed = bytearray(text)
        for place in rng.integers(0, len(changed), 3):
            changed[place] = rng.integers(0, 256)
        path.write_bytes(changed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ph.System("read").flexible_body("wing", data=path)
        except PolhodeError:
            pass
