"""What a step says of one mechanism, in LaTeX with its own names; only what is short enough to be read."""

from __future__ import annotations

from typing import Any

from ....expr import Vector, as_expr, latex, normal, topological
from ....expr.spelling import latex_name, spelled_latex
from ....formalisms.silver import inverse_dynamics
from ....kinematics.motion import kinetic_energy
from .motion import Motion

_ZERO = Vector([0, 0, 0])
#: Expressions of more nodes are not brought to a readable form, and text that is longer is not shown.
_NODES, _LETTERS = 60, 450
#: Sums over more links than this are not written out.
_TERMS = 8


def energy(m: Motion) -> list[str]:
    """K in its coordinates and speeds, of the forms that (3.1) says are one the one that is shorter to derive."""
    shown = _readable(kinetic_energy(m.tree))
    return [f"K = {shown}"] if shown else []


def efforts(m: Motion) -> list[str]:
    """The efforts without gravity, each as a function, by the recursion, which is shorter to write."""
    tau = inverse_dynamics(m.tree, m.inertias, m.tree.u, m.ud, [(_ZERO, _ZERO)] * len(m.links), _ZERO)
    shown = [(_effort(m, j), _readable(entry)) for j, entry in enumerate(tau)]
    return [f"{name} = {text}" for name, text in shown if text]


def projections(m: Motion) -> list[str]:
    """(3.12), each term by the name of its link."""
    made = []
    for j, moved in enumerate(m.carried):
        if len(moved) <= _TERMS:
            rate = _rate(m, j)
            terms = [
                rf"F_{{{_link(m, i)}}} \cdot \frac{{\partial v_{{{_link(m, i)}}}}}{{\partial {rate}}}"
                rf" + N_{{{_link(m, i)}}} \cdot \frac{{\partial \omega_{{{_link(m, i)}}}}}{{\partial {rate}}}"
                for i in moved
            ]
            made.append(f"{_effort(m, j)} = {' + '.join(terms)}")
    return made


def angular_velocities(m: Motion) -> list[str]:
    """(3.14), each link's by the names of the joints before it."""
    made = []
    for i in m.links:
        terms = [
            rf"{_rate(m, j)}\, \hat z_{{{_link(m, k)}}}"
            for k in m.paths[i]
            if (j := m.speed(k)) is not None and any(m.turn[k])
        ]
        driven = [rf"\omega^{{\text{{driven}}}}_{{{_link(m, k)}}}" for k in m.paths[i] if m.tree.links[k].drive]
        if len(terms) <= _TERMS:
            made.append(rf"\omega_{{{_link(m, i)}}} = {' + '.join([*driven, *terms]) or '0'}")
    return made


def balances(m: Motion) -> list[str]:
    """The force or moment of each joint, by the names of the links that it carries."""
    made = []
    for k in m.links:
        j = m.speed(k)
        beyond = [i for i in m.links if k in m.paths[i]]
        if j is None or m.tree.is_coupled or len(beyond) > _TERMS or (any(m.turn[k]) and any(m.slide[k])):
            continue
        own = _link(m, k)
        if any(m.turn[k]):
            terms = [rf"p_{{{own},{_link(m, i)}}} \times F_{{{_link(m, i)}}} + N_{{{_link(m, i)}}}" for i in beyond]
        else:
            terms = [rf"F_{{{_link(m, i)}}}" for i in beyond]
        made.append(rf"{_effort(m, j)} = \hat z_{{{own}}} \cdot \left( {' + '.join(terms)} \right)")
    return made


def _readable(value: Any) -> str:
    """An expression in normal form, or nothing where it is long."""
    made = as_expr(value)
    if len(topological([made])) > _NODES:
        return ""
    text = latex(normal(made))
    return text if len(text) <= _LETTERS else ""


def _link(m: Motion, i: int) -> str:
    return latex_name(m.tree.links[i].name)


def _rate(m: Motion, j: int) -> str:
    return spelled_latex(m.tree.u[j])


def _effort(m: Motion, j: int) -> str:
    return spelled_latex(m.tree.tau[j])
