"""`ph.report`: a mechanism, its equations and its results on one self-contained page that prints on A4.

Nothing on the page is fetched and nothing in it runs: a content security policy forbids scripts. Names and texts of a
model are escaped by the cells that state them; formulas are MathML, plots are SVG, the drawing is a PNG.
"""

from __future__ import annotations

import io
import os
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html import escape, unescape
from importlib import resources
from pathlib import Path
from typing import Any, cast

from ..constraints import Constraints
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, check_kind, path_of, understood
from ..expr import Expr, Matrix, Vector, as_expr, normal
from ..expr.graph import topological
from ..expr.latex_display import MOST_NODES
from ..expr.mathml_printer import mathml, mathml_parts, mathml_symbol
from ..expr.reading import leaf_counts
from ..expr.spelling import spelled
from ..files.writing import replace_file
from ..formats.describe import describe
from ..linear.linear import Linear
from ..model import Model
from ..model.summary import cell_of, counted, short, values_of
from ..notebook import Cell, Table, course_table
from ..show.mesh_assets import mesh_assets_of
from ..show.panels import panels_of, split_panels
from ..show.scene import drawn_motion
from ..show.still import still
from ..simulate.sweep.results import Sweep
from ..simulate.trajectory.trajectory import Trajectory
from ..view.drawing import png_of
from ..view.mesh import MeshShape
from ..view.plot import SETTINGS, matplotlib_of, plot_channels
from .equations import Equations
from .notebook_equations import counted_cell, is_plain, without_source

#: What a model file states that is in other sections; fields that the drawing shows; columns of fields, and of any
#: kind, in a table.
_ELSEWHERE, _DRAWN = {"polhode", "name", "gravity", "parameters", "inputs", "states", "poses"}, {"shapes", "file"}
_FIELDS, _MOST_COLUMNS = 6, 7
#: Letters of a term, or of a row of a matrix, that fits on a page; leaves of a named part, and of all equations.
_WIDE, _PART, _LEAVES = 110, 40, 3_000
#: Triangles of meshes in the drawing; panels of a figure.
_TRIANGLES, _PANELS = 12_000, 3


def report(
    path: str | os.PathLike[str],
    equations: Equations,
    run: Trajectory | Sequence[Trajectory] | None = None,
    linear: Linear | None = None,
    sweep: Sweep | None = None,
) -> Path:
    """Write the mechanism of `equations` as one HTML page to `path`: description, drawing, parameters, equations.

    A `run`, or several, a `linear` model and a `sweep` add their options, tables and plots. A browser prints it on A4.

        ph.report("pendulum.html", equations, equations.simulate(10), equations.linearize())
    """
    with understood("a run, or a list of runs", run, place="report run"):
        runs = [] if run is None else [run] if isinstance(run, Trajectory) else list(run)
    expected: list[tuple[type, Any]] = [(Equations, equations), *((Trajectory, run) for run in runs)]
    expected += [(kind, value) for kind, value in ((Linear, linear), (Sweep, sweep)) if value is not None]
    for kind, value in expected:
        check_kind(kind, f"of the kind {kind.__name__}", value, "report")
    ending = path_of(path).suffix.lower()
    if ending not in (".html", ".htm"):
        cure = "Name it .html; a browser prints it as PDF."
        message = f"a report is written as a page, and not as '{ending}'."
        raise PolhodeError(message, os.fspath(path), cure, "E-PICTURE-UNSUPPORTED")
    runs = [run.of(equations) if run.functions is None else run for run in runs]
    sections: list[tuple[str, Iterable[str]]] = [
        ("Mechanism", _mechanism(equations, runs)),
        ("Parameters", map(_part, values_of(equations.system))),
        ("Equations of motion", _equations(equations)),
        *((f"Run {k}" if len(runs) > 1 else "Run", _run(run)) for k, run in enumerate(runs, 1)),
    ]
    sections += [("Linear model", _linear(linear))] if linear is not None else []
    sections += [("Sweep", _sweep(sweep))] if sweep is not None else []
    return replace_file(path, _page(equations, sections).encode("ascii", "xmlcharrefreplace"))


def _page(equations: Equations, sections: Iterable[tuple[str, Iterable[str]]]) -> str:
    from .. import __version__

    named = [(heading, "\n".join(filter(None, content))) for heading, content in sections]
    words = f"Equations by the formalism {equations.formalism}, polhode {__version__}. SI units, angles in radians."
    parts = {
        "title": escape(equations.system.name),
        "words": words,
        "style": _asset("document.css"),
        "sections": "\n".join(
            f"<section>\n<h2>{name}</h2>\n{content or '<p>None.</p>'}\n</section>" for name, content in named
        ),
    }
    return re.sub(r"\{(\w+)\}", lambda matched: parts[matched[1]], _asset("document.html"))


