"""What the documents say is so: snippets run and print what stands below them, commands answer, links lead somewhere.

In a document, all ```python blocks are one program, run from top to bottom in an empty folder that holds `models/`. A
```text, ```json or ```math block right after one is what it prints; a ```c block is part of a file that it wrote.
Blocks that begin with `>>>` are doctests. In ```console blocks, lines after `$` are run. `...` stands for anything.
"""

import doctest
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from docs import make_errors, make_papers
from tests.program_run import Ended, run_command, run_script

import polhode
from polhode.formats import loads_yaml
from polhode.papers.sayers.tables import SayersTables

ROOT = Path(__file__).parents[1]
WRITTEN = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *WRITTEN]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SEPARATOR = "\x1e"
PRINTED = ("text", "json", "math")
#: Dots that stand for terms.
DOTS = re.compile(r"[-+*/\[]\s*(?:…|\.\.\.)|(?:…|\.\.\.)\s*[-+*/]\s|\\[cl]?dots")
#: What makes a terminal's answers the same everywhere.
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its lines, and where it begins."""

    language: str
    text: str
    line: int


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a document, in order."""
    found: list[Block] = []
    fence, start, lines = "", 0, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if fence and line.strip() == "```":
            found.append(Block(fence, "\n".join(lines) + "\n", start))
            fence = ""
        elif fence:
            lines.append(line)
        elif line.startswith("```"):
            fence, start, lines = line[3:].strip() or "plain", number, []
    return found


def is_session(block: Block) -> bool:
    return block.language == "python" and block.text.startswith(">>>")


def is_script(block: Block) -> bool:
    return block.language == "python" and not is_session(block)


def with_block(wanted: str) -> list[Path]:
    """The documents that hold a kind of block."""
    tests = {"script": is_script, "session": is_session, "console": lambda block: block.language == "console"}
    return [path for path in DOCUMENTS if any(map(tests[wanted], blocks(path)))]


def name_of(path: Path) -> str:
    return path.name


def matches(expected: str, got: str) -> bool:
    return doctest.OutputChecker().check_output(expected, got, OPTIONS)


