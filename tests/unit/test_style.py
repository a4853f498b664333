"""What a machine can hold of the house style, and proof that each watch wakes."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "polhode"
SOURCES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE = 800

#: Functions that turn text or bytes into code, by their last name; SymPy's do so through `eval`.
RUNS_TEXT = {"eval", "exec", "__import__", "sympify", "lambdify", "parse_expr", "parse_latex", "execfile"}
#: Modules that run code while they read data.
RUNS_DATA = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "marshal", "shelve", "joblib"}
#: Libraries too slow to load for `import polhode`.
HEAVY = {"llvmlite", "sympy", "scipy", "matplotlib", "xarray", "mujoco", "pinocchio"}

MACHINE_PATH = re.compile(
    r"(?<![\w.~-])/(?:root|work|home/[\w.-]+|Users/[\w.-]+)/\w"  # somebody's folder on Unix
    r"|\b[A-Z]:\\+Users\\+\w"  # or on Windows
    r"|\bindex[-_]url\b"  # where one machine's packages come from
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def last_name(node: ast.expr) -> str:
    """`f` of `f`, `m.f` and `a.b.f`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def ways_to_run_text(tree: ast.AST) -> Iterator[str]:
    """Each place where text or data could become code."""
    for node in ast.walk(tree):
        where = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Name | ast.Attribute) and last_name(node) in RUNS_TEXT:
            yield f"{where}: {last_name(node)}"
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "compile":
                yield f"{where}: compile"
            for keyword in node.keywords:
                value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
                if (keyword.arg in {"allow_pickle", "shell"} and value is not False) or (
                    keyword.arg == "typ" and value == "unsafe"
                ):
                    yield f"{where}: {ast.unparse(keyword)}"
        elif isinstance(node, ast.Import):
            yield from (f"{where}: {a.name}" for a in node.names if a.name.split(".")[0] in RUNS_DATA)
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").split(".")[0] in RUNS_DATA:
                yield f"{where}: {node.module}"
            yield from (f"{where}: {a.name}" for a in node.names if a.name in RUNS_TEXT)


#: What a text has that becomes code, or holds an assertion; other trees are not walked.
SUSPECTS = re.compile(
    rf"\b(?:{'|'.join(RUNS_TEXT | RUNS_DATA)}|allow_pickle|shell|typ)\b|(?<![.\w])compile\(|^\s*assert\b|;\s*assert\b",
    re.MULTILINE,
)


def checks_by_assertion(tree: ast.AST) -> list[int]:
    """Lines of `assert` statements, which `python -O` would drop."""
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]


def names_a_paper(docstring: str | None) -> bool:
    """Whether a header says who wrote the method down: an author and a year, or one of our five papers."""
    text = docstring or ""
    dated = re.search(r"[A-Z][a-z]+", text) and re.search(r"\b(1[6-9]|20)\d\d\b", text)
    return bool(dated or re.search(r"\b(Tokad|Kwatny|Sayers|Silver|Mladenova)\b", text))


