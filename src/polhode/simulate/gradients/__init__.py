"""Derivatives of runs: sensitivities, the adjoint, and the smooth run behind them."""