def _asset(name: str) -> str:
    return resources.files("polhode.view").joinpath(name).read_text(encoding="utf-8")


def _part(part: str | Table) -> str:
    """A sentence, or a table with all its rows, its columns in several tables where they are many."""
    if not isinstance(part, Table) or not part.rows:
        return Cell("", [part]).html()
    parts = []
    for k in range(1, max(2, len(part.head)), _MOST_COLUMNS):
        columns = [0, *range(k, min(k + _MOST_COLUMNS, len(part.head)))]
        head, rows = [part.head[i] for i in columns], [[row[i] for i in columns] for row in part.rows]
        parts.append(replace(part, head=head, rows=rows, most_rows=len(rows)).html())
    return "".join(parts)


def _cell(cell: Cell, title: str = "") -> str:
    return f"<h3>{escape(title or cell.title.capitalize())}</h3>{''.join(map(_part, cell.parts))}"


def _attempt(make: Callable[[], str]) -> str:
    """HTML, or a sentence why there is none."""
    try:
        return make()
    except PolhodeError as error:
        return _part(f"Not shown: {error.problems[0].message}")


def _figure(content: bytes, kind: str, words: str, caption: str = "") -> str:
    """A picture that is part of the page: in it no script runs, and no name of a model is an element."""
    image = f'<img alt="{escape(words)}" src="data:image/{kind};base64,{b64encode(content).decode("ascii")}">'
    return f"<figure>{image}{f'<figcaption>{caption}</figcaption>' if caption else ''}</figure>"


def _plot(make: Callable[[], Any], words: str) -> str:
    def drawn() -> str:
        content = io.BytesIO()
        with matplotlib_of().rc_context(SETTINGS):
            make().savefig(content, format="svg", metadata={"Date": None})
        return _figure(content.getvalue(), "svg+xml", words)

    return _attempt(drawn)


# ---- the mechanism ----------------------------------------------------------------------------------------------


def _mechanism(equations: Equations, runs: Sequence[Trajectory]) -> Iterator[str]:
    if equations.derivation.lagrangian is not None:
        yield _part("The equations are those of a Lagrangian, which is no system of bodies.")
        return
    yield _part(f"{counted(equations.system)}.")
    yield _attempt(lambda: _drawing(equations, runs[0] if runs else None))
    yield from map(_part, _description(equations.system))


def _drawing(equations: Equations, run: Trajectory | None) -> str:
    """The mechanism at the start of a run, else in its home pose, with the colours of bodies that have no meshes."""
    shown = still(equations.compile()) if run is None else run.with_states(run.t[:1], run.x[:1])
    assets = mesh_assets_of(equations.system, _TRIANGLES)
    scene, motion = drawn_motion(shown, assets)
    when = "In the home pose." if run is None else f"At t = {float(run.t[0]):g} s."
    words = [when, *(shown.notices if run is None else ()), *(n for n in assets.notices if "not drawn" in n)]
    named = [(body.name, body.color(k)) for k, body in enumerate(scene.bodies) if body.shapes and body.listed]
    named += [(line.name, line.color) for line in scene.lines if line.name]
    if any(isinstance(shape, MeshShape) for body in scene.bodies for shape in body.shapes):
        named = []
    legend = "".join(f'<span><i style="background:{color}"></i>{escape(name)}</span>' for name, color in named)
    return _figure(png_of(scene, motion), "png", "The mechanism", f"{legend}{escape(' '.join(words))}")


def _description(model: Model) -> Sequence[str | Table]:
    """A table of each kind of part with what a model file states of it; the summary of what no file can state."""
    try:
        stated = describe(cast(Any, model))
    except PolhodeError:
        return cell_of(model).parts[:-4]
    kinds = {kind: parts for kind, parts in stated.items() if kind not in _ELSEWHERE}
    return [f"Gravity: {_stated(stated['gravity'])} m/s².", *(_table(kind, parts) for kind, parts in kinds.items())]


def _table(kind: str, parts: Any) -> Table:
    """Parts by name or number and their fields: the most frequent ones in columns, the others together in the last."""
    named = parts.items() if isinstance(parts, dict) else enumerate(parts, 1)
    rows = {name: value if isinstance(value, dict) else {"value": value} for name, value in named}
    uses = Counter(field for row in rows.values() for field in row if field not in _DRAWN)
    columns = [field for field, _ in uses.most_common(_FIELDS)]
    more = ["also"] if len(uses) > _FIELDS else []
    lines = []
    for name, row in rows.items():
        rest = {key: value for key, value in row.items() if key in uses and key not in columns}
        lines.append([name, *(_stated(row.get(key, ""), key) for key in columns), *(_stated(rest) for _ in more)])
    return Table([kind, *(key.replace("_", " ") for key in columns), *more], lines)


