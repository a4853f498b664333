"""Where random mechanisms can be assembled, diagnostics find as many freedoms as there are independent speeds."""

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import seeds


@pytest.mark.parametrize("seed", seeds(range(1, 7), of=range(1, 13)))
def test_diagnostics_count_the_freedoms_that_equations_have(seed: int) -> None:
    system = random_constrained_system(seed)
    found = system.diagnose()
    equations = system.derive("newton_euler", constraints="embedded")
    assert len(found.speeds) - found.independent == len(equations.speeds)
    if found.can_be_assembled and not found.is_shaky:
        assert found.freedom == len(equations.speeds) and found.here is not None
        chosen = system.derive(
            "newton_euler", independent=list(found.here.independent), near=dict(found.here.coordinates)
        )
        assert chosen.speeds == [name for name in equations.tree.speeds if name in found.here.independent]


def test_most_random_mechanisms_can_be_assembled() -> None:
    assert sum(random_constrained_system(seed).diagnose().can_be_assembled for seed in range(1, 9)) > 4
