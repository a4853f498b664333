"""Ten thousand random expressions and the equations of all samples, printed and read back to the same function.

    python -m tests.trials.printed [count]

Text, LaTeX and MathML, as built and in normal form; what is longer than a reader takes in is skipped and counted.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.printed_text import is_same, read_latex, read_mathml, read_text
from tests.unit.expr.conftest import grown
from tests.unit.expr.test_ordering import moving

import polhode as ph
from polhode.expr import Expr, as_expr, free_symbols, normal, topological
from polhode.expr.latex_printer import latex_as_built
from polhode.expr.mathml_printer import mathml
from polhode.expr.reading import leaf_counts
from polhode.model import samples

_READABLE, _LEAVES = 1500, 150  # letters of a text, leaves as built
_RESULTS = ("mass_matrix", "forcing", "inverse_dynamics", "coordinate_rates")


def of_samples() -> Iterator[tuple[str, Expr]]:
    """Entries of results of the model files and of samples."""
    systems = [ph.load(path) for path in sorted(Path("models").glob("*.yaml"))]
    systems += [samples.six_degree_of_freedom_arm(), samples.whipple_bicycle(), samples.four_bar()]
    for system in systems:
        record = system.derive().record
        for result in _RESULTS:
            value = getattr(record, result)
            for entry in value.entries() if hasattr(value, "entries") else value:
                yield f"{system.name} {result}", as_expr(entry)


def is_read_back(root: Expr) -> bool | None:
    """Whether text, LaTeX and MathML spell the same function; None if they are too long to be read."""
    symbols = free_symbols([root])
    if leaf_counts(topological([root]))[id(root)] > _LEAVES:
        return None
    for form in (root, normal(root)):
        text = repr(form)
        if len(text) > _READABLE or "operations" in text:
            return None
        read = [read_text(text, symbols), read_latex(latex_as_built(form), symbols), read_mathml(mathml(form), symbols)]
        if not all(is_same(each, root) for each in read):
            return False
    return True


def main(count: int) -> int:
    wrong, skipped = [], 0
    random = ((f"seed {k}", moving(k) if k % 2 else grown(k, k % 4 == 0)) for k in range(count))
    for name, root in (*of_samples(), *random):
        answer = is_read_back(root)
        skipped += answer is None
        if answer is False:
            wrong.append(name)
            print(name, root)
    print(f"{count} random expressions and the samples: {len(wrong)} wrong, {skipped} too long to be read")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
