"""Generated code, its comments apart, and operation counts: a change is a reviewed difference.

    POLHODE_UPDATE_GOLDEN=1 pytest tests/golden

writes them anew. More operations than the baseline are a failure; fewer ask for a new baseline.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from tests.seeds import TRIAL

import polhode as ph
from polhode.model.samples import six_degree_of_freedom_arm
from polhode.model.system import System
from polhode.papers.silver.counts import general_arm, puma_like_arm

HERE = Path(__file__).parent
MODELS = HERE.parents[1] / "models"
UPDATE = os.environ.get("POLHODE_UPDATE_GOLDEN") == "1"
ADVICE = "If that is wanted: POLHODE_UPDATE_GOLDEN=1 pytest tests/golden, and look at the difference."


def from_file(name: str) -> Callable[[], System]:
    return lambda: ph.load(MODELS / f"{name}.yaml")


def ur5() -> System:
    try:
        robots = metadata.distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except metadata.PackageNotFoundError:
        pytest.skip("the UR5 comes with example-robot-data: pip install polhode[test]")
    return ph.load(Path(str(robots)) / "ur_description" / "urdf" / "ur5_robot.urdf")


SOURCES = {"pendulum": from_file("pendulum"), "double_pendulum": from_file("double_pendulum")}
COUNTED: dict[str, Callable[[], System]] = {
    **SOURCES, "six-joint arm": six_degree_of_freedom_arm, "UR5": ur5, "PUMA-like arm": puma_like_arm,
    "general 6R arm": general_arm,
}  # fmt: skip
FUNCTIONS = ("forward_dynamics", "inverse_dynamics", "mass_matrix")
BASELINE = HERE / "operations.json"


COMMENTS = {
    ".c": r"/\*.*?\*/", ".h": r"/\*.*?\*/", ".f90": r"^ *!.*?$|  !.*?$", ".py": r'^ *""".*?"""$|^ *#.*?$|  #.*?$',
}  # fmt: skip


def code_of(path: Path) -> str:
    """A source without comments and blank lines: how things are worded is no promise."""
    bare = re.sub(COMMENTS[path.suffix], "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    return "".join(f"{line.rstrip()}\n" for line in bare.splitlines() if line.strip())


def kept_name(path: Path) -> str:
    """A generated module is kept as text, so that nothing takes it for a part of the tests."""
    return path.name.removesuffix(".py") + ".numpy.txt" if path.suffix == ".py" else path.name


@pytest.mark.parametrize("target", ["c", "fortran", "numpy"])
@pytest.mark.parametrize("system", SOURCES)
def test_generated_code_is_what_was_reviewed(system: str, target: str, tmp_path: Path) -> None:
    written = SOURCES[system]().derive().export(target, tmp_path, "forward_dynamics", prefix=system)
    for path in written:
        if path.suffix == ".json":  # the check value's last digits belong to the machine's libm
            continue
        kept = HERE / system / kept_name(path)
        if UPDATE:
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(code_of(path))
        assert kept.exists(), f"{kept.name} is not kept yet. {ADVICE}"
        assert code_of(path) == kept.read_text(), f"{path.name} has changed. {ADVICE}"


#: Equations of earlier tests: what else is alive must not matter.
KEPT: list[ph.Equations] = []


def counted(make: Callable[[], System]) -> dict[str, dict[str, int]]:
    equations = make().derive()
    KEPT.append(equations)
    table = {}
    for function in FUNCTIONS:
        found = equations.operations(function)
        table[function] = {
            "multiplications": found.multiplications, "additions": found.additions, "divisions": found.divisions,
            "sine-cosine pairs": found.sincos, "set-up": found.setup,
        }  # fmt: skip
    return table


@pytest.mark.parametrize("system", COUNTED)
def test_operation_counts_do_not_rise(system: str) -> None:
    found = counted(COUNTED[system])
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    if UPDATE:
        baseline[system] = found
        ordered = {name: baseline[name] for name in COUNTED if name in baseline}
        BASELINE.write_text(json.dumps(ordered, indent=2) + "\n")
    assert system in baseline, f"{system} has no baseline yet. {ADVICE}"
    for function, counts in found.items():
        before = baseline[system][function]
        for kind in ("divisions", "sine-cosine pairs"):
            assert counts[kind] <= before[kind], f"{function} of {system}: {kind}. {ADVICE}"
        now, then = (c["multiplications"] + c["additions"] for c in (counts, before))
        assert now <= then, f"{function} of {system} takes {now} operations; it took {then}. {ADVICE}"
        if now < then:
            warnings.warn(f"{function} of {system} takes {now} operations, fewer than {then}. {ADVICE}", stacklevel=1)


def digest(system: System, folder: Path) -> str:
    """One fingerprint of all that is exported of a system."""
    text = hashlib.sha256()
    for target in ("c", "fortran", "numpy"):
        for path in system.derive().export(target, folder, "forward_dynamics"):
            text.update(path.name.encode() + path.read_bytes())
    return text.hexdigest()


SCRIPT = """
import sys, tempfile
from pathlib import Path
from polhode.model.samples import six_degree_of_freedom_arm
sys.path.insert(0, sys.argv[1])
from test_golden import digest
with tempfile.TemporaryDirectory() as folder:
    print(digest(six_degree_of_freedom_arm(), Path(folder)))
"""


def test_the_same_model_gives_the_same_bytes_whatever_came_before_and_however_hashes_fall(tmp_path: Path) -> None:
    puma_like_arm().derive("poincare").operations("mass_matrix")
    six_degree_of_freedom_arm("spherical").derive("articulated_body").operations()
    here = digest(six_degree_of_freedom_arm(), tmp_path)
    for seed in ("1", "77") if TRIAL else ("77",):
        there = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(HERE)],
            env=os.environ | {"PYTHONHASHSEED": seed, "POLHODE_UPDATE_GOLDEN": "0"},
            capture_output=True,
            text=True,
        )
        assert there.stdout.strip() == here, there.stderr
