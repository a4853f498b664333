"""What drivers give and what they leave unknown: dynamics that are forward at some joints and inverse at others.

Y. Tokad (1992), section 2: a driver gives the across or the through variable of its edge, and the other is then to be
found. With a for the speeds of joints whose motion is given, f for the others, whose efforts are,

    M_ff u̇_f = τ_f - bias_f - M_fa u̇_a + A_fᵀ λ,    A_f u̇_f = -γ - A_a u̇_a        unknown: u̇_f, and λ where loops close
    τ_a = M_af u̇_f + M_aa u̇_a + bias_a - A_aᵀ λ                                    unknown: τ_a

so that all across drivers give inverse dynamics, and none forward dynamics. Joints without a driver are among f, with
the effort that is their own symbol. A motion that the model prescribes is an across driver too: it is given as a
function of time, and its effort follows from all the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...constraints import Constraints
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.reactions import Reactions
from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, rank, substitute, symbol
from ...formalisms.network.formulation import listed
from ...geometry.elimination import factor_symmetric


@dataclass(frozen=True)
class MixedProblem:
    """Equations of motion with the speeds whose motion is given.

    >>> import polhode as ph
    >>> from polhode.papers.tokad import system_graph
    >>> s = ph.System("cart", gravity=(0, 0, -10))
    >>> cart = s.body("cart", 3)
    >>> _ = s.joint("x", s.ground, cart, ph.Prismatic("x"))
    >>> _ = s.joint("q", cart, s.body("bob", 1, (0, 0, -2)), ph.Revolute("y"))
    >>> problem = system_graph(s, across=["x"]).mixed_problem()
    >>> problem.given, problem.unknown
    (['acceleration of x', 'effort on q'], ['acceleration of q', 'effort on x'])
    >>> ph.normal(problem.solution[0])
    tau_q/4 + x''*cos(q)/2 - 5*sin(q)
    """

    equations: EquationsOfMotion
    driven: tuple[int, ...]  # speeds whose motion is given

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The other speeds, whose efforts are given."""
        return tuple(k for k in range(len(self.equations.u)) if k not in self.driven)

    @cached_property
    def constraints(self) -> Constraints | None:
        """Loops and rolling that are independent of each other; None where there are none."""
        all_rows = self.equations.constraints
        return None if all_rows is None or not all_rows.rows else all_rows.only(all_rows.generic_rows)

    @property
    def symbols(self) -> tuple[Vector, Vector]:
        """What is given, and what is unknown: accelerations, efforts, and multipliers of loops."""
        udot, tau = self.equations.udot, self.equations.tau
        multipliers = [] if self.constraints is None else list(self.constraints.multipliers)
        given = [udot[k] for k in self.driven] + [tau[k] for k in self.free]
        unknown = [udot[k] for k in self.free] + [tau[k] for k in self.driven] + multipliers
        return Vector(given), Vector([*unknown, *(symbol(name, "effort") for name in self.prescribed)])

    @property
    def prescribed(self) -> list[str]:
        """The coordinates whose motion the model prescribes."""
        return [*self.equations.system.prescribed]

    @cached_property
    def _prescribing(self) -> list[Expr]:
        """The efforts that prescribed motions take, of accelerations and multipliers that are left as symbols."""
        if not self.prescribed:
            return []
        made = Reactions(self.equations, solved=False)
        return [made.driving_force(name) for name in self.prescribed]

    @property
    def given(self) -> list[str]:
        """What is given, in words."""
        prescribed = [f"motion of {name}" for name in self.prescribed]
        return [*self._words("acceleration of", self.driven), *self._words("effort on", self.free), *prescribed]

    @property
    def unknown(self) -> list[str]:
        """What is unknown, in words."""
        multipliers = [] if self.constraints is None else [f"multiplier of {name}" for name in self.constraints.names]
        return [
            *self._words("acceleration of", self.free),
            *self._words("effort on", self.driven),
            *multipliers,
            *(f"effort on {name}" for name in self.prescribed),
        ]

    def _words(self, what: str, speeds: Sequence[int]) -> list[str]:
        return [f"{what} {self.equations.speeds[k]}" for k in speeds]

    @cached_property
    def residual(self) -> Vector:
        """M u̇ + bias - τ - Aᵀλ, and A u̇ + γ: linear in the unknowns, and as many."""
        made = self.equations
        rows = [*(made.inverse_dynamics - made.tau)]
        if self.constraints is not None:
            rows += [*(self.constraints.A @ made.udot + self.constraints.gamma)]
        rows += [
            effort - symbol(name, "effort") for name, effort in zip(self.prescribed, self._prescribing, strict=True)
        ]
        return Vector([as_expr(entry) for entry in rows])

    @cached_property
    def solution(self) -> Vector:
        """The unknowns, in the order of their names, as functions of q, u and what is given."""
        made, udot, tau = self.equations, self.equations.udot, self.equations.tau
        M, bias = made.mass_matrix, made.bias
        factors = factor_symmetric(_part(M, self.free, self.free))
        a = Vector([udot[k] for k in self.driven])
        force = [tau[k] - bias[k] - Vector([M[k][j] for j in self.driven]).dot(a) for k in self.free]
        u_f = Vector(factors.solve(force))
        multipliers: Sequence[Any] = []
        if self.constraints is not None:
            A_f, A_a = (
                Matrix([[row[k] for k in some] for row in self.constraints.A]) for some in (self.free, self.driven)
            )
            self._check_loops(A_f)
            columns = [Vector(factors.solve(list(row))) for row in A_f]
            S = [[as_expr(row.dot(column)) for column in columns] for row in A_f]
            wanted = [
                -(g + row_f.dot(u_f) + row_a.dot(a))
                for row_f, row_a, g in zip(A_f, A_a, self.constraints.gamma, strict=True)
            ]
            multipliers = factor_symmetric(S).solve(wanted)
            for column, multiplier in zip(columns, multipliers, strict=True):
                u_f = u_f + column * multiplier
        found = [as_expr(entry) for entry in (*u_f, *self._efforts(u_f, multipliers), *multipliers)]
        known = dict(zip(self.symbols[1], found, strict=False))
        if self.equations.constraints is not None:  # rows that say nothing new carry nothing
            known = dict.fromkeys(self.equations.constraints.multipliers, as_expr(0)) | known
        return Vector([*found, *substitute(self._prescribing, known)])

    def _efforts(self, u_f: Vector, multipliers: Sequence[Any]) -> list[Expr]:
        """τ_a."""
        made = self.equations
        rates = {k: made.udot[k] for k in self.driven} | dict(zip(self.free, u_f, strict=True))
        all_rates = Vector([rates[k] for k in range(len(made.u))])
        held = [as_expr(0)] * len(made.u) if self.constraints is None else list(self.constraints.efforts(multipliers))
        return [as_expr(made.mass_matrix[k].dot(all_rates) + made.bias[k] - held[k]) for k in self.driven]

    def _check_loops(self, A_f: Matrix) -> None:
        if rank(A_f) < len(A_f):
            raise PolhodeError(
                f"the motions {listed(self.equations.speeds[k] for k in self.driven)} cannot all be given: "
                "the loops tie them to each other.",
                place="across drivers",
                cure="Give fewer of them.",
                code="E-NET-030",
            )


def _part(M: Matrix, rows: Sequence[int], columns: Sequence[int]) -> list[list[Any]]:
    return [[M[i][j] for j in columns] for i in rows]
