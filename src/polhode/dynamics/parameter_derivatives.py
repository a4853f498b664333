"""Derivatives of results by parameters, as they stand on the graph."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import unknown
from ..expr import Matrix, jacobian, quiet_collector
from .equations import EquationsOfMotion


def parameter_derivatives(equations: EquationsOfMotion, of: str, parameters: Sequence[str]) -> Matrix:
    """The derivatives of a result by parameters, a column each.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m")), ph.Prismatic("x"))
    >>> parameter_derivatives(s.derive().record, "inverse_dynamics", ["m"])
    Matrix([[x'']])
    """
    results = ("inverse_dynamics", "forward_dynamics", "bias", "forcing")
    if not isinstance(of, str) or of not in results:
        raise unknown("result to differentiate", of, results, code="E-EQ-004")
    table = equations.system.parameters
    for strange in [name for name in parameters if name not in table]:
        raise unknown("parameter", strange, table, code="E-VALUE-008")
    with quiet_collector():
        return jacobian(list(getattr(equations, of)), [table[name].symbol for name in parameters])
