"""How fast the vector-parameter of a frame changes: its Jacobian from that of the angular velocity.

C. Mladenova, section 3, (122) to (125): with the orientation O of the frame and ω in ground components,

    ċ' = Λ ω,    Λ = (Oᵀ + 1)/(1 + tr O),    so that N_CV = Λ N_V                                         (81), (124)

Where the frame has turned by π, 1 + tr O = 0, and it has no vector-parameter. Near there floats lose the digits of
1 + tr O; they keep those of ((1 + tr O)² + o²)/4, with the vector o of O - Oᵀ, which equals it.
"""

from __future__ import annotations

from ..expr import Matrix, Vector, as_expr
from ..expr.functions import maximum
from ..geometry.rotations.matrix import fourfold, nine


def vector_parameter_map(R: Matrix, in_floats: bool = False) -> Matrix:
    """Λ(R): the rate of the vector-parameter from the angular velocity in ground components, (81).

    `in_floats` writes 1 + tr R as floats keep it; under the square it is max(1 + tr R, 0), which no pass that shares
    equal values takes for the sum itself.

    >>> vector_parameter_map(Matrix.identity(3))
    Matrix([[1/2, 0, 0], [0, 1/2, 0], [0, 0, 1/2]])
    """
    bottom, *o = fourfold(nine(R))[0]
    if in_floats:
        bottom = (maximum(bottom, 0) ** 2 + Vector(o).dot(Vector(o))) / 4
    return (R.T + Matrix.identity(3)).map(lambda entry: as_expr(entry) / bottom)


def vector_parameter_jacobian(jacobian: Matrix, R: Matrix, in_floats: bool = False) -> Matrix:
    """A 6×n Jacobian, angular over linear velocity, with the rate of the vector-parameter in its first three rows."""
    turning = vector_parameter_map(R, in_floats) @ Matrix(jacobian[:3])
    return Matrix([*turning, *jacobian[3:]]).map(as_expr)
