"""The pendulum of the sweeps, whose pictures are tested here."""

from tests.unit.simulate.sweep.conftest import pendulum

__all__ = ["pendulum"]
