"""A digest of every program: what a commit that moves or renames must leave as it is.

    python -m bench.digests --out before.json
    python -m bench.digests --against before.json

Programs are planned from the graphs that a fresh derivation makes, never read from the cache. The second command
names each program that has changed, with its operations before and now, and fails if there is one.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path

import polhode as ph
from polhode.codegen.ir.count import count
from polhode.codegen.ir.serialise import dump_program
from polhode.formalisms.registry import names
from polhode.model import samples
from polhode.papers.silver.counts import general_arm, puma_like_arm

from .mechanisms import ARMS, MODELS, WALKERS, binary_tree, chain, puma_560

FUNCTIONS = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "bias", "poses", "energy")
#: With more speeds than this only `auto` is digested.
_EVERY_FORMALISM = 8

Digests = dict[str, tuple[str, int]]  # program -> its digest and its operations


def systems(quick: bool) -> dict[str, Callable[[], ph.System]]:
    """The mechanisms of the model files, samples and benchmarks."""
    models = {path.stem: partial(ph.load, path) for path in sorted(MODELS.glob("*.yaml"))}
    models |= {"six-joint arm": samples.six_degree_of_freedom_arm, "whipple bicycle": samples.whipple_bicycle}
    models |= {"four-bar": samples.four_bar, "two four-bars": partial(samples.n_four_bar, 2)}
    models |= {"bricard": samples.bricard_mechanism, "PUMA-like arm": puma_like_arm, "PUMA 560": puma_560}
    models |= {"general 6R arm": general_arm, "chain of 6": partial(chain, 6), "tree of 7": partial(binary_tree, 7)}
    if quick:
        return models
    models |= {"squeezer": samples.squeezing_mechanism, "stewart": samples.stewart_platform}
    models |= {"car": lambda: samples.car().system, "semitrailer": lambda: samples.semitrailer().system}
    return models | {robot.name: robot.system for robot in ARMS + WALKERS}


def of_system(name: str, make: Callable[[], ph.System], every: bool = True) -> Iterator[tuple[str, tuple[str, int]]]:
    """Name, digest and operations of a system's programs, by every formalism if it is small and that is desired."""
    system = make()
    size = len(system.derive().u)
    for formalism in ("auto", *(names() if every and size <= _EVERY_FORMALISM else ())):
        for function in FUNCTIONS:
            with suppress(ph.PolhodeError):  # of a formalism that refuses this mechanism
                program = system.derive(formalism).compile(cache=False).program(function)
                text = blake2b(dump_program(program).encode(), digest_size=16).hexdigest()
                yield f"{name}, {formalism}, {function}", (text, count(program).total)


@cache
def program_digest(name: str) -> str:
    """One text for all programs of a system by the default formalism."""
    return json.dumps(list(of_system(name, systems(False)[name], every=False)))


def differences(before: Digests, now: Digests) -> list[str]:
    """One sentence for each program that is not what it was."""
    lines = [f"{name}: is no longer there" for name in before.keys() - now.keys()]
    lines += [f"{name}: is new" for name in now.keys() - before.keys()]
    changed = (name for name in before.keys() & now.keys() if before[name][0] != now[name][0])
    return sorted([*lines, *(f"{name}: {before[name][1]} operations before, {now[name][1]} now" for name in changed)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the digests, or compare them with those of another tree."""
    parser = argparse.ArgumentParser(prog="python -m bench.digests", description=__doc__)
    parser.add_argument("--out", type=Path, help="a JSON file to write them to")
    parser.add_argument("--against", type=Path, help="a JSON file that was written before")
    parser.add_argument("--quick", action="store_true", help="without vehicles and robots")
    options = parser.parse_args(arguments)
    digests: Digests = {}
    for name, make in systems(options.quick).items():
        print(name, file=sys.stderr, flush=True)
        digests |= of_system(name, make)
    if options.out:
        options.out.write_text(json.dumps(digests, indent=1) + "\n")
    if not options.against:
        print(f"{len(digests)} programs, {sum(operations for _, operations in digests.values()):,} operations")
        return 0
    before = {name: tuple(entry) for name, entry in json.loads(options.against.read_text()).items()}
    lines = differences(before, digests)
    print("\n".join(lines) or f"all {len(digests)} programs are what they were")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
