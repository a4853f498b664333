"""Chunks: however a sweep is cut, the same comes of it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.simulate import Trajectory
from polhode.simulate.sweep.chunks import Chunk, Merged, Work, cut, merge, run_chunk
from polhode.simulate.sweep.design import Design, design_of
from polhode.simulate.sweep.measures import read_measures


def ragged(run: Trajectory) -> Any:
    """Two numbers of short pendulums, three of long ones, none of the longest."""
    length = run.parameters["l"]
    if length > 1.7:
        raise ValueError("too long")
    return [length] * (2 if length < 1.2 else 3)


def work_of(equations: ph.Equations, measure: Any, version: str = ph.__version__) -> tuple[Work, Design]:
    design = design_of(equations.record, {"l": np.linspace(0.5, 2, 9)}, False, {"samples": 3})
    measures = read_measures(measure, equations.record)
    return Work(equations.derivation, 0.1, design.members.shared, measures, f"key {measure}", version), design


def merged(equations: ph.Equations, measure: Any, size: int) -> Merged:
    work, design = work_of(equations, measure)
    chunks = cut(design.members, work, size)
    assert sum(len(chunk) for chunk in chunks) == 9
    return merge({chunk.first: run_chunk(work, chunk) for chunk in chunks}, 9)


@pytest.mark.parametrize("measure", ["final", ragged])
def test_it_does_not_matter_how_members_are_cut(pendulum: ph.Equations, measure: Any) -> None:
    whole = merged(pendulum, measure, 100)
    for size in (1, 2, 3, 4):
        cut_up = merged(pendulum, measure, size)
        assert cut_up.status.tolist() == whole.status.tolist()
        assert cut_up.messages == whole.messages
        for name, values in whole.values.items():
            np.testing.assert_array_equal(cut_up.values[name], values)


def test_measures_of_another_shape_than_the_first_fail_with_a_sentence(pendulum: ph.Equations) -> None:
    made = merged(pendulum, ragged, 4)
    assert made.status.tolist() == ["done"] * 4 + ["unmeasured"] * 5
    assert "shape (3,), that of the first member (2,)" in made.messages[4]
    assert "raised ValueError: too long" in made.messages[8]
    assert np.isnan(made.values["ragged"][4:]).all() and np.isfinite(made.values["ragged"][:4]).all()


def test_a_chunk_is_known_by_its_content_and_not_by_its_place(pendulum: ph.Equations) -> None:
    work, design = work_of(pendulum, "final")
    chunks = cut(design.members, work, 3)
    assert [(chunk.first, len(chunk)) for chunk in chunks] == [(0, 1), (1, 1), (2, 3), (5, 3), (8, 1)]
    assert len({chunk.key for chunk in chunks}) == len(chunks)
    assert Chunk(7, chunks[2].rows, work.key).key == chunks[2].key
    assert Chunk(2, chunks[2].rows, "another").key != chunks[2].key


def test_a_chunk_sent_to_another_process_gives_the_same_bits(pendulum: ph.Equations) -> None:
    work, design = work_of(pendulum, "final")
    chunk = cut(design.members, work, 3)[2]
    sent, its = pickle.loads(pickle.dumps((work, chunk)))
    assert its.key == chunk.key
    np.testing.assert_array_equal(run_chunk(sent, its).numbers, run_chunk(work, chunk).numbers)


def test_a_worker_of_another_version_is_refused(pendulum: ph.Equations) -> None:
    work, design = work_of(pendulum, "final", version="0.0.0")
    with pytest.raises(PolhodeError, match=r"started by 0\.0\.0"):
        run_chunk(work, cut(design.members, work, 3)[0])
