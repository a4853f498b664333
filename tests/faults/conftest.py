"""What several files of fault tests share."""

import locale
from collections.abc import Iterator

import pytest


@pytest.fixture(params=["C", "de_DE.UTF-8"])
def any_locale(request: pytest.FixtureRequest) -> Iterator[None]:
    """A locale with a decimal point, and one with a decimal comma."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, request.param)
    except locale.Error:
        pytest.skip(f"this machine has no locale {request.param}")
    yield
    locale.setlocale(locale.LC_ALL, before)