def numberless(source: str) -> str:
    """Generated source without the numbers of its slots, which shift when a plan becomes shorter."""
    return re.sub(r"\bv\d+\b", "v", source)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where snippets run: the model files are there, as in a checkout."""
    shutil.copytree(ROOT / "models", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Snippets:
    """The snippets of a document that were run as one program: where, and how it ended."""

    path: Path
    folder: Path
    ended: Ended


@pytest.fixture(scope="module", params=with_block("script"), ids=name_of)
def snippets(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Snippets:
    folder = tmp_path_factory.mktemp("snippets")
    shutil.copytree(ROOT / "models", folder / "models")
    scripts = [block.text for block in blocks(request.param) if is_script(block)]
    program = folder / "snippets.py"
    program.write_text(f"print({SEPARATOR!r})\n".join(scripts), encoding="utf-8")
    return Snippets(request.param, folder, run_script(program, place=folder, **PLAIN))


def outputs(path: Path) -> Iterator[str]:
    """What a document shows as printed."""
    for block in blocks(path):
        if block.language in PRINTED:
            yield block.text
        elif is_session(block):
            yield from (example.want for example in doctest.DocTestParser().get_examples(block.text))


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_no_dots_stand_for_terms(path: Path) -> None:
    assert not [text for text in outputs(path) if DOTS.search(text)]


def test_snippets_run_and_print_what_is_shown(snippets: Snippets) -> None:
    found, ended = blocks(snippets.path), snippets.ended
    assert ended.code == 0, ended.complained
    assert not ended.complained, "snippets run without a warning"
    scripts = [block for block in found if is_script(block)]
    printed = dict(zip(scripts, ended.said.split(f"{SEPARATOR}\n"), strict=True))
    for before, block in pairwise(found):
        if block.language in PRINTED and is_script(before):
            got = printed[before]
            assert matches(block.text, got), f"line {block.line}: it prints\n{got}"


def test_generated_source_that_is_shown_is_what_is_written(snippets: Snippets) -> None:
    shown = [block for block in blocks(snippets.path) if block.language == "c"]
    if not shown:
        pytest.skip("no generated source here")
    assert snippets.ended.code == 0, snippets.ended.complained
    written = [numberless(file.read_text(encoding="utf-8")) for file in sorted(snippets.folder.rglob("*.[ch]"))]
    for block in shown:
        wanted = f"...{numberless(block.text)}..."
        assert any(matches(wanted, text) for text in written), f"line {block.line} was not generated"


@pytest.mark.parametrize("path", with_block("session"), ids=name_of)
def test_sessions_go_as_shown(path: Path, folder: Path) -> None:
    text = "\n".join(block.text for block in blocks(path) if is_session(block))
    example = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    said: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append)
    assert outcome.attempted > 0
    assert not outcome.failed, "".join(said)


def sessions(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what it should answer."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, answer = part.partition("\n")
        yield command, answer


@pytest.mark.parametrize("path", with_block("console"), ids=name_of)
def test_commands_answer_as_shown(path: Path, folder: Path) -> None:
    for block in blocks(path):
        if block.language != "console":
            continue
        for command, answer in sessions(block):
            program, *arguments = shlex.split(command)
            assert program == "polhode", f"line {block.line}: only polhode is run, not {program}"
            ended = run_command(*arguments, place=folder, **PLAIN)
            assert ended.code == 0, f"line {block.line}: {command}\n{ended.said}{ended.complained}"
            assert matches(answer, ended.said), f"line {block.line}: {command} answers\n{ended.said}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_model_files_that_are_shown_can_be_read_and_derived(path: Path) -> None:
    for block in blocks(path):
        if block.language == "yaml" and block.text.startswith("polhode:"):
            assert loads_yaml(block.text).derive().mass_matrix


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_lead_to_files_that_are_there(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[\w-]*)?\)|(?:src|srcset)=\"([^\"]+)\"", text)
    for link in (first or second for first, second in links):
        if not re.match(r"[a-z]+:", link):
            target = (path.parent / link).resolve()
            assert target.exists(), f"{path.name} points to {link}, which is not there"


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_make_targets_that_are_named_are_there(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = re.findall(r"(?:`|^)make (?:[A-Z]+=\S+ )*([a-z]+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(named) <= targets


def test_the_rooms_that_the_design_lists_are_there() -> None:
    design = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    listed = re.findall(r"`(\w+(?:/|\.py))`", "".join(re.findall(r"^\| (.*?) \|", design, flags=re.MULTILINE)))
    assert len(listed) >= 16 and [room for room in listed if not (ROOT / "src" / "polhode" / room).exists()] == []


def test_papers_are_cited_by_their_titles() -> None:
    design = " ".join((ROOT / "docs" / "design.md").read_text(encoding="utf-8").split()).lower()
    sources = [*(ROOT / "src").rglob("*.py"), *DOCUMENTS]
    titles = [
        (path.name, " ".join(title.split()))
        for path in sources
        for title in re.findall(
            r"(?:Mladenova|Silver|Sayers|Tokad|Blankenship), [\"*]([^\"*]{20,}?),?[\"*]",
            path.read_text(encoding="utf-8"),
        )
    ]
    assert len(titles) > 5 and [each for each in titles if each[1].lower() not in design] == []


def test_the_watch_wakes_at_a_wrong_answer() -> None:
    assert matches("energy ... J\n", "energy 3.2 J\n") and not matches("energy ... J\n", "momentum 3.2 N s\n")


def test_the_page_of_error_codes_has_every_code_and_its_kind() -> None:
    found = make_errors.told(make_errors.sources())
    codes, made = {each.code for each in found}, make_errors.page(found)
    ended = {code for code in codes if code.split("-")[2] not in make_errors.KINDS}
    assert 150 < len(codes - ended) < 230, "a code names a kind of mistake; the sentence says the rest"
    assert not [code for code in codes if f"### {code}\n" not in made]
    runs = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")
    assert len(ended) > 15 and not [code for code in ended if f"`{code.removeprefix('E-RUN-').lower()}`" not in runs]
    assert "steps, as many as allowed." in made.partition("### E-RUN-TOO_MANY_STEPS")[2].partition("###")[0]


def test_the_page_of_the_papers_says_what_their_docstrings_say() -> None:
    assert make_papers.PAGE.read_text(encoding="utf-8") == make_papers.page(), "run python docs/make_papers.py"


@pytest.mark.parametrize("paper", make_papers.PAPERS)
def test_the_map_of_a_paper_names_calls_that_there_are(paper: str) -> None:
    package = import_module(f"polhode.papers.{paper}")
    roots = {"ph": polhode, "system": polhode.System, "equations": polhode.Equations, "polhode": polhode}
    calls = re.findall(r"`([A-Za-z_][\w.]*)(?=[(`])", package.__doc__ or "")
    assert len(calls) > 10
    for call in calls:
        root, *names = call.split(".")
        if call.startswith("polhode."):
            module = max(k for k in range(len(names) + 1) if _is_module(".".join(["polhode", *names[:k]])))
            owner, names = import_module(".".join(["polhode", *names[:module]])), names[module:]
        elif call.startswith("equations.sayers_tables."):
            owner, names = SayersTables, names[1:]
        elif root in roots or hasattr(package, root):
            owner = roots[root] if root in roots else getattr(package, root)
        else:  # a method or field of what stands before it in the row
            owner, names = None, []
        for name in names:
            fields = getattr(owner, "__dataclass_fields__", {})
            assert name in fields or hasattr(owner, name), f"{paper}: {call}"
            owner = getattr(owner, name, None)


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def test_the_page_of_error_codes_finds_sentences_and_cures() -> None:
    text = """
def unknown(kind, name, *, code):
    return Wrong(f"there is no {kind} '{name}'.", cure=suggestion(name), code=code)

def check(self, size):
    cure = "Give a length." if size else "Give a size."
    self.problem(f"its size {shown(size)} is {'zero' if size else 'none'}.", cure, "E-EXPR-SHAPE")
    raise unknown("speed", size, code="E-RUN-SHAPE")

def problem(self, message, cure, code): ...
"""
    sized, named = make_errors.told((("a.py", text),))
    assert sized.messages == ("its size ‹size› is ‹…›.",) and sized.cures == ("Give a length.", "Give a size.")
    assert named.messages == ("there is no speed '‹name›'.",) and named.cures == ("Did you mean ‹name›?",)
