"""One hypothesis profile for the whole suite: the same examples every time, and no deadline on a busy machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("polhode", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("polhode")
