"""What `derive("kane", report=True)` adds: the paper's tables, equations of motion and costs for any system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ... import notebook
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_rigid, check_untruncated
from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, quiet_collector, substitute
from ...expr.latex_printer import latex as expression_latex
from ...expr.spelling import latex_escape
from ...formalisms.kane.literal import Literal
from ...model.model import Model
from .notation import Constants, Notation, Sum, as_text, unused
from .tables import Cell, Table, kinematical_equations, table_2, table_8, table_10

#: Whose operations are counted, each with its formalism and its speeds; in his, the paper's sums are "sayers".
_PEERS = {
    "sayers": ("kane", "sayers"),
    "kane": ("kane", None),
    "composite_body": ("composite_body", None),
    "articulated_body": ("articulated_body", None),
}


@dataclass(frozen=True, eq=False, repr=False)
class Report(notebook.Shown):
    """Tables 2, 8 and 10, the equations of motion, and operation counts; `str()` and `latex()` write them out.

    All is in the paper's speeds (see `literal`), which need not be the system's own, and in the paper's letters:
    `mass_matrix` and `forcing` are M and f of `derive("kane", speeds="sayers")` with the intermediate `variables`.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    >>> report = s.derive("kane", report=True).report
    >>> report.cell_text(report.table_8.cell("ω^B", "B"))
    'u1 n2'
    """

    equations: EquationsOfMotion
    _constants: Constants = field(init=False)

    def __post_init__(self) -> None:
        if self.equations.formalism != "kane":
            message = f"the formalism {self.equations.formalism!r} has no report."
            raise PolhodeError(message, cure='Write derive("kane", report=True).', code="E-DERIVE-UNSUPPORTED")
        check_untruncated(self.equations, "the report of the paper's tables")
        check_rigid(self.equations.system, "the report of the paper's tables", "Derive without `report`.")
        object.__setattr__(self, "_constants", Constants(unused("P", self.equations.system)))

    def __repr__(self) -> str:
        return f"Report('{self.equations.system.name}' by Kane's equations; print it for the tables)"

    def _cell(self) -> notebook.Cell:
        parts: list[str | notebook.Table] = []
        for table in self.tables:
            rows = [(row.name, *map(self.cell_text, row.cells)) for row in table.rows]
            parts += [table.title, notebook.Table(["", *table.bodies], rows)]
        equations = notebook.Table(["equations"], [[line] for line in self._equations(latex=False)])
        return notebook.Cell(repr(self), [*parts, equations])

    def __reduce__(self) -> tuple[Any, ...]:
        return _report_of, (self.equations.system,)

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
    def _sums(self) -> tuple[Matrix, Vector]:
        """M and f as they are added up, with the efforts."""
        with quiet_collector():
            return self.literal.mass_matrix(), self.literal.efforts + self.literal.forcing()

    @cached_property
    def notation(self) -> Notation:
        """The paper's letters, with intermediate variables for what the equations of motion hold more than once."""
        literal, (M, f) = self.literal, self._sums
        plain = Notation(self.equations.system, self.equations.tree, literal.speeds)
        entries = [*_coefficients(table_8(literal, plain)), *_coefficients(table_10(literal, plain))]
        sums = [*(as_expr(M[i, j]) for i in range(len(f)) for j in range(i + 1)), *map(as_expr, f)]
        return replace(
            plain, entries=entries, rates=literal.coordinate_rates, sums=sums, named=len(self._constants.meanings)
        )

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M by (43) and (44), in the paper's letters and intermediate variables."""
        return self._sums[0].map(lambda entry: self.notation.shown(as_expr(entry)))

    @cached_property
    def forcing(self) -> Vector:
        """f by (46), in the paper's letters and intermediate variables."""
        return Vector([self.notation.shown(as_expr(entry)) for entry in self._sums[1]])

    @property
    def variables(self) -> dict[Expr, Expr]:
        """Further constants P, computed once, and intermediate variables Z, each in letters and those before it."""
        return dict(self.notation.variables)

    def written_out(self, entries: Iterable[Any]) -> list[Expr]:
        """What is in the paper's letters, variables and constants, in the system's own symbols."""
        meanings = {**self.notation.meanings, **self.constants}
        return substitute(substitute([as_expr(entry) for entry in entries], meanings), self.constants)

    @cached_property
    def _peers(self) -> dict[str, EquationsOfMotion]:
        from ...formalisms.deriving import derive

        tied = bool(self.equations.system.constraints)  # his speeds are those of a tree
        return {
            way: derive(self.equations.system, formalism, speeds=speeds)
            for way, (formalism, speeds) in _PEERS.items()
            if speeds is None or not tied
        }

    def costs_of(self, function: str) -> dict[str, Any]:
        """Operations of a function (`mass_matrix`, `bias`, `coordinate_rates`, …): by the paper's sums, and other ways.

        "sayers" is the paper's sums in the paper's speeds, "kane" the same in the system's own.
        """
        from ...compiled.planning import operations_of

        return {way: operations_of(equations, function) for way, equations in self._peers.items()}

    @cached_property
    def costs(self) -> dict[str, Any]:
        """Operations of the accelerations."""
        return self.costs_of("forward_dynamics")

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
        """Constants, intermediate variables, rates, M and f, each a line."""
        notation = self.notation
        write = expression_latex if latex else as_text
        known = [*self.constants.items(), *notation.variables]
        dotted = r"\dot{{{}}} = {}" if latex else "{}' = {}"
        lines = [f"{write(name)} = {write(meaning)}" for name, meaning in known]
        lines += [dotted.format(write(notation.shown(q)), write(notation.shown(rate))) for q, rate in self.kinematics]
        entry = "M_{{{},{}}} = {}" if latex else "M[{}, {}] = {}"
        for i, row in enumerate(self.mass_matrix, start=1):
            lines += [entry.format(i, j, write(value)) for j, value in enumerate(row[:i], start=1) if value]
        element = "f_{{{}}} = {}" if latex else "f[{}] = {}"
        return lines + [element.format(i, write(value)) for i, value in enumerate(self.forcing, start=1)]

    def __str__(self) -> str:
        lines: list[str] = []
        for table in self.tables:
            lines += [table.title, ""]
            for row in table.rows:
                lines.append(row.name)
                cells = zip(table.bodies, row.cells, strict=True)
                lines += [f"    {letter}  {self.cell_text(cell)}" for letter, cell in cells]
            lines.append("")
        lines += ["Constants, intermediate variables, kinematical equations, M (lower half, without zeros) and f", ""]
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
        texts = {
            "mass_matrix": [[as_text(entry) for entry in row] for row in self.mass_matrix],
            "forcing": [as_text(entry) for entry in self.forcing],
            "variables": {as_text(name): as_text(meaning) for name, meaning in self.variables.items()},
        }
        return {"tables": tables, "equations": self._equations(latex=False), **texts, "operations": counts}


def _report_of(system: Model) -> Report:
    """The report of a system, derived anew."""
    from ...formalisms.deriving import derive

    return Report(derive(system, "kane"))


def _coefficients(table: Table) -> list[Expr]:
    cells = (item for row in table.rows for cell in row.cells for item in cell)
    return [entry for item in cells if isinstance(item, Sum) for entry, _ in item.terms]
