"""What `derive("kane", report=True)` adds: the paper's tables, kinematical equations and costs for any system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, quiet_collector
from ...expr.latex_printer import latex as expression_latex
from ...expr.spelling import latex_escape
from .kinematical import kinematical_equations
from .literal import Literal
from .notation import Constants, Notation, Sum, as_text, unused
from .tables import Cell, Table, table_2, table_8, table_10

#: Whose accelerations are counted.
_PEERS = ("kane", "composite_body", "articulated_body")


@dataclass(frozen=True, eq=False)
class Report:
    """Tables 2, 8 and 10, the kinematical equations, and operation counts; `str()` and `latex()` write them out.

    The tables are in the paper's speeds (see `literal`), which need not be the system's own.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    >>> report = s.derive("kane", report=True).report
    >>> report.cell_text(report.table_8.cell("ω^B", "B"))
    'u1 n2'
    """

    equations: EquationsOfMotion
    operations: Callable[[EquationsOfMotion], Any]  # of accelerations, as planned
    _constants: Constants = field(init=False)

    def __post_init__(self) -> None:
        if self.equations.formalism != "kane":
            raise PolhodeError(
                f"the formalism {self.equations.formalism!r} has no report.",
                cure='Write derive("kane", report=True).',
                code="E-DERIVE-020",
            )
        object.__setattr__(self, "_constants", Constants(unused("P", self.equations.system)))

    @cached_property
    def literal(self) -> Literal:
        """The method as printed, with constants named P1, P2, …"""
        with quiet_collector():
            return Literal(self.equations.system, self.equations.tree, self._constants.name)

    @property
    def constants(self) -> dict[Expr, Expr]:
        """The precomputed constants and what they stand for."""
        _ = self.literal.parts
        return dict(self._constants.meanings)

    @cached_property
    def kinematics(self) -> list[tuple[Expr, Expr]]:
        """Each coordinate with its rate in the paper's speeds, (20) to (29)."""
        return list(zip(self.equations.tree.q, self.literal.coordinate_rates, strict=True))

    @cached_property
    def kinematical_equations(self) -> tuple[Matrix, Vector]:
        """S and v of S q̇ = v, (1), before they are solved."""
        return kinematical_equations(self.literal)

    @cached_property
    def table_2(self) -> Table:
        """Body and joint properties."""
        return table_2(self.literal, self.notation)

    @cached_property
    def table_8(self) -> Table:
        """Rotational velocity and acceleration terms."""
        return table_8(self.literal, self.notation)

    @cached_property
    def table_10(self) -> Table:
        """Translational velocity and acceleration terms."""
        return table_10(self.literal, self.notation)

    @cached_property
    def notation(self) -> Notation:
        """The paper's letters, with intermediate variables for what the tables and rates hold more than once."""
        literal = self.literal
        plain = Notation(self.equations.system, self.equations.tree, literal.speeds)
        entries = [*_coefficients(table_8(literal, plain)), *_coefficients(table_10(literal, plain))]
        return replace(plain, entries=entries, rates=literal.coordinate_rates)

    @cached_property
    def costs(self) -> dict[str, Any]:
        """Operations of the accelerations: by the paper's sums, and other ways on the same system."""
        from ..deriving import derive

        return {name: self.operations(derive(self.equations.system, name)) for name in _PEERS}

    # ---- written out -----------------------------------------------------------------------------------------

    def cell_text(self, cell: Cell) -> str:
        """A cell as a line of text."""
        return ", ".join(item if isinstance(item, str) else self.notation.sum_text(item) for item in cell) or "—"

    def _cell_latex(self, cell: Cell) -> str:
        return ", ".join(
            rf"\text{{{latex_escape(item)}}}" if isinstance(item, str) else self.notation.sum_latex(item)
            for item in cell
        )

    @property
    def tables(self) -> tuple[Table, Table, Table]:
        return self.table_2, self.table_8, self.table_10

    def _equations(self, latex: bool) -> list[str]:
        """Constants, intermediate variables and rates, each a line."""
        notation = self.notation
        write = expression_latex if latex else as_text
        known = [*((name, notation.shown(meaning)) for name, meaning in self.constants.items()), *notation.variables]
        dotted = r"\dot{{{}}} = {}" if latex else "{}' = {}"
        return [f"{write(name)} = {write(meaning)}" for name, meaning in known] + [
            dotted.format(write(notation.shown(q)), write(notation.shown(rate))) for q, rate in self.kinematics
        ]

    def __str__(self) -> str:
        lines: list[str] = []
        for table in self.tables:
            lines += [table.title, ""]
            for row in table.rows:
                lines.append(row.name)
                cells = zip(table.bodies, row.cells, strict=True)
                lines += [f"    {letter}  {self.cell_text(cell)}" for letter, cell in cells]
            lines.append("")
        lines += ["Constants, intermediate variables and kinematical equations", ""]
        lines += [f"    {line}" for line in self._equations(latex=False)]
        lines += ["", "Operations of the accelerations", ""]
        lines += [f"    {name:18} {count}" for name, count in self.costs.items()]
        return "\n".join(lines)

    def latex(self) -> str:
        """The tables as LaTeX `tabular`, the equations as `align*`."""
        blocks = []
        for table in self.tables:
            head = " & ".join(["Property", *(rf"Body ${letter}$" for letter in table.bodies)])
            rows = [
                " & ".join([
                    f"{row.name}" if not row.latex else f"${row.latex}$",
                    *(f"${body}$" if (body := self._cell_latex(cell)) else "" for cell in row.cells),
                ])
                for row in table.rows
            ]  # fmt: skip
            body = " \\\\\n".join([head, *rows])
            columns = "l" * (1 + len(table.bodies))
            blocks.append(f"% {table.title}\n\\begin{{tabular}}{{{columns}}}\n{body} \\\\\n\\end{{tabular}}")
        lines = " \\\\\n".join(line.replace(" = ", " &= ", 1) for line in self._equations(latex=True))
        blocks.append(f"\\begin{{align*}}\n{lines}\n\\end{{align*}}")
        return "\n\n".join(blocks)

    def as_json(self) -> dict[str, Any]:
        """The report as plain data: cells as text."""
        tables = {
            table.title: {
                row.name: dict(zip(table.bodies, map(self.cell_text, row.cells), strict=True)) for row in table.rows
            }
            for table in self.tables
        }
        counts = {name: vars(count) for name, count in self.costs.items()}
        return {"tables": tables, "equations": self._equations(latex=False), "operations": counts}


def _coefficients(table: Table) -> list[Expr]:
    cells = (item for row in table.rows for cell in row.cells for item in cell)
    return [entry for item in cells if isinstance(item, Sum) for entry, _ in item.terms]
