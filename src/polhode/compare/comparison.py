"""What a comparison found, as a record: costs by formalism and function, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .agreement import Agreement

#: What a verdict calls the functions that are compared.
LETTERS = {"mass_matrix": "M", "inverse_dynamics": "τ", "forward_dynamics": "u̇"}


@dataclass(frozen=True)
class Row:
    """What one function costs as derived by one formalism; `nanoseconds` is None where it was not run."""

    formalism: str
    function: str
    multiplications: int
    additions: int
    divisions: int
    sine_cosine_pairs: int
    derivation_ms: float
    nanoseconds: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Rows for each formalism and function, and what their agreement is worth.

    `alike` says whether the formalisms give the same functions; `derivations`, for each function, which of them came to
    it by one and the same graph and so count once; `reference` what the reference derivation says of all of them.
    """

    system: str
    formalisms: tuple[str, ...]
    alike: bool
    derivations: Mapping[str, tuple[tuple[str, ...], ...]]
    reference: Agreement
    rows: tuple[Row, ...]
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def agree(self) -> bool:
        """Whether all formalisms, and the reference derivation, give the same functions."""
        return self.alike and bool(self.reference)

    @property
    def verdict(self) -> str:
        """One sentence: how many distinct derivations agree, and what the reference derivation says."""
        number = len(self.formalisms)
        said = "one formalism" if number == 1 else f"{number} formalisms agree exactly"
        if not self.alike:
            said = "the formalisms DISAGREE"
        elif number > 1 and self.derivations:
            counts = [(len(by), LETTERS.get(function, function)) for function, by in self.derivations.items()]
            own, letter = counts[0]
            listed = [f"{own} distinct derivation{'s' * (own != 1)} of {letter}"]
            listed += [f"{own} of {letter}" for own, letter in counts[1:]]
            said += f", by {', '.join(listed[:-1])}{' and ' * (len(listed) > 1)}{listed[-1]}"
        if not self.reference or self.reference.not_covered:
            return f"{said}; {self.reference}"
        agrees = (
            "and so does the reference derivation" if self.alike and number > 1 else "the reference derivation agrees"
        )
        return f"{said}; {agrees}"

    def cheapest(self, function: str) -> Row:
        """The row with the fewest multiplications and additions."""
        return min(
            (row for row in self.rows if row.function == function), key=lambda row: row.multiplications + row.additions
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return asdict(self) | {"agree": self.agree, "verdict": self.verdict}

    def table(self) -> list[tuple[str, ...]]:
        """Header and rows as text."""
        head = ("formalism", "function", "mul", "add", "div", "sincos", "derive ms", "ns/call")
        body = [
            (
                row.formalism,
                row.function,
                str(row.multiplications),
                str(row.additions),
                str(row.divisions),
                str(row.sine_cosine_pairs),
                f"{row.derivation_ms:.1f}",
                "–" if row.nanoseconds is None else f"{row.nanoseconds:.0f}",
            )
            for row in self.rows
        ]
        return [head, *body]

    def __str__(self) -> str:
        table = self.table()
        widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
        lines = [
            "  ".join(cell.ljust(width) if k < 2 else cell.rjust(width) for k, (cell, width) in enumerate(pairs))
            for pairs in (list(zip(row, widths, strict=True)) for row in table)
        ]
        lines += [f"{name}: {reason}" for name, reason in self.refused]
        return "\n".join([f"{self.system}", *lines, self.verdict])
