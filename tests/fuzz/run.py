"""Runs cases in a child process, so that a crash or a hang is one failing case and the rest go on."""

import contextlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic

from tests.fuzz.calls import api_case, dh_case
from tests.fuzz.case import Case, Maker, failure
from tests.fuzz.expressions import expr_case
from tests.fuzz.files import csv_case, mjcf_case, urdf_case, yaml_case
from tests.fuzz.results import name_case, result_case
from tests.fuzz.signatures import signature_case

ROOT = Path(__file__).parents[2]
MEMORY = 6 * 2**30

KINDS: dict[str, Maker] = {
    "api": api_case, "csv": csv_case, "dh": dh_case, "expr": expr_case, "mjcf": mjcf_case, "names": name_case,
    "results": result_case, "signature": signature_case, "urdf": urdf_case, "yaml": yaml_case,
}  # fmt: skip


def made(kind: str, seed: str, number: int) -> Case:
    """The case of this number."""
    return KINDS[kind](Random(f"{kind} {seed} {number}"))


def work(kind: str, seed: str, first: int, count: int, seconds: float) -> None:
    """In the child: run cases, and tell by lines of JSON which one begins and what went wrong."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a case prints is not a report
    for number in range(first, first + count):
        print(json.dumps([number, ""]), file=told, flush=True)
        said = failure(made(kind, seed, number), seconds)
        if said:
            print(json.dumps([number, said]), file=told, flush=True)


def fuzz(kind: str, count: int, seed: str, first: int = 0, seconds: float = 10.0) -> Iterator[tuple[int, Case, str]]:
    """The cases that failed, with what went wrong; a child runs a thousand, so that what it keeps is bounded."""
    end = first + count
    while first < end:
        for number, said in _child(kind, seed, first, min(end - first, 1000), seconds):
            first = number
            if said:
                yield number, made(kind, seed, number), said
        first += 1


def _child(kind: str, seed: str, first: int, count: int, seconds: float) -> Iterator[tuple[int, str]]:
    """What one child tells; its death, or its silence for too long, is told as the failure of its last case."""
    options = ["--worker", "--only", kind, "--seed", seed, "--first", str(first), "--cases", str(count)]
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz", *options, "--seconds", str(seconds)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *map(str, sys.path)]))},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    number = first
    patience = 120.0  # to start
    try:
        while True:
            line = _line(process, patience)
            if line is None:
                process.kill()
                yield number, f"no answer for {patience:g} s: it hangs where Python cannot interrupt it"
                break
            if not line:
                status = process.wait()
                if status:
                    yield number, f"the process died with status {status}"
                break
            number, said = json.loads(line)
            patience = 3 * seconds + 10
            yield number, said
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _line(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    """The next line of a process, empty at its end, None where none comes in time."""
    stream, end, line = process.stdout, monotonic() + seconds, b""
    if stream is None:
        return b""
    while not line.endswith(b"\n"):
        if not select.select([stream], [], [], max(end - monotonic(), 0))[0]:
            return None
        piece = os.read(stream.fileno(), 1)
        if not piece:
            return b""
        line += piece
    return line