def _stated(value: Any, field: str = "") -> str:
    """A value of a model file in words."""
    if isinstance(value, dict):
        return "; ".join(f"{key.replace('_', ' ')} {_stated(x, key)}" for key, x in value.items())
    words = f"({', '.join(map(_stated, value))})" if isinstance(value, list | tuple) else str(value)
    return words.replace("_", " ") if field == "type" else words


# ---- formulas ---------------------------------------------------------------------------------------------------


def _equations(equations: Equations) -> Iterator[str]:
    """Rates of coordinates, M u̇ + bias = τ + Aᵀλ row by row, conditions; what they cost where they are too long."""
    record = equations.record
    plain = is_plain(equations) and equations.speeds == equations.coordinates
    named = {"Coordinates": record.q, "Speeds": () if plain else record.u, "First-order states": record.z}
    for kind, symbols in ((kind, symbols) for kind, symbols in named.items() if len(symbols)):
        yield f"<p>{kind}: {', '.join(f'<math>{mathml_symbol(as_expr(x))}</math>' for x in symbols)}.</p>"
    rates = [] if plain else [*zip(record.q, record.coordinate_rates, strict=True)]
    rates += zip(record.z, record.z_rates, strict=True)
    idle = without_source(equations, [*record.efforts])
    constraints = None if record.dependent_speeds else record.constraints
    left, right = _sides(record, constraints, dict.fromkeys(idle, 0))
    conditions = [row.rate if row.value is None else row.value for row in constraints.rows] if constraints else []
    every = [as_expr(x) for x in (*(rate for _, rate in rates), *left, *right, *conditions)]
    if not _is_readable(every):
        yield _attempt(lambda: "".join(map(_part, counted_cell(equations).parts)))
        return
    parts, texts = _written(list(normal(Vector(every))))
    rest = iter(texts)
    dotted = '<mover accent="true">{}<mo>&#729;</mo></mover>'
    yield from (_equation(dotted.format(mathml_symbol(as_expr(x))), next(rest)) for x, _ in rates)
    yield from map(_equation, [next(rest) for _ in left], [next(rest) for _ in right])
    yield _part("subject to") if conditions else ""
    yield from (_equation(text, "<mn>0</mn>") for text in rest)
    yield _part("with") if parts else ""
    yield from (_equation(*part) for part in parts)
    if idle:
        yield _part(f"Set to zero, as nothing in the model applies them: {', '.join(map(spelled, idle))}.")


def _is_readable(every: Sequence[Expr]) -> bool:
    """Whether expressions are within the limits of what a notebook shows."""
    order = topological(every)
    counts = leaf_counts(order)
    return len(order) <= MOST_NODES and sum(counts[id(entry)] for entry in every) <= _LEAVES


def _sides(
    record: EquationsOfMotion, constraints: Constraints | None, zero: dict[Expr, int]
) -> tuple[list[Expr], list[Expr]]:
    """M u̇ + bias without inputs; inputs, efforts, those in `zero` left out, and Aᵀλ."""
    none = dict.fromkeys((signal.symbol for signal in record.system.inputs.values()), 0)
    left, right = [], []
    for k, row in enumerate(record.mass_matrix):
        free = bias = as_expr(record.bias[k])
        with suppress(PolhodeError):  # by an input something may be divided
            free = bias.subs(none)
        left.append(sum((as_expr(m) * rate for m, rate in zip(row, record.udot, strict=True)), free))
        held = zip(constraints.A.columns[k], constraints.multipliers, strict=True) if constraints else ()
        right.append(sum((as_expr(a) * x for a, x in held), as_expr(record.efforts[k]).subs(zero) + free - bias))
    return left, right


def _written(roots: list[Expr]) -> tuple[list[tuple[str, str]], list[str]]:
    """Expressions as MathML; where a term is too wide for a page, with named parts."""
    texts = [mathml(root) for root in roots]
    if all(_width(term) <= _WIDE for text in texts for term in _terms(text)):
        return [], texts
    parts, texts = mathml_parts(roots, _PART)
    bodies, every = dict(parts), [*texts, *(body for _, body in parts)]
    alone = {text for text in texts if text in bodies and sum(text in other for other in every) == 1}
    return [part for part in parts if part[0] not in alone], [bodies[x] if x in alone else x for x in texts]


def _width(row: str) -> int:
    return len(unescape(re.sub("<[^>]*>", "", row)))