def kept_files() -> list[Path]:
    """Files that git keeps or would keep; without git, those outside hidden and made folders."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        folders = [ROOT / name for name in ("src", "tests", "docs", "bench", "examples")]
        found = [*ROOT.glob("*"), *(path for folder in folders for path in folder.rglob("*"))]
        return [path for path in found if path.is_file() and path.suffix != ".pyc"]
    paths = (ROOT / name for name in listing.split("\0") if name)
    return [path for path in paths if path.is_file()]


def broken_rules(path: Path, text: str) -> Iterator[str]:
    """What is wrong with a source file."""
    tree = ast.parse(text)
    if SUSPECTS.search(text):
        for line in checks_by_assertion(tree):
            yield f"line {line}: bad input raises PolhodeError; an assert vanishes under python -O"
        for way in ways_to_run_text(tree):
            yield f"{way}: no text becomes code"
    if len(text.splitlines()) >= LONGEST_FILE:
        yield "a file this long is two files"
    if path.stem in {"util", "utils", "helpers", "misc", "common"}:
        yield "name a file after its idea"
    if re.search(r"\b(TO" r"DO|FIX" r"ME|XXX)\b", text):
        yield "finish it, or open an issue"
    assigned = [each for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign)]
    targets = [target for each in assigned for target in getattr(each, "targets", None) or [each.target]]
    counted = Counter(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    yield from (f"{name} is defined twice" for name, count in counted.items() if count > 1 and name != "_")


def test_source_files_keep_the_house_rules() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    assert not [f"{name_of(path)}: {fault}" for path, text in texts.items() for fault in broken_rules(path, text)]


def test_the_watch_wakes_at_every_broken_rule() -> None:
    text = "x = 1\nassert eval('1')  # TO" + "DO" + "\n" * LONGEST_FILE + "x = 2"
    assert len(list(broken_rules(PACKAGE / "utils.py", text))) == 6
    assert not list(broken_rules(PACKAGE / "node.py", "x = 1"))


def test_a_file_of_tests_is_not_longer_than_a_source_file() -> None:
    lengths = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in (ROOT / "tests").rglob("*.py")}
    assert not [name for name, length in lengths.items() if length >= LONGEST_FILE], "a file this long is two files"


#: What registers formalisms and calls them, and is none.
PLUMBING = {"__init__", "registry", "derivation", "deriving", "pseudo", "speeds"}


def test_every_formalism_names_its_paper() -> None:
    files = [path for path in (PACKAGE / "formalisms").glob("*.py") if path.stem not in PLUMBING]
    for path in files:
        header = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert names_a_paper(header), f"{name_of(path)}: the header says which paper, year and equations it follows"


def test_no_kept_file_names_a_place_on_somebodys_machine() -> None:
    own = str(ROOT)
    found = []
    for path in kept_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        lines = enumerate(text.splitlines(), start=1)
        found += [f"{name_of(path)}:{n}: {line[:120]}" for n, line in lines if MACHINE_PATH.search(line) or own in line]
    assert not found, "\n".join(found)


def test_importing_polhode_loads_no_heavy_library() -> None:
    script = "import sys, polhode; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    loaded = set(run.stdout.split())
    assert "polhode" in loaded
    assert not loaded & HEAVY, "import it inside the function that needs it"


@pytest.mark.parametrize("text", [
    "eval(text)", "run = exec", "builtins.eval(text)", "compile(text, 'f', 'exec')", "sympy.sympify(text)",
    "from sympy import lambdify", "import pickle", "from marshal import loads", "np.load(path, allow_pickle=True)",
    "YAML(typ='unsafe')", "subprocess.run(line, shell=True)",
])  # fmt: skip
def test_the_watch_wakes_when_text_becomes_code(text: str) -> None:
    assert list(ways_to_run_text(ast.parse(text)))


@pytest.mark.parametrize("text", [
    "re.compile(r'x')", "equations.compile()", "np.load(path, allow_pickle=False)", "YAML(typ='safe')",
    "evaluate(x)",
])  # fmt: skip
def test_the_watch_sleeps_through_honest_code(text: str) -> None:
    assert not list(ways_to_run_text(ast.parse(text)))


def test_watches_wake_at_assertions_and_missing_papers() -> None:
    assert checks_by_assertion(ast.parse("def f(x):\n    assert x > 0")) == [2]
    assert names_a_paper("Recursive Newton-Euler (Luh, Walker and Paul, 1980), eqs. (1)-(24).")
    assert names_a_paper("Tokad's network model, equations (17)-(45).")
    assert not names_a_paper("The usual equations of motion.") and not names_a_paper(None)


@pytest.mark.parametrize("folders", [("home", "ann", "arm.yaml"), ("root", "x"), ("Users", "bob", "x"), ("work", "x")])
def test_the_watch_wakes_at_a_machine_path(folders: tuple[str, ...]) -> None:
    assert MACHINE_PATH.search("see /" + "/".join(folders))
    assert not MACHINE_PATH.search("https://example.org/" + "/".join(folders))
