"""How fast the vector-parameter of a frame changes: its Jacobian from that of the angular velocity.

C. Mladenova, section 3, (122) to (125): with the orientation O of the frame and ω in ground components,

    ċ' = Λ ω,    Λ = (Oᵀ + 1)/(1 + tr O),    so that N_CV = Λ N_V                                         (81), (124)

Where the frame has turned by π, 1 + tr O = 0, and it has no vector-parameter.
"""

from __future__ import annotations

from ..expr import Matrix, as_expr


def vector_parameter_map(R: Matrix) -> Matrix:
    """Λ(R): the rate of the vector-parameter from the angular velocity in ground components, (81).

    >>> vector_parameter_map(Matrix.identity(3))
    Matrix([[1/2, 0, 0], [0, 1/2, 0], [0, 0, 1/2]])
    """
    bottom = 1 + R[0, 0] + R[1, 1] + R[2, 2]
    return (R.T + Matrix.identity(3)).map(lambda entry: as_expr(entry) / bottom)


def vector_parameter_jacobian(jacobian: Matrix, R: Matrix) -> Matrix:
    """A 6×n Jacobian, angular over linear velocity, with the rate of the vector-parameter in its first three rows."""
    turning = vector_parameter_map(R) @ Matrix(jacobian[:3])
    return Matrix([*turning, *jacobian[3:]])
