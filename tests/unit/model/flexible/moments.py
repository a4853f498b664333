"""Moments of flexible bodies in numbers: by their records, and again by quadrature of their material."""

import numpy as np

import polhode as ph
from polhode.expr import Expr, evaluate
from polhode.model.flexible.record import Flexibility


def number(value: object, values: dict[str, float]) -> float:
    """The value of an expression with these parameters."""
    expression = ph.expr.as_expr(value) if not isinstance(value, Expr) else value
    return float(evaluate([expression], {x: values[x.name] for x in ph.expr.free_symbols([expression])})[0])


def array(entries: object, values: dict[str, float]) -> np.ndarray:
    """Nested vectors and matrices as an array."""
    if isinstance(entries, tuple | list):
        return np.array([array(each, values) for each in entries])
    return np.array(number(entries, values))


def material(s: ph.System, name: str) -> Flexibility:
    """The record of the body that deforms."""
    record = s.bodies[f"{name} material"].flexibility
    assert record is not None
    return record


def values_of(s: ph.System) -> dict[str, float]:
    return {name: float(each.value) for name, each in s.parameters.items() if each.value is not None}


def mass_and_stiffness(s: ph.System, name: str) -> tuple[np.ndarray, np.ndarray]:
    """M_ij = tr G_ij of the coordinates, and the stiffness of the force element."""
    values, count = values_of(s), len(s.model().joints[f"{name} elastic"].q)
    G = array(material(s, name).second, values)
    M = np.trace(G, axis1=2, axis2=3)[1 : count + 1, 1 : count + 1]
    (load,) = [each for each in s.loads if each.name == f"{name} elastic"]
    return M, array(load.stiffness, values)


def frequencies(s: ph.System, name: str) -> np.ndarray:
    """The natural frequencies of the body in its frame, which is held."""
    from scipy.linalg import eigh

    M, K = mass_and_stiffness(s, name)
    return np.sqrt(eigh(K, M, eigvals_only=True))


def quadrature(record: Flexibility, values: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """b_a and G_ab by Gauss' rule over the segments; a section's mass sits at points with its mean squares."""
    size = len(record.amplitudes)
    b, G = np.zeros((size, 3)), np.zeros((size, size, 3, 3))
    nodes, weights = np.polynomial.legendre.leggauss(64)
    for segment in record.segments:
        start, end, mass = float(segment.start), float(segment.end), number(segment.mass, values)
        layers = [(1.0, segment.centre)]
        if segment.spread is not None:
            yy, zz, yz = (number(each, values) for each in segment.spread)
            assert yz == 0
            layers += [(yy, segment.y), (zz, segment.z)]
        for k, (square, fields) in enumerate(layers):
            at = (start + end) / 2 + (end - start) / 2 * nodes
            B = np.array([[_polynomial(p, at, values) for p in field] for field in fields])
            if k == 0:
                b += mass * np.einsum("ain,n->ai", B, weights) / 2
            G += mass * square * np.einsum("ain,bjn,n->abij", B, B, weights) / 2
    return b, G


def _polynomial(coefficients: tuple[Expr, ...], at: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """Horner's rule in exact coefficients turned to high precision, since those of high modes cancel."""
    from mpmath import mp, mpf

    with mp.workdps(60):
        exact = [_precise(c, values) for c in coefficients]
        return np.array([float(sum((c * mpf(x) ** k for k, c in enumerate(exact)), mpf(0))) for x in at])


def _precise(coefficient: Expr, values: dict[str, float]) -> object:
    from fractions import Fraction

    from mpmath import mpf

    known = {x: ph.expr.as_expr(values[x.name]) for x in ph.expr.free_symbols([coefficient])}
    (plain,) = ph.expr.substitute([coefficient], known)
    exact = Fraction(plain.data)
    return mpf(exact.numerator) / mpf(exact.denominator)
