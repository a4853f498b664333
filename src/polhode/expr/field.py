"""The prime field in which every expression has a fingerprint.

The prime p is chosen so that the numbers of mechanics live in the field, not beside it:

* p - 1 is divisible by 8 and by every prime up to 47, so -1 is a square: the field contains an i, and the circle
  cos² + sin² = 1 is parameterized by e^{iθ}, an ordinary element z. Sums of angles are products of such elements:
  the addition theorems hold by themselves.
* It contains e^{iπr} for every r whose denominator divides `PI_DENOMINATOR`, so cos(π/3) *is* 1/2.
* It contains √2, √3, … √47 (as Gauss sums of those same roots of unity, so that cos(π/4) *is* √2/2), the roots of
  all other primes below 100, and of every second prime beyond.

p has 127 bits; by the Schwartz-Zippel lemma two different functions of degree d have one fingerprint with
probability below d/p.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import count
from math import isqrt

#: The largest prime below 2^127 with the properties above.
P = 0x7FFFFFFFFFFD7C0CA2994F6F3E8EB181

#: Angles r·π have exact fingerprints when the denominator of r divides this number.
PI_DENOMINATOR = 2**4 * 3**3 * 5**2 * 7 * 11 * 13

#: Multiples r·θ of one angle θ are related exactly when the denominator of r divides this number.
ANGLE_DENOMINATOR = 2**8 * 3**2 * 5**8 * 7

_SMALL_PRIMES = (
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
)  # fmt: skip


def hash_to_field(*words: object) -> int:
    """A fixed pseudo-random element for a tuple of strings and integers; never 0."""
    text = "\x1f".join(f"{type(word).__name__}:{word}" for word in words)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()
    return int.from_bytes(digest, "big") % (P - 1) + 1


@lru_cache(maxsize=65536)
def inverse(element: int) -> int:
    """1/element in the field."""
    return pow(element, -1, P)


def rational(value: Fraction) -> int:
    """The element that a rational number is."""
    if value.denominator == 1:
        return value.numerator % P
    return value.numerator * inverse(value.denominator % P) % P


def _primitive_root_of_unity(order: int) -> int:
    """An element whose powers are the `order` roots of unity."""
    primes = [q for q in _SMALL_PRIMES if order % q == 0]
    seed = 2
    while True:
        root = pow(seed, (P - 1) // order, P)
        if all(pow(root, order // q, P) != 1 for q in primes):
            return root
        seed += 1


_ORDER = PI_DENOMINATOR * 2 * 17 * 19 * 23 * 29 * 31 * 37 * 41 * 43 * 47
_UNITY = _primitive_root_of_unity(_ORDER)

#: The field's imaginary unit, e^{iπ/2}.
IMAGINARY = pow(_UNITY, _ORDER // 4, P)


def turn_of_pi(ratio: Fraction) -> int | None:
    """e^{iπ·ratio} as an element, or None when the denominator is too exotic."""
    if PI_DENOMINATOR % ratio.denominator:
        return None
    step = ratio.numerator * (PI_DENOMINATOR // ratio.denominator) % (2 * PI_DENOMINATOR)
    return pow(_UNITY, step * (_ORDER // (2 * PI_DENOMINATOR)), P)


@cache
def _root_of_prime(q: int) -> int | None:
    """√q for a prime, with the sign that agrees with the roots of unity; None where the field has none."""
    if q == 2:
        eighth = pow(_UNITY, _ORDER // 8, P)
        return (eighth + inverse(eighth)) % P
    if _ORDER % q == 0:
        zeta = pow(_UNITY, _ORDER // q, P)
        gauss = sum(pow(zeta, k * k % q, P) for k in range(q)) % P  # √q, or i√q when q ≡ 3 (mod 4)
        return gauss if q % 4 == 1 else gauss * inverse(IMAGINARY) % P
    return square_root(q) if pow(q, (P - 1) // 2, P) == 1 else None


@cache
def _nonresidue() -> int:
    """The least number that is no square."""
    return next(n for n in count(2) if pow(n, (P - 1) // 2, P) != 1)


def square_root(element: int) -> int:
    """The smaller of the two square roots of a square (Tonelli and Shanks)."""
    odd, power = P - 1, 0
    while odd % 2 == 0:
        odd //= 2
        power += 1
    generator, root, rest = pow(_nonresidue(), odd, P), pow(element, (odd + 1) // 2, P), pow(element, odd, P)
    while rest != 1:
        order, square = 0, rest
        while square != 1:
            square = square * square % P
            order += 1
        factor = pow(generator, 1 << (power - order - 1), P)
        power, generator = order, factor * factor % P
        root, rest = root * factor % P, rest * generator % P
    return min(root, P - root)


def square_free(value: Fraction) -> tuple[Fraction, int]:
    """Write a positive rational as s²·n with n free of the squares of primes below `_TRIAL`."""
    number = value.numerator * value.denominator
    scale, rest = Fraction(1, value.denominator), 1
    for q in _trial_divisors(number):
        while number % (q * q) == 0:
            number //= q * q
            scale *= q
        if number % q == 0:
            number //= q
            rest *= q
    root = isqrt(number)
    if root * root == number:
        return scale * root, rest
    return scale, rest * number


_TRIAL = 1000


def _trial_divisors(number: int) -> Iterator[int]:
    """2, 3, 5, 7, 9, … as far as they may divide."""
    yield 2
    yield from range(3, min(_TRIAL, isqrt(number) + 1), 2)


@lru_cache(maxsize=4096)
def root_of_integer(number: int) -> int | None:
    """√number of distinct primes as an element, multiplicative; None if a prime has no root or cannot be split off."""
    root = 1
    for q in _trial_divisors(number):
        if number % q == 0:
            number //= q
            factor = _root_of_prime(q)
            if factor is None:
                return None
            root = root * factor % P
    if number == 1:
        return root
    factor = _root_of_prime(number) if number < _TRIAL**2 else None
    return None if factor is None else root * factor % P


def power_of_turn(base: int, ratio: Fraction) -> int | None:
    """base^(ratio·ANGLE_DENOMINATOR): the turn by `ratio` times an angle; None when the ratio is too exotic."""
    if ANGLE_DENOMINATOR % ratio.denominator:
        return None
    exponent = ratio.numerator * (ANGLE_DENOMINATOR // ratio.denominator)
    return pow(base, exponent, P)


def unit_sphere_point(*words: object, dimension: int) -> tuple[int, ...]:
    """A pseudo-random point with x₁² + … + xₙ² = 1, by stereographic projection."""
    flat = [hash_to_field("sphere", index, *words) for index in range(dimension - 1)]
    square = sum(x * x for x in flat) % P
    scale = inverse((1 + square) % P)
    return ((1 - square) * scale % P, *(2 * x * scale % P for x in flat))


__all__ = [
    "ANGLE_DENOMINATOR", "IMAGINARY", "PI_DENOMINATOR", "P", "hash_to_field", "inverse", "power_of_turn",
    "rational", "root_of_integer", "square_free", "turn_of_pi", "unit_sphere_point",
]  # fmt: skip
