"""What cells of a notebook do in a real browser: motions play in their frames, sliders send when they are released."""

import json
import time
from importlib import resources
from pathlib import Path

import pytest

import polhode as ph
from polhode.model.samples import motor_driven_pendulum

pytestmark = pytest.mark.trial

#: A stand-in for the notebook's side of a widget: it keeps what is set and tells who listens.
MODEL = """
const kept = %s, heard = {};
window.sent = [];
const model = {
  get: (key) => kept[key],
  set: (key, value) => { kept[key] = value; (heard["change:" + key] || []).forEach((each) => each()); },
  save_changes: () => window.sent.push(kept.values),
  on: (key, each) => (heard[key] = heard[key] || []).push(each),
  off: () => {},
};
render({ model, el: document.getElementById("cell") });
document.documentElement.dataset.state = "ready";
"""


@pytest.fixture
def equations() -> ph.Equations:
    return motor_driven_pendulum().derive()


def in_page(path: Path, body: str, script: str = "document.documentElement.dataset.state = 'ready'") -> Path:
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{body}<script>{script}</script>", encoding="utf-8")
    return path


def wait_for_picture(browser) -> str:
    """The picture of the frame, once there is more in it than a blank."""
    until = time.monotonic() + 30
    while len(shown := browser.picture("iframe")) < 20_000:
        assert time.monotonic() < until, "the frame stays blank"
        time.sleep(0.1)
    return shown


def test_a_motion_plays_in_its_frame(browser, equations, tmp_path):
    run = equations.simulate(2, start={equations.coordinates[0]: 1.0})
    browser.open(in_page(tmp_path / "cell.html", run.animate()._repr_html_()))
    drawn = wait_for_picture(browser)
    assert any(browser.picture("iframe") != drawn for _ in range(20)) and browser.complaints == []


def test_a_slider_sends_its_value_when_it_is_released_and_not_before(browser, equations, tmp_path):
    widget = ph.widget(equations, 1)
    state = {name: getattr(widget, name) for name in ("sliders", "values", "page", "told", "failed")}
    source, style = (
        resources.files("polhode.surface").joinpath(f"widget.{kind}").read_text(encoding="utf-8")
        for kind in ("js", "css")
    )
    data = json.dumps(state).replace("<", "\\u003c")
    script = source.replace("export default { render };", "") + MODEL % data
    browser.open(in_page(tmp_path / "widget.html", f'<style>{style}</style><div id="cell"></div>', script))
    assert browser.value("document.querySelectorAll('input[type=range]').length") == len(widget.sliders)
    moved = "const r = document.querySelector('input[type=range]'); r.value = r.max; r.dispatchEvent(new Event('%s'))"
    browser.value(f"(() => {{ {moved % 'input'} }})()")
    assert browser.value("window.sent.length") == 0
    browser.value(f"(() => {{ {moved % 'change'} }})()")
    assert browser.value("window.sent[0][0]") == pytest.approx(widget.sliders[0]["high"])
    browser.value("document.querySelector('button').click()")
    assert browser.value("window.sent[1][0]") == pytest.approx(widget.sliders[0]["value"])
    assert browser.value("document.querySelector('[role=status]').textContent") == widget.told
    assert browser.complaints == []
    wait_for_picture(browser)
