"""A figure has its own picture."""

from __future__ import annotations

from polhode.view.plot import plot_channels


def test_a_plot_shows_itself_without_a_display_or_a_backend() -> None:
    figure = plot_channels([0.0, 1.0], [("Angles", "rad", {"elbow": [0.0, 1.0]})])
    assert figure._repr_png_().startswith(b"\x89PNG")
