"""The names by which coordinates, speeds, states without mass, efforts and inputs are given."""

from __future__ import annotations

from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr
from ..expr.spelling import spelled


def state_names(equations: EquationsOfMotion) -> dict[str, Expr]:
    """Their symbols as they are written, x, x', tau_x, and by the other names that stand for them.

    >>> import polhode as ph
    >>> s = ph.System("cart")
    >>> _ = s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"), speeds=["v"])
    >>> [*state_names(s.derive().record)]
    ['x', 'v', 'tau_v', 'tau(v)', 'd(v)']
    """
    tree = equations.tree
    inputs = {name: entry.symbol for name, entry in equations.system.inputs.items()}
    efforts = dict(zip(tree.speeds, tree.tau, strict=True))
    own = {u.name: u for u in equations.u}
    written = {spelled(x): x for x in (*equations.q, *equations.u, *equations.z, *tree.tau)}
    everything = written | {f"tau({name})": effort for name, effort in efforts.items()} | inputs | own
    return everything | {f"d({name})": u for name, u in own.items()} | {x.name: x for x in (*equations.q, *equations.z)}
