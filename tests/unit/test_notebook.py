"""Cells read on any ground, run nothing that a user wrote, and have a text where there is no HTML."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.notebook import MOST_ROWS, Cell, Table, display, framed

HOSTILE = "<img src=x onerror=alert(1)>\"'&"


class Tags(HTMLParser):
    """The tags and attributes of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data


def test_nothing_that_a_user_wrote_becomes_markup_and_colours_tables_and_pages_of_cells() -> None:
    cell = Cell(HOSTILE, [HOSTILE, Table([HOSTILE], [(HOSTILE,)])])
    tags = Tags(cell.html())
    assert {*tags.found} == {"p", "b", "table", "tr", "th", "td"} and tags.words.count(HOSTILE) == 4
    assert cell.text().count(HOSTILE) == 4
    assert "color:" not in Table(["a"], [(1,)]).html().replace("rgba", "")
    assert "background:none" in Table(["a"], [(1,)]).html()
    table = Table(["k"], [(k,) for k in range(MOST_ROWS + 5)])
    assert "and 5 more" in table.html() and table.text().endswith("and 5 more") and len(table.lines) == MOST_ROWS + 1
    assert Cell("title", ["", Table(["a"], [])]).text() == "title"
    tags = Tags(framed(f"<script>{HOSTILE}</script>", "Write it."))
    assert tags.found == ["iframe"] and "sandbox" in tags.attributes and "onerror" not in tags.attributes
    assert "Write it." in framed("x" * 100, "Write it.", largest=99) and "iframe" not in framed("x" * 9, "", largest=8)


def test_a_notebook_is_found_only_where_one_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert display() is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert display() is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))
    assert display() is None


@pytest.fixture(scope="module")
def swing() -> ph.Equations:
    s = ph.System(HOSTILE)
    l = s.parameter("l", 1, "m")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -l)), ph.Revolute("y"))
    return s.derive()


def test_every_record_that_a_cell_may_end_in_shows_itself(swing: ph.Equations) -> None:
    run = swing.simulate(0.1, start={"hinge": 1.0})
    records = {
        "system": ph.System.of(swing.system),
        "model": swing.system,
        "comparison": ph.System.of(swing.system).compare("newton_euler", run=False),
        "linear": swing.linearize(),
        "diagnosis": four_bar().diagnose(),
        "trajectory": run,
        "animation": run.animate(),
        "difference of runs": run.compare(run),
        "audit": run.power_audit(),
        "batch": swing.simulate(0.1, start={"hinge": [0.1, 0.2]}),
        "sweep": swing.sweep({"l": [1.0, 2.0]}, 0.1, workers=1),
        "sensitivities": swing.sensitivities(0.1, by=["l"]),
        "gradient": swing.gradient(0.1, by=["l"], of=swing.q[0]),
    }
    for kind, record in records.items():
        bundle = record._repr_mimebundle_()
        tags = Tags(bundle["text/html"])
        pictures = {"img"} if kind == "sweep" else set()
        assert {*tags.found} <= {"p", "b", "table", "tr", "th", "td", "iframe"} | pictures, kind
        assert "<p" not in bundle["text/plain"], kind
        assert "object at 0x" not in repr(record), kind


#: What cells end in, and what a notebook must have to show each; the text is always there.
CELLS = {
    "import polhode as ph; system = ph.load('double_pendulum.yaml'); system": "text/html",
    "equations = system.derive(); equations": "text/latex",
    "equations.mass_matrix": "text/latex",
    "equations.forcing": "text/latex",
    "ph.Pose(ph.rotation(('z', ph.symbol('theta'))), (1, 0, 0))": "text/latex",
    "system.compare()": "text/html",
    "equations.linearize()": "text/html",
    "ph.load('fourbar.yaml').diagnose('assembled')": "text/html",
    "run = equations.simulate(1, start='raised'); run": "text/html",
    "run.animate()": "text/html",
    "run.plot()": "image/png",
    "ph.widget(equations, 1)": "application/vnd.jupyter.widget-view+json",
}


@pytest.mark.trial
def test_a_fresh_notebook_shows_every_record() -> None:
    from nbconvert.preprocessors import ExecutePreprocessor
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell(source) for source in CELLS])
    models = Path(__file__).parents[2] / "models"
    ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(models)}})
    for cell, kind in zip(notebook.cells, CELLS.values(), strict=True):
        (shown,) = (output["data"] for output in cell.outputs if output["output_type"] == "execute_result")
        assert kind in shown, cell.source
        assert shown["text/plain"] and "object at 0x" not in shown["text/plain"], cell.source


@pytest.mark.trial
def test_a_long_run_shows_how_far_it_is() -> None:
    from nbconvert.preprocessors import ExecutePreprocessor
    from nbformat.v4 import new_code_cell, new_notebook

    source = (
        "import polhode as ph, time\n"
        "from polhode.simulate.progress import reporting\n"
        "with reporting(None, 'run', 2.0) as tell:\n"
        "    for k in range(15):\n"
        "        tell(k / 10)\n"
        "        time.sleep(0.1)"
    )
    notebook = new_notebook(cells=[new_code_cell(source)])
    ExecutePreprocessor(timeout=60, kernel_name="python3").preprocess(notebook, {"metadata": {"path": "."}})
    (shown,) = notebook.cells[0].outputs
    assert shown["data"]["text/html"] == "<span></span>"  # it was there, and has gone
