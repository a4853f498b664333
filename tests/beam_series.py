"""Frequencies of a cantilever under axial tension, from power series of its differential equation.

    w'''' - (N w')' = λ w    on [0, 1],    w = w' = 0 at 0,    w'' = w''' = 0 at 1

with a tension N(x), a polynomial that vanishes at the free end: η² (1 - x²)/2 on a beam that rotates, γ (1 - x) on one
that hangs. Nothing of polhode is used.
"""

from collections.abc import Sequence
from math import perm

from mpmath import mp, mpf

_TERMS = 64


def _solution(tension: Sequence[mpf], eigenvalue: mpf, first: int) -> list[mpf]:
    """Coefficients of the solution that begins with x^first."""
    a = [mpf(0)] * _TERMS
    a[first] = mpf(1)
    for k in range(_TERMS - 4):
        # x^k of (N w')' = (k + 1) times x^(k + 1) of N w'
        pulled = sum(n * (k + 2 - j) * a[k + 2 - j] for j, n in enumerate(tension) if n and k + 2 > j)
        a[k + 4] += ((k + 1) * pulled + eigenvalue * a[k]) / ((k + 1) * (k + 2) * (k + 3) * (k + 4))
    return a


def boundary(tension: Sequence[float], eigenvalue: float) -> mpf:
    """The determinant of bending moment and shear at the free end."""
    with mp.workdps(30):
        N = [mpf(n) for n in tension]
        one, two = (_solution(N, mpf(eigenvalue), first) for first in (2, 3))

        def at_end(a: list[mpf], order: int) -> mpf:
            return sum(a[k] * perm(k, order) for k in range(order, _TERMS))

        return at_end(one, 2) * at_end(two, 3) - at_end(one, 3) * at_end(two, 2)


def frequencies(tension: Sequence[float], near: Sequence[float]) -> list[float]:
    """The frequencies √λ closest to some guesses, which lie within one per cent of them."""
    roots = []
    with mp.workdps(30):
        for guess in near:
            low, high = (mpf(guess) * (1 + s * mpf("0.01")) for s in (-1, 1))
            root = mp.findroot(lambda x: boundary(tension, x**2), (low, high), solver="secant", tol=1e-20)
            assert low < root < high
            roots.append(float(root))
    return roots
