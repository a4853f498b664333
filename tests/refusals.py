"""A call that must be refused, on one line."""

from collections.abc import Callable

import pytest

from polhode.errors import PolhodeError


def refused(words: str, call: Callable[[], object], error: type[Exception] = PolhodeError, code: str = "") -> str:
    """The message of the error that a call raises: it matches `words`, and its first problem has the code, if given."""
    with pytest.raises(error, match=words or None) as caught:
        call()
    assert not code or (isinstance(caught.value, PolhodeError) and caught.value.problems[0].code == code)
    return str(caught.value)
