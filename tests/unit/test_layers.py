"""The walls of docs/design.md stand, and they hold: small houses with one wrong door each are refused."""

import ast
import configparser
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = ROOT / ".importlinter"
ROOMS = (
    "files", "expr", "geometry", "model", "formats", "kinematics", "constraints", "dynamics", "formalisms", "laws",
    "codegen", "native", "ode", "compiled", "view", "simulate", "show", "linear", "equilibria", "inverse_kinematics",
    "identification", "symmetry", "control_geometry", "control", "planning", "optimize", "compare", "papers", "surface",
    "terminal", "cli",
)  # fmt: skip


#: A program that is given the contracts and folders: each folder's package is read as if it were the only one.
LINTER = """
import contextlib, importlib, io, json, os, sys
from importlinter.cli import lint_imports_command
reports = []
for folder in sys.argv[2:]:
    os.chdir(folder)
    sys.path[0] = folder
    importlib.invalidate_caches()
    report = io.StringIO()
    with contextlib.redirect_stdout(report), contextlib.redirect_stderr(report):
        try:
            lint_imports_command(["--no-cache", "--config", sys.argv[1]])
        except SystemExit as ended:
            reports.append((ended.code == 0, report.getvalue()))
print(json.dumps(reports))
"""


def lint_imports(*folders: Path) -> list[tuple[bool, str]]:
    """Whether the package `polhode` in each folder keeps the contracts, and the linter's report."""
    run = subprocess.run(
        [sys.executable, "-c", LINTER, str(CONTRACTS), *map(str, folders)],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [(kept, report) for kept, report in json.loads(run.stdout)]


def named_modules() -> set[str]:
    """The modules inside rooms that a contract names as those who import, or who must not be imported."""
    config = configparser.ConfigParser()
    config.read(CONTRACTS, encoding="utf-8")
    lists = [section.get(key, "") for section in config.values() for key in ("source_modules", "forbidden_modules")]
    names = {line.strip().removeprefix("polhode.") for text in lists for line in text.split("\n") if line.strip()}
    return {name.replace(".", "/") for name in names if "*" not in name}


def build_house(folder: Path, modules: Mapping[str, str]) -> Path:
    """A package `polhode` of empty rooms, and the given modules in them."""
    package = folder / "polhode"
    for room in ROOMS:
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "errors.py").touch()
    for name, text in {**dict.fromkeys(named_modules() - {*ROOMS}, ""), **modules}.items():
        path = package / (f"{name}/__init__.py" if name == "compare/reference" else f"{name}.py")
        path.parent.mkdir(exist_ok=True)
        for folder_on_the_way in (path.parent, *path.parent.parents):
            if package in folder_on_the_way.parents:
                (folder_on_the_way / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return folder


def test_every_import_follows_the_arrows_of_the_design() -> None:
    [(kept, report)] = lint_imports(ROOT / "src")
    assert kept, report


def test_the_doors_that_the_design_draws_are_open(tmp_path: Path) -> None:
    house = build_house(
        tmp_path,
        {
            "files/reading": "from polhode import errors",
            "expr/node": "from polhode.errors import *",
            "expr/opaque": "from polhode.files import reading",
            "geometry/rotation": "from polhode.expr import node",
            "model/system": "from polhode.expr import node\nfrom polhode import registry",
            "surface/system": "def derive():\n    from polhode.surface import equations",
            "surface/equations": "from polhode.formalisms import derivation\n"
            "def simulate():\n    from polhode.simulate import trajectory",
            "formats/urdf": "from polhode.model import system\nfrom polhode.files import reading",
            "kinematics/sweep": "from polhode.geometry import rotation\nfrom polhode.model import system",
            "compare/reference/derivation": "from polhode.model import system\nfrom polhode.expr import node",
            "dynamics/equations": "from polhode.kinematics import sweep\nfrom polhode.constraints import rows",
            "constraints/rows": "from polhode.kinematics import sweep",
            "formalisms/registry": "from polhode.dynamics import equations",
            "formalisms/derivation": "def equations():\n    from polhode.formalisms import poincare",
            "formalisms/poincare": "from polhode.formalisms import registry\nfrom polhode.kinematics import sweep",
            "codegen/program": "from polhode import errors",
            "codegen/plan": "from polhode.expr import node\nfrom polhode.codegen import program",
            "codegen/c99": "from polhode.codegen import program",
            "native/engine": "from polhode.codegen import c99, program",
            "ode/stepper": "from polhode.native import engine\nfrom polhode.codegen import program",
            "compiled/functions": "from polhode.dynamics import equations\nfrom polhode.native import engine",
            "laws/law": "from polhode.dynamics import equations",
            "linear/linear": "from polhode.simulate import trajectory",
            "control/lqr": "from polhode.linear import linear\nfrom polhode.laws import law",
            "planning/spline": "from polhode.geometry import rotation",
            "simulate/trajectory/trajectory": "from polhode.compiled import functions\nfrom polhode.view import page",
            "show/scene": "from polhode.simulate import trajectory\nfrom polhode.view import page",
            "optimize/problem": "from polhode.simulate import trajectory\nfrom polhode.linear import linear",
            "papers/tokad/chain": "from polhode.formalisms import poincare\nfrom polhode.simulate import trajectory",
            "surface/tables": "from polhode.papers.tokad import chain",
            "view/page": "from polhode import errors",
            "cli/demo": "from polhode.surface import system\nfrom polhode.view import page",
        },
    )
    [(kept, report)] = lint_imports(house)
    assert kept, report


WRONG_DOORS = {
    "files know no expression": {"files/cache": "from polhode import expr"},
    "expressions know no geometry": {"expr/node": "from polhode import geometry"},
    "geometry knows no bodies": {"geometry/screw": "from polhode import model"},
    "a body does not derive": {"model/body": "def f():\n    from polhode import formalisms"},
    "a system reaches right by one door": {"model/system": "def f():\n    from polhode import formalisms"},
    "kinematics knows no formalism": {"kinematics/sweep": "from polhode import formalisms"},
    "equations do not know who derived them": {"dynamics/power": "def f():\n    from polhode import formalisms"},
    "what judges derivations knows no tree": {"compare/reference/positions": "from polhode import kinematics"},
    "what judges derivations has its own rotations": {"compare/reference/positions": "from polhode import geometry"},
    "what judges derivations knows no loads": {"compare/reference/derivation": "from polhode import dynamics"},
    "what judges derivations knows no rows": {"compare/reference/rows": "from polhode import constraints"},
    "what judges derivations is not who compares": {"compare/reference/rows": "from polhode.compare import comparison"},
    "what judges derivations reaches none through the model": {
        "model/tree": "from polhode import kinematics",
        "compare/reference/positions": "from polhode.model import tree",
    },
    "formalisms know no targets": {"formalisms/kane": "from polhode import codegen"},
    "code knows no geometry": {"codegen/plan": "from polhode import geometry"},
    "code knows no mechanics": {"codegen/plan": "from polhode import kinematics"},
    "native code sees no expression": {"native/engine": "from polhode import expr"},
    "native code sees no expression through the plan": {
        "codegen/plan": "from polhode import expr",
        "native/engine": "from polhode.codegen import plan",
    },
    "machine code knows no integration": {"native/engine": "def f():\n    from polhode import ode"},
    "integration knows no mechanism": {"ode/stepper": "def f():\n    from polhode import compiled"},
    "a run seeks no optimum": {"simulate/run": "def f():\n    from polhode import optimize"},
    "a run draws nothing": {"simulate/run": "def f():\n    from polhode import show"},
    "simulation knows no formalism": {"simulate/run": "from polhode import formalisms"},
    "laws know no targets": {"laws/law": "from polhode import codegen"},
    "a run knows no feature": {"simulate/run": "def f():\n    from polhode import linear"},
    "features stand apart": {"identification/fit": "from polhode import inverse_kinematics"},
    "control and planning stand apart": {"control/lqr": "from polhode import planning", "planning/gait": ""},
    "nothing is derived from a paper's own tables": {"formalisms/kane": "def f():\n    from polhode import papers"},
    "comparison knows no paper": {"compare/comparison": "def f():\n    from polhode import papers"},
    "a picture knows no trajectory": {"view/page": "from polhode import simulate"},
    "a picture knows no geometry": {"view/page": "from polhode import geometry"},
    "no room goes out by the front door": {"__init__": "from polhode import model", "expr/node": "import polhode"},
    "a new room is drawn on the page first": {"attic": ""},
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bool, str]]:
    """What the linter says of the house with each wrong door."""
    houses = [build_house(tmp_path_factory.mktemp("house"), modules) for modules in WRONG_DOORS.values()]
    return dict(zip(WRONG_DOORS, lint_imports(*houses), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("door", WRONG_DOORS)
def test_a_wrong_door_is_refused(door: str, reports: dict[str, tuple[bool, str]]) -> None:
    kept, report = reports[door]
    assert not kept, report
    assert "BROKEN" in report, report


def loaded_at_import(tree: ast.Module, module: str) -> Iterator[str]:
    """Full names imported when a module is loaded: not inside a function, not for annotations alone."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            outward = module.split(".")[: -node.level] if node.level else []
            origin = ".".join([*outward, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def test_late_and_early_imports_are_told_apart() -> None:
    text = """
from typing import TYPE_CHECKING
from ..formalisms import registry
from . import body
try:
    import polhode.view.page
except ImportError:
    pass
if TYPE_CHECKING:
    from polhode.simulate import trajectory
class System:
    def derive(self):
        from polhode.formalisms import auto
"""
    early = set(loaded_at_import(ast.parse(text), "polhode.model.system"))
    assert early == {"typing.TYPE_CHECKING", "polhode.formalisms.registry", "polhode.model.body", "polhode.view.page"}


def test_the_contract_of_the_rooms_has_no_exception() -> None:
    config = configparser.ConfigParser()
    config.read(CONTRACTS, encoding="utf-8")
    assert "ignore_imports" not in config["importlinter:contract:rooms"]


#: Folders of files that are one element each, and elements from outside the package.
ELEMENTS = {"joints": ("radial_arm",), "forces": ("drag",), "constraints": ("rack", "rod")}
#: Files of what touches and sticks, which share surfaces and the table of pairs; compliant contacts are forces.
TOUCHING = (
    "bends",
    "compliant",
    "contact",
    "dry_friction",
    "ellipsoids",
    "hulls",
    "pairs",
    "rims",
    "stop",
    "unilateral",
)
SHARED = ("body", "constraints", "reading", "surface")


def beyond_its_protocol(path: Path, module: str, protocol: str) -> set[str]:
    """What the file of an element imports of polhode beside its protocol, expressions and geometry."""
    shared = [f"polhode.model.{each}" for each in SHARED] if path.stem in TOUCHING else []
    allowed = (protocol, "polhode.errors", "polhode.expr", "polhode.geometry", "polhode.registry", *shared)
    names = loaded_at_import(ast.parse(path.read_text(encoding="utf-8")), module)
    own = {name for name in names if name.startswith("polhode")}
    return {name for name in own if not any(name == each or name.startswith(f"{each}.") for each in allowed)}


@pytest.mark.parametrize("folder", ELEMENTS)
def test_the_file_of_an_element_knows_its_protocol_expressions_and_geometry(folder: str) -> None:
    package, protocol = f"polhode.model.{folder}", f"polhode.model.{folder}.protocol"
    files = {path: f"{package}.{path.stem}" for path in (ROOT / "src" / package.replace(".", "/")).glob("*.py")}
    files = {path: module for path, module in files.items() if path.stem != "__init__" and module != protocol}
    files |= {ROOT / "tests" / "concepts" / f"{added}.py": added for added in ELEMENTS[folder]}
    assert len(files) > 2
    assert not {
        path.name: found for path, name in files.items() if (found := beyond_its_protocol(path, name, protocol))
    }


def test_an_element_that_looks_beyond_its_protocol_is_found(tmp_path: Path) -> None:
    path = tmp_path / "screw.py"
    path.write_text("from ...expr import cos\nfrom ..system import System\nfrom .protocol import stage\n")
    found = beyond_its_protocol(path, "polhode.model.joints.screw", "polhode.model.joints.protocol")
    assert found == {"polhode.model.system.System"}


#: Tests of a whole room, or of the whole house.
OF_NO_MODULE = {
    "test_layers.py", "test_style.py", "formats/test_round_trip.py", "formats/test_samples.py",
    "view/test_browser.py", "view/test_browser_choices.py", "view/test_browser_report.py",
    "view/test_notebook_browser.py",
}  # fmt: skip


def of_no_module(tests: Path, *sources: Path) -> set[str]:
    """Tests `a/test_x.py` for which there is no module or package `a/x` in the sources."""
    found = {path.relative_to(tests) for path in tests.rglob("test_*.py")}
    tested = {path: path.with_name(path.stem.removeprefix("test_")) for path in found}
    return {
        path.as_posix()
        for path, module in tested.items()
        if not any((root / module).is_dir() or (root / module).with_suffix(".py").is_file() for root in sources)
    }


def test_unit_tests_mirror_the_sources() -> None:
    strays = of_no_module(ROOT / "tests" / "unit", ROOT / "src" / "polhode", ROOT)  # bench lies beside src
    assert strays == OF_NO_MODULE, "a unit test lies where its module lies, and has its name"


def test_a_unit_test_without_a_module_is_found(tmp_path: Path) -> None:
    for name in ("tests/room/test_wall.py", "tests/test_room.py", "tests/test_wall.py", "src/room/wall.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert of_no_module(tmp_path / "tests", tmp_path / "src") == {"test_wall.py"}