def _equation(left: str, right: str) -> str:
    """Both sides as formulas of a term each, between which a browser breaks lines."""
    first, *others = _terms(right)
    terms = [*_terms(left), f'<mo form="infix">=</mo>{first}', *others]
    row = " ".join(f'<math displaystyle="true">{_flat(term)}</math>' for term in terms)
    return f'<p class="equation">{row}</p>'


def _terms(row: str) -> list[str]:
    """A row of MathML cut before the signs between its terms."""
    cuts, depth = [0], 0
    for tag in re.finditer(r"<(/?)m\w+[^>]*>", row):
        if not depth and tag.start() and re.compile(r"<mo>(?:\+|&#8722;)</mo>").match(row, tag.start()):
            cuts.append(tag.start())
        depth += -1 if tag[1] else 1
    first, *others = (row[a:b] for a, b in zip(cuts, [*cuts[1:], len(row)], strict=True))
    return [first, *(term.replace("<mo>", '<mo form="infix">', 1) for term in others)]


def _flat(row: str) -> str:
    """A row whose brackets do not stretch, unless something in it is tall: stretched ones are set wide apart."""
    return row if "<mfrac>" in row else re.sub(r"<mo>([()])</mo>", r'<mo stretchy="false">\1</mo>', row)


def _matrix(letter: str, value: Matrix) -> str:
    """A matrix in normal form as a formula; nothing where it does not fit on a page."""
    if not len(value) or not value.shape[1] or not _is_readable([as_expr(x) for x in value.entries()]):
        return ""
    cells = [[f"<mtd>{_flat(mathml(entry))}</mtd>" for entry in row] for row in normal(value)]
    if max(_width("".join(row)) for row in cells) > _WIDE:
        return ""
    rows = "".join(f"<mtr>{''.join(row)}</mtr>" for row in cells)
    body = f'<mrow><mo>(</mo><mtable displaystyle="true">{rows}</mtable><mo>)</mo></mrow>'
    return f"<math><mi>{letter}</mi><mo>=</mo>{body}</math>"


# ---- results ----------------------------------------------------------------------------------------------------


def _run(run: Trajectory) -> Iterator[str]:
    yield _part(f"Status: {run.status.replace('_', ' ')}. {run.message}")
    yield from map(_part, run.notices)
    counts = [(name, run.info.get(name)) for name in ("method", "rtol", "atol", "step", "steps", "evaluations")]
    options = [(name, value) for name, value in counts if value is not None]
    options += [("samples", len(run)), *((f"parameter {name}", value) for name, value in run.parameters.items())]
    yield _part(Table(["option or count", "value"], options))
    times = [(f"event {k}", len(ts), ", ".join(f"{t:.6g}" for t in ts)) for k, ts in enumerate(run.events, 1)]
    yield _part(Table(["event", "how often", "at t, s"], times))
    changes = [(f"{t:.6g}", name, what) for t, what, name in (run.contact_events if run.contact_names else ())]
    yield _part(Table(["at t, s", "contact", "event"], changes))
    kind = "coordinate or state" if run.states else "coordinate"
    yield _part(course_table(kind, [(name, run[name]) for name in (*run.coordinates, *run.states)]))
    (groups,) = split_panels([panels_of(run, ())])
    for some in (groups[k : k + _PANELS] for k in range(0, len(groups), _PANELS)):
        yield _plot(partial(plot_channels, run.t, some), ", ".join(title for title, _, _ in some))
    if run.has_energy:
        yield _attempt(lambda: _cell(run.energy._cell(), f"Energy: drift {run.energy_drift:.1e} of the energy scale"))
        yield _attempt(lambda: _cell(run.power_audit()._cell()))


def _linear(linear: Linear) -> Iterator[str]:
    """State, A and B as formulas and in numbers, eigenvalues, plots from the first input to the first output."""
    about = ", ".join(f"{name} = {short(value)}" for name, value in linear.state.items())
    yield _part(f"ẋ = A x + B c about {about}, with the states x: {', '.join(linear.states)}.")
    yield f'<p class="matrices">{" ".join(_matrix(letter, getattr(linear, letter)) for letter in "AB")}</p>'
    yield from map(_part, linear._cell().parts)
    for kind in ("poles", "bode") if linear.inputs else ():
        words = f"{kind}: {linear.inputs[0]} to {linear.outputs[0]}"
        yield f'<div class="small">{_plot(partial(linear.plot, kind, linear.inputs[0]), words)}</div>'


def _sweep(sweep: Sweep) -> Iterator[str]:
    cell = sweep._cell()
    yield from map(_part, [cell.title.removeprefix("Sweep(").removesuffix(")"), *cell.parts])
    yield _plot(sweep.plot, "Results of the sweep")
