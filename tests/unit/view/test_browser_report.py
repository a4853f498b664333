"""A report in a real browser: its pictures are there, nothing is wider than a sheet of A4, and it prints."""

import base64

import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.model.samples.underactuated import cart_pole

pytestmark = pytest.mark.trial

#: 180 mm and the edges, in pixels of CSS.
WIDTH = 794


def named_at_length() -> ph.System:
    """A pendulum whose names do not fit on a line."""
    s = ph.System("<b>name</b> " * 10)
    s.joint("w" * 120, s.ground, s.body("long_name_" * 12, 1, (0, 0, -1)), ph.Revolute("y"))
    return s


@pytest.mark.parametrize("system", [cart_pole, four_bar, named_at_length])
def test_a_report_shows_and_prints_without_a_complaint(browser, tmp_path, system) -> None:
    e = system().derive()
    page = ph.report(tmp_path / "report.html", e, e.simulate(1, speeds={e.speeds[0]: 0.5}), e.linearize())
    browser.complaints.clear()
    browser.ask("Emulation.setDeviceMetricsOverride", width=WIDTH, height=1100, deviceScaleFactor=1, mobile=False)
    browser.ask("Page.navigate", url=page.as_uri())
    browser.wait_for("document.readyState === 'complete' && document.images.length > 3")
    assert browser.value(
        "[...document.images].every((x) => x.complete && x.naturalWidth > 100) && document.images.length > 3"
    )
    assert browser.value("document.documentElement.scrollWidth") <= WIDTH
    assert browser.value("[...document.querySelectorAll('math')].every((x) => x.getBoundingClientRect().height > 5)")
    printed = base64.b64decode(browser.ask("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert printed.startswith(b"%PDF") and 2 <= printed.count(b"/Type /Page\n") <= 8
    assert browser.complaints == []
