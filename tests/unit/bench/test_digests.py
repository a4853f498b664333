"""The digests of programs tell what a commit has changed."""

from bench.digests import differences


def test_changed_programs_are_named() -> None:
    found = {"pendulum, auto, bias": ("ab", 12)}
    assert differences(found, dict(found)) == []
    told = differences({"arm": ("ab", 12), "old": ("cd", 3)}, {"arm": ("ef", 11), "new": ("01", 2)})
    assert told == ["arm: 12 operations before, 11 now", "new: is new", "old: is no longer there"]
