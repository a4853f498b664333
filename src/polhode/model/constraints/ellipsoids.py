"""Ellipsoids on surfaces, by the normal of where they touch.

An ellipsoid with the half axes a, its centre at c in the frame of a surface and turned by R has C = R A² Rᵀ and the
support √(n·C n) along n. For any unit n, that from the surface B to the ellipsoid where they touch,

    g(n) = n·c - √(n·C n) - h_B(n)

is at most the distance, h_B the support of B; for the right n it is zero where they touch, and only there:

    ellipsoid    n along m = (C + ρ B)⁻¹ c with ρ² m·B m = m·C m (J. Perram, M. Wertheim, "Statistical mechanics of hard
                 ellipsoids", Journal of Computational Physics 58 (1985) 409–416), by Newton's method in log ρ
    box          the greatest g of all faces, edges and vertices; of one that is fixed at v along the axes S of the box
                 n is along C_SS⁻¹ (c - v)_S: there, in the metric in which the ellipsoid is a ball, it is nearest
    capsule      as an edge and two vertices of a box, with (C_SS + t)⁻¹ (c - v)_S and t where m·C m = 1
    hollow       the point a² p/(a² - t) of the ellipsoid that is farthest from the centre p of the sphere, in its
                 frame, Σ (a p/(t - a²))² = 1, t > max a²; its largest radius of curvature a_max²/a_min is below R
    hull         as in `hulls`: what is nearest in that metric
    plane        the lowest point, g = c·n - √(n·C n)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from ...expr import (
    Expr,
    Matrix,
    Vector,
    absolute,
    as_expr,
    constant_value,
    exp,
    free_symbols,
    is_zero,
    log,
    maximum,
    sign,
    sqrt,
)
from ...geometry import Pose
from ..body import SPOT, Shape
from .pairs import _STEPS, _TINY, _X, _Y, _Z, Touch, _length, _on_ellipsoid, _on_height, _round


def ellipsoid_on(shape: Shape, surface: Shape, X: Pose) -> Touch:
    """An ellipsoid, at the pose X in the frame of a surface, on that surface."""
    half, size = ([as_expr(each) for each in given.size] for given in (shape, surface))
    own = [[X.R[i, j] * a for j, a in enumerate(half)] for i in range(3)]
    C = Matrix([[as_expr(sum(x * y for x, y in zip(a, b, strict=True))) for b in own] for a in own])

    def support(n: Vector) -> Vector:
        """The farthest point of the ellipsoid along n, from its centre."""
        return Vector(C @ n / sqrt(as_expr(n.dot(C @ n) + _TINY)))

    if surface.kind == "plane":
        touch = Touch(as_expr(X.p[2] - support(_Z)[2]), _Z, (_X, _Y))
    elif surface.kind in ("curve", "heights"):
        touch = _on_height(size[0], SPOT[: 1 + (surface.kind == "heights")], X.p, support)
    elif surface.kind == "hollow":
        far = X.R @ _farthest(half, X.R.T @ -X.p) + X.p
        distance = _length(far)
        return replace(_round(size[0] - distance, -far / distance), arm=far - X.p)
    elif surface.kind == "hull":
        from .hulls import on_hull

        back = [[X.R[i, j] / a for j, a in enumerate(half)] for i in range(3)]
        inverse = Matrix([[as_expr(sum(x * y for x, y in zip(a, b, strict=True))) for b in back] for a in back])
        touch = on_hull(size, X.p, as_expr(0), C, inverse)
    else:
        edges, radius = (size, as_expr(0)) if surface.kind == "box" else ([0, 0, size[-1]], size[0])
        if surface.kind == "ellipsoid":
            normals = [_between(C, Matrix([[a * a * int(i == j) for j in range(3)] for i, a in enumerate(size)]), X.p)]
            bound = [[a * x for a, x in zip(size, n, strict=True)] for n in normals]
            reaches = [sqrt(as_expr(sum(x * x for x in each))) for each in bound]
        else:
            normals = list(_normals([as_expr(each) / 2 for each in edges], C, X, half, surface.kind == "box"))
            reaches = [sum(a * absolute(x) for a, x in zip(edges, n, strict=True)) / 2 + radius for n in normals]
        gaps = [as_expr(n.dot(X.p) - n.dot(support(n)) - reach) for n, reach in zip(normals, reaches, strict=True)]
        gap, normal = gaps[0], normals[0]
        for more, n in zip(gaps[1:], normals[1:], strict=True):
            is_more = as_expr(maximum(sign(more - gap), 0))
            gap, normal = as_expr(maximum(gap, more)), normal * (1 - is_more) + n * is_more
        touch = _round(gap, normal)
    return replace(touch, arm=-support(touch.normal))


def _farthest(half: Sequence[Expr], p: Vector) -> Vector:
    """The point of an ellipsoid, in its frame, that is farthest from p."""
    t = as_expr(0)
    for a, x in zip(half, p, strict=True):
        t = as_expr(maximum(t, a * a + a * absolute(x)))
    for _ in range(_STEPS):  # Newton's method for 1/√f = 1, f = Σ (a p/(t - a²))²
        parts = [(a * x / (t - a * a + _TINY), t - a * a + _TINY) for a, x in zip(half, p, strict=True)]
        f = as_expr(sum(part * part for part, _ in parts) + _TINY)
        slope = sum(part * part / below for part, below in parts) + _TINY
        t = as_expr(t + f * (sqrt(f) - 1) / slope)
    return Vector([-a * a * x / (t - a * a + _TINY) for a, x in zip(half, p, strict=True)])


def _between(A: Matrix, B: Matrix, d: Vector) -> Vector:
    """The unit normal where two ellipsoids touch, from that of the matrix B to that of A whose centre is d from it."""
    s = as_expr(0)
    for _ in range(_STEPS):
        M = A + B * exp(s)
        m = _solve(M, d)
        a, b, w = m.dot(A @ m), m.dot(B @ m), _solve(M, B @ m)
        slope = 2 + 2 * exp(s) * (m.dot(A @ w) / a - m.dot(B @ w) / b)
        s = as_expr(s - (2 * s - log(a / b)) / slope)
    m = _solve(A + B * exp(s), d)
    return m / _length(m)


def _normals(half: Sequence[Expr], C: Matrix, X: Pose, own: Sequence[Expr], is_box: bool) -> Iterator[Vector]:
    """Unit normals for the faces, edges and vertices of a box, or of a segment that is a box without width.

    An axis along which the ellipsoid neither moves nor leans, and on which its centre is beside the box, has no part.
    """
    axes = [k for k in range(3) if not _is_beside(k, half[k], C, X.p)]
    for chosen in product((0, -1, 1), repeat=len(axes)):
        S = [k for k, side in zip(axes, chosen, strict=True) if side]
        d = [X.p[k] - side * half[k] for k, side in zip(axes, chosen, strict=True) if side]
        if not S or any(side != 1 and is_zero(half[k]) for k, side in zip(axes, chosen, strict=True)):
            continue
        m: Sequence[Expr]
        if len(S) == 1:
            m = [d[0] / sqrt(as_expr(d[0] * d[0] + _TINY))]
        elif is_box:
            m = _solve(_part(C, S), d)
        elif len(S) == 2:
            m = _nearest(_part(C, S), d)
        else:
            m = -(X.R @ _on_ellipsoid(own, -(X.R.T @ Vector(d)), as_expr(0)).normal)
        n = Vector([m[S.index(k)] if k in S else as_expr(0) for k in range(3)])
        yield n / _length(n) if len(S) > 1 else n


def _is_beside(k: int, half: Expr, C: Matrix, c: Vector) -> bool:
    leans = any(not is_zero(as_expr(C[k, j])) for j in range(3) if j != k)
    return not leans and not free_symbols([c[k], half]) and constant_value(as_expr(half - absolute(c[k]))) >= 0


def _part(C: Matrix, S: Sequence[int]) -> Matrix:
    return Matrix([[C[i, j] for j in S] for i in S])


def _nearest(P: Matrix, d: Sequence[Expr]) -> Sequence[Expr]:
    """The normal (P + t)⁻¹ d of an ellipse of the matrix P towards a point at d from its centre."""
    spread = sqrt(as_expr((P[0, 0] - P[1, 1]) * (P[0, 0] - P[1, 1]) + 4 * P[0, 1] * P[0, 1] + _TINY))
    p = Vector([d[0], d[1], 0])
    C = Matrix([[P[0, 0], P[0, 1], 0], [P[0, 1], P[1, 1], 0], [0, 0, 1]])
    t = as_expr(maximum(sqrt(as_expr(p.dot(C @ p) + _TINY)) - (P[0, 0] + P[1, 1] + spread) / 2, 0))
    for _ in range(_STEPS):
        M = C + Matrix.identity(3) * t
        m = _solve(M, p)
        f = as_expr(m.dot(C @ m) + _TINY)
        t = as_expr(t + f * (sqrt(f) - 1) / (m.dot(_solve(M, C @ m)) + _TINY))
    return _solve(C + Matrix.identity(3) * t, p)


def _solve(M: Matrix, d: Sequence[Expr]) -> Vector:
    """M⁻¹ d of a symmetric positive definite matrix of two or three rows."""
    if len(d) == 2:
        M, d = Matrix([[M[0, 0], M[0, 1], 0], [M[0, 1], M[1, 1], 0], [0, 0, 1]]), (*d, as_expr(0))
    a, b, c = (Vector([M[i, j] for j in range(3)]) for i in range(3))
    across, right = (b.cross(c), c.cross(a), a.cross(b)), Vector(d)
    return Vector([as_expr(each.dot(right)) for each in across]) / as_expr(a.dot(across[0]))
