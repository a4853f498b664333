"""A formalism run on floats gives what its graph evaluates to: derivation and reference are one text."""

from typing import Any

import numpy as np
import pytest
from tests.seeds import seeds

from polhode.dynamics.loads import Loads
from polhode.expr import as_expr, evaluate
from polhode.formalisms import articulated_body, composite_body, newton_euler, screw
from polhode.formalisms.short import articulated_body as short_articulated_body
from polhode.formalisms.short import newton_euler as short_newton_euler
from polhode.geometry.twist import Wrench
from polhode.kinematics.motion import kinetic_energy
from polhode.model.samples.random_system import random_state, random_system


def on_floats(entries: Any, values: Any) -> Any:
    return type(entries)(evaluate([as_expr(entry) for entry in entries], values))


@pytest.mark.parametrize("seed", seeds(7, of=40))
def test_formalisms_run_on_floats_as_on_graphs(seed: int) -> None:
    system = random_system(seed)
    made = system.derive("auto")
    values = random_state(system, seed)
    tree = made.tree.at(values)
    loads = Loads(system, made.tree)
    wrenches = [Wrench(on_floats(n, values), on_floats(f, values)) for n, f in loads.wrenches()]
    given = np.array(on_floats(loads.speed_forces(), values))
    udot = on_floats(made.udot, values)

    for outward_and_inward in (newton_euler, short_newton_euler, screw):
        efforts = outward_and_inward.inverse_dynamics(tree, tree.u, udot, wrenches, tree.gravity)
        close(np.array(efforts) - given, evaluate(made.inverse_dynamics, values))
    M = composite_body.mass_matrix(tree, composite_body.composite_inertias(tree))
    close([float(entry) for entry in M.entries()], evaluate(made.mass_matrix.entries(), values))
    for eliminated in (articulated_body, short_articulated_body):
        rates = eliminated.forward_dynamics(tree, tree.u, np.array(tree.tau) + given, wrenches, tree.gravity)
        close([float(rate) for rate in rates], evaluate(made.forward_dynamics, values), slack=1e-8)
    close([float(kinetic_energy(tree))], evaluate([made.kinetic_energy], values))


def close(ours: Any, theirs: Any, slack: float = 1e-10) -> None:
    scale = max(1.0, np.abs(theirs).max(initial=0))
    np.testing.assert_allclose(np.array(ours, float), np.array(theirs, float), rtol=0, atol=slack * scale)
