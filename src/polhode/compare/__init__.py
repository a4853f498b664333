"""Every formalism on one mechanism, and the reference derivation beside them: whether they agree, what each costs."""

from .comparison import FUNCTIONS, Agreement, Comparison, Finding, Row, agreement, compare, nanoseconds_per_call

__all__ = ["FUNCTIONS", "Agreement", "Comparison", "Finding", "Row", "agreement", "compare", "nanoseconds_per_call"]
__dir__ = __all__.copy
