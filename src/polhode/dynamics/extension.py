"""Equations of a mechanism to which states without mass and parameters were added: nothing is derived again.

A formalism derives what masses do. States without mass stand beside it with the rates that the model has for them, and
parameters are names: so the equations of a closed loop are those of the mechanism, with more states.
"""

from __future__ import annotations

from dataclasses import replace

from ..model.model import Model
from .equations import EquationsOfMotion

#: What is kept of the equations, once it was asked for, and has the states without mass in it.
_OF_STATES = ("z_rates", "state_rates")


def extended(equations: EquationsOfMotion, system: Model) -> EquationsOfMotion:
    """The same equations for a model that has more states without mass, or more parameters."""
    narrowed, whole = equations.narrowed, equations.whole
    made = replace(
        equations,
        system=system,
        make_recipe=lambda: equations.recipe,
        narrowed=None if narrowed is None else lambda rows: extended(narrowed(rows), system),
        whole=None if whole is None else extended(whole, system),
    )
    known = {name: value for name, value in vars(equations).items() if name not in _OF_STATES}
    vars(made).update({name: value for name, value in known.items() if name not in vars(made)})
    return made
