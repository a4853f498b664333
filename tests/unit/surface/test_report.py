"""A report is one page that fetches and runs nothing, with every section, true numbers and all words as text."""

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import normal
from polhode.expr.mathml_printer import mathml
from polhode.model.samples import four_bar
from polhode.model.samples.underactuated import cart_pole

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'{title}&amp;"
VOID = {"meta", "link", "img", "br"}


class Read(HTMLParser):
    """The elements and the text of a page, by section; elements must close in their order."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.sections: dict[str, str] = {}
        self.heading = ""
        self.feed(path.read_text(encoding="ascii"))
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open += [] if tag in VOID else [tag]
        self.heading = "" if tag == "h2" else self.heading

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "h2":
            self.sections[self.heading] = ""

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "h2":
            self.heading += data
        elif self.heading:
            self.sections[self.heading] += data

    def pictures(self, kind: str) -> list[bytes]:
        head = f"data:image/{kind};base64,"
        found = [str(a["src"]) for tag, a in self.tags if tag == "img"]
        return [base64.b64decode(each.removeprefix(head)) for each in found if each.startswith(head)]


@pytest.fixture(scope="module")
def cart(tmp_path_factory: pytest.TempPathFactory) -> Read:
    e = cart_pole().derive()
    run = e.simulate(2, start={"theta": 0.2}, events=[e.q[1] - 1.0])
    sweep = e.sweep({"l": [0.3, 0.6]}, 1, start={"theta": 0.1}, measure="max:x", workers=1)
    return Read(ph.report(tmp_path_factory.mktemp("report") / "cart.html", e, run, e.linearize(), sweep))


def test_every_section_is_there_with_what_it_is_about(cart: Read) -> None:
    said = {name: " ".join(text.split()) for name, text in cart.sections.items()}
    assert list(said) == ["Mechanism", "Parameters", "Equations of motion", "Run", "Linear model", "Sweep"]
    for section, words in {
        "Mechanism": ("2 bodies, 2 joints, 1 force", "prismatic", "joint force", "Gravity: (0, 0, -9.81)"),
        "Parameters": ("kg", "0.5", "N"),
        "Equations of motion": ("Set to zero", "tau_x, tau_theta"),
        "Run": ("Status: done", "TP86", "event 1", "drift", "Power audit"),
        "Linear model": ("theta = 0", "23.544", "4.852"),
        "Sweep": ("2 l: 2 runs; max:x",),
    }.items():
        assert [each for each in words if each not in said[section]] == []


def test_nothing_is_fetched_and_nothing_can_run(cart: Read) -> None:
    policy = next(a["content"] for _, a in cart.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert str(policy).startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert not {"script", "iframe", "object", "form"} & {tag for tag, _ in cart.tags}
    addresses = [str(a[k]) for _, a in cart.tags for k in ("src", "href") if k in a]
    assert all(each.startswith("data:") for each in addresses) and len(addresses) > 4
    (drawing,), plots = cart.pictures("png"), cart.pictures("svg+xml")
    assert drawing.startswith(b"\x89PNG") and len(plots) == 5
    for plot in plots:
        assert ElementTree.fromstring(plot).tag.endswith("svg") and b"<script" not in plot


def formulas(path: Path) -> list[str]:
    """The equations of a page, each as one row of MathML."""
    found = re.findall(r'<p class="equation">(.*?)</p>', path.read_text(encoding="ascii"))
    plain = [re.sub(r'</?math[^>]*>| form="infix"| stretchy="false"', "", each) for each in found]
    return [each.replace("> <", "><") for each in plain]


def test_equations_are_whole_and_in_normal_form(tmp_path: Path) -> None:
    """M u̇ + bias, term by term, is what the recursion of inverse dynamics gives in normal form; inputs are right."""
    e = ph.load(Path(__file__).parents[3] / "models" / "double_pendulum.yaml").derive()
    zero = [f"{mathml(normal(each))}<mo>=</mo><mn>0</mn>" for each in e.inverse_dynamics]
    assert formulas(ph.report(tmp_path / "page.html", e)) == zero
    x, theta = formulas(ph.report(tmp_path / "page.html", cart_pole().derive()))
    assert x.endswith("<mo>=</mo><mi>F</mi>") and theta.endswith("<mo>=</mo><mn>0</mn>")


def test_constraints_bring_multipliers_and_conditions(tmp_path: Path) -> None:
    e = four_bar().derive()
    *motion, first, second = formulas(ph.report(tmp_path / "page.html", e, e.simulate(0.1, start={"crank": 1.0})))
    assert len(motion) == 3 and all("&#955;" in each.partition("<mo>=</mo>")[2] for each in motion)
    conditions = [mathml(normal(row.value)) for row in e.constraints.rows]
    assert [first, second] == [f"{each}<mo>=</mo><mn>0</mn>" for each in conditions]


def test_terms_wider_than_a_page_have_named_parts_and_a_lagrangian_has_no_bodies(tmp_path: Path) -> None:
    x, v, *many = ph.symbols(" ".join(["x", "v", *(f"k_{i}" for i in range(60))]))
    L = v**2 / 2 - (sum(many) - many[0] * many[1]) ** 2 * ph.sin(x)
    page = Read(ph.report(tmp_path / "page.html", ph.lagrangian(L, {x: v}, name="wide")))
    assert "no system of bodies" in page.sections["Mechanism"] and page.pictures("png") == []
    assert "with" in page.sections["Equations of motion"] and "Z" in page.sections["Equations of motion"]


def test_what_is_too_long_to_read_is_counted(tmp_path: Path) -> None:
    page = Read(ph.report(tmp_path / "arm.html", ph.load(Path(__file__).parents[3] / "models" / "arm.yaml").derive()))
    assert 'latex("mass_matrix")' in page.sections["Equations of motion"]


def test_words_of_a_model_stay_words(tmp_path: Path) -> None:
    def written(word: str) -> Read:
        s = ph.System(word)
        m = s.parameter(f"{word} m", 1, unit="kg")
        floor = s.surface(f"{word} floor", s.ground, ph.Shape.plane("z"))
        bob = s.body(f"{word} bob", m, (0, 0, -1))
        s.joint(f"{word} hinge", s.ground, bob, ph.Revolute("y"))
        s.spring(bob, s.ground, 3, at_b=(1, 0, 0), name=f"{word} spring")
        s.contact(f"{word} touch", bob.point((0, 0, -1)), floor, friction=0.1)
        return Read(ph.report(tmp_path / "page.html", s.derive()))

    hostile, plain = written(HOSTILE), written("plain")
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert f"{HOSTILE} spring" in hostile.sections["Mechanism"] and f"{HOSTILE} m" in hostile.sections["Parameters"]
    assert not any(k.startswith("on") for _, a in hostile.tags for k in a)


def test_several_runs_and_runs_from_files_have_sections(tmp_path: Path) -> None:
    e = cart_pole().derive()
    run = e.simulate(0.5, start={"theta": 0.3})
    kept = type(run).load(run.save(tmp_path / "run.npz"))
    page = Read(ph.report(tmp_path / "page.html", e, [run, kept]))
    assert [each for each in page.sections if each.startswith("Run")] == ["Run 1", "Run 2"]


def test_wrong_calls_are_refused(tmp_path: Path) -> None:
    e = cart_pole().derive()
    refused("a browser prints it as PDF", lambda: ph.report(tmp_path / "page.pdf", e), code="E-PICTURE-UNSUPPORTED")
    # each is given a wrong type on purpose
    refused("kind Equations", lambda: ph.report(tmp_path / "page.html", cart_pole()))  # type: ignore[arg-type]
    refused("kind Linear", lambda: ph.report(tmp_path / "page.html", e, linear=e))  # type: ignore[arg-type]
    refused("kind Trajectory", lambda: ph.report(tmp_path / "page.html", e, [e]))  # type: ignore[list-item]
    refused("a list of runs", lambda: ph.report(tmp_path / "page.html", e, 5))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
