"""What can be chosen on the page, by hand and by keyboard: lines, spans of time, runs, arrows, formulas, files."""

import base64
import io
from dataclasses import replace

import numpy as np
import pytest

from polhode.view.page import write_page
from polhode.view.scene import Channel, Ghost, MovingLine, Scene, SceneTrace, Sheet

NOW = "Number(document.getElementById('now').textContent)"
LEGEND = "[...document.querySelectorAll('.strip dt button')]"
KEPT = (
    "window.kept = []; URL.createObjectURL = (blob) => { kept.push(blob); return 'about:blank'; };"
    "HTMLAnchorElement.prototype.click = function () { window.named = this.download; };"
)
BYTES = (
    "new Promise((done) => { const reader = new FileReader();"
    "reader.onload = () => done(reader.result.split(',')[1]); reader.readAsDataURL(kept[0]); })"
)

pytestmark = pytest.mark.trial


@pytest.fixture
def rich(pendulum, tmp_path):
    """The pendulum with a run beside it, an arrow, a path, and formulas."""
    scene, motion, _ = pendulum
    angle = 0.9 * np.cos(3.0 * motion.time)
    ends = np.stack([motion.positions[:, 1], motion.positions[:, 1] + [0, 0, 0.3]], axis=1)
    motion = replace(motion, lines=[MovingLine("pull", ends, 0.01, arrow=True, told="at most 3 N")])
    other = replace(motion, positions=motion.positions + np.array([0.2, 0, 0]), lines=())
    channels = [
        Channel("angle", "rad", angle, [0.8 * angle]),
        Channel("small", "rad", 0.5 * angle, [0.4 * angle]),
        Channel("rate", "rad/s", -2.7 * np.sin(3 * motion.time), [np.full(len(angle), np.nan)]),
    ]
    scene = Scene(scene.title, scene.bodies, traces=[SceneTrace("middle", 0, (0, 0, -0.4))])
    formula = '<math display="block"><mrow><mi>a</mi><mo>=</mo><mfrac><mi>b</mi><mn>2</mn></mfrac></mrow></math>'
    ghosts, sheets = [Ghost("heavier", scene, other)], [Sheet(1, [("Equation of motion", formula)])]
    return write_page(tmp_path / "rich.html", scene, motion, channels, ghosts=ghosts, sheets=sheets)


def box(browser, selector):
    found = f"document.querySelector('{selector}').getBoundingClientRect()"
    return browser.value(f"(({{x, y, width, height}}) => [x, y, width, height])({found})")


def pressed(browser):
    return browser.value(f"{LEGEND}.map((b) => b.getAttribute('aria-pressed') === 'true')")


def test_a_legend_hides_and_shows_and_a_double_click_shows_one_alone(browser, rich):
    browser.open(rich, "1")
    before = browser.picture(".strip canvas")
    browser.value(f"{LEGEND}[0].click()")
    assert pressed(browser) == [False, True, True] and browser.picture(".strip canvas") != before
    browser.value(f"{LEGEND}[0].click()")
    assert browser.picture(".strip canvas") == before
    browser.value(f"{LEGEND}[1].dispatchEvent(new MouseEvent('dblclick', {{ bubbles: true }}))")
    assert pressed(browser) == [False, True, True], "those of its own chart"
    browser.value(f"{LEGEND}[1].dispatchEvent(new MouseEvent('dblclick', {{ bubbles: true }}))")
    assert pressed(browser) == [True, True, True]


def test_a_drag_on_a_chart_zooms_in_time_and_a_double_click_shows_all(browser, rich):
    browser.open(rich, "1")
    whole = browser.picture(".strip canvas")
    x, y, width, height = box(browser, ".strip canvas")
    first, last = x + 84 + (width - 94) * 0.5, x + 84 + (width - 94) * 0.75
    browser.drag((first, y + height / 2), (last, y + height / 2))
    assert browser.value("document.getElementById('zoom-all').disabled") is False
    assert browser.value(NOW) == pytest.approx(2.0, abs=0.03), "the moment is brought into the span"
    assert browser.picture(".strip canvas") != whole
    browser.value("document.querySelector('.strip canvas').dispatchEvent(new MouseEvent('dblclick'))")
    assert browser.value("document.getElementById('zoom-all').disabled") is True


def test_all_of_it_goes_by_keyboard(browser, rich):
    browser.open(rich, "1")
    browser.value("document.querySelector('.strip canvas').focus()")
    browser.press("+", "+")
    assert browser.value("document.getElementById('zoom-all').disabled") is False
    browser.press("0", "0")
    assert browser.value("document.getElementById('zoom-all').disabled") is True
    browser.value(f"{LEGEND}[0].focus()")
    browser.press("Enter", "\r")
    assert pressed(browser) == [False, True, True]
    focus = "getComputedStyle(document.activeElement).outlineStyle"
    assert browser.value(focus) != "none"


def test_every_control_is_reached_by_the_tab_key(browser, rich):
    browser.open(rich, "1")
    wanted = browser.value(
        "[...document.querySelectorAll('button, input, select, canvas[tabindex]')]"
        ".filter((e) => !e.disabled && e.offsetParent).length"
    )
    browser.value("document.body.focus()")
    reached = set()
    for _ in range(wanted + 5):
        for kind in ("rawKeyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.add(browser.value("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
    assert len(reached) >= wanted


def test_zoomed_it_plays_the_span_alone(browser, rich):
    browser.open(rich, "1")
    browser.value("document.getElementById('zoom-in').click(); document.getElementById('zoom-in').click()")
    browser.value("document.getElementById('play').click()")
    seen = []
    for _ in range(12):
        browser.settle()
        seen.append(browser.value(NOW))
    assert min(seen) > 0.7 and max(seen) < 1.8


def test_other_runs_arrows_and_paths_are_shown_and_hidden(browser, rich):
    browser.open(rich, "1")
    before = browser.picture("#stage")
    for which in ("ghosts", "arrows", "paths"):
        browser.value(f"document.querySelector('#{which} input').click()")
        without = browser.picture("#stage")
        assert without != before, which
        browser.value(f"document.querySelector('#{which} input').click()")
        assert browser.picture("#stage") == before
    assert browser.value("document.querySelectorAll('#bodies li').length") == 2, "ghosts' bodies are not listed"
    assert browser.complaints == []


@pytest.mark.parametrize("how", ["browser", "browser_without_webgl"])
def test_what_is_rich_is_drawn_without_a_complaint(request, rich, how):
    browser = request.getfixturevalue(how)
    browser.open(rich, "1")
    browser.settle()
    assert browser.complaints == []


def test_formulas_of_a_body_open_beside_it_and_escape_closes_them(browser, rich):
    browser.open(rich, "1")
    assert browser.value("document.querySelectorAll('#bodies button[aria-label^=Equations]').length") == 1
    browser.value("document.querySelector('#bodies button[aria-label^=Equations]').click()")
    height = browser.value("document.querySelector('#equations mfrac').getBoundingClientRect().height")
    assert height > 20, "a fraction is two lines tall"
    browser.press("Escape")
    assert browser.value("document.getElementById('equations').hidden") is True


@pytest.mark.parametrize(("which", "start"), [("png", b"\x89PNG"), ("gif", b"GIF89a"), ("webm", b"\x1aE\xdf\xa3")])
def test_pictures_and_films_are_made_in_the_page(browser, rich, which, start):
    browser.open(rich, "1", width=500, height=500)
    browser.value(KEPT)
    browser.value(
        "document.getElementById('zoom-in').click(); document.getElementById('zoom-in').click();"
        "document.getElementById('speed').value = '4';"
        "document.getElementById('speed').dispatchEvent(new Event('change'));"
    )
    browser.value(f"document.getElementById('save-{which}').click()")
    browser.wait_for("kept.length > 0")
    made = base64.b64decode(browser.value(BYTES))
    assert made.startswith(start)
    assert browser.value("named") == f"Pendulum.{which}"
    if which != "webm":
        image = pytest.importorskip("PIL.Image").open(io.BytesIO(made))
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            assert len(np.unique(np.asarray(image.convert("RGB")).reshape(-1, 3), axis=0)) > 20
    assert browser.complaints == []


def test_a_film_has_every_picture_however_long_drawing_takes(browser, rich):
    browser.open(rich, "1", width=500, height=500)
    browser.value(KEPT)
    browser.value("document.getElementById('save-webm').click()")
    browser.wait_for("kept.length > 0")
    film = browser.value(BYTES)
    browser.ask("Page.navigate", url="about:blank")
    lasts, width, pictures = browser.value(f"""(async () => {{
        const film = Object.assign(document.createElement("video"), {{ muted: true }});
        const pen = new OffscreenCanvas(64, 64).getContext("2d");
        film.src = "data:video/webm;base64,{film}";
        await new Promise((done) => (film.onloadeddata = done));
        const seen = new Set();
        for (let i = 0; i < 30; i++) {{
          film.currentTime = (i + 0.5) / 30;
          await new Promise((done) => (film.onseeked = done));
          pen.drawImage(film, 0, 0, 64, 64);
          seen.add(pen.getImageData(0, 0, 64, 64).data.join());
        }}
        return [film.duration, film.videoWidth, seen.size];
    }})()""")
    assert lasts == pytest.approx(4.0, abs=0.01), "as the motion does"
    assert width > 200
    assert pictures == 30, "thirty pictures a second, each another"


def test_what_is_being_made_can_be_stopped(browser, rich):
    browser.open(rich, "1", width=500, height=500)
    browser.value(KEPT)
    browser.value("document.getElementById('save-webm').click()")
    assert browser.value("document.getElementById('save-webm').textContent") == "Stop"
    browser.value("document.getElementById('save-webm').click()")
    browser.wait_for("document.getElementById('saving').textContent === 'No WebM: stopped'")
    assert browser.value("document.getElementById('save-webm').textContent") == "WebM"
    assert browser.value("kept.length") == 0 and browser.value(NOW) == 1


def test_without_a_floor_there_is_no_grid_and_no_shadow(browser, pendulum, tmp_path):
    scene, motion, _ = pendulum
    browser.open(write_page(tmp_path / "space.html", replace(scene, floor=False), motion), "1")
    assert browser.value("document.getElementById('scale').hidden") is True
    afloat = browser.picture("#stage")
    browser.open(write_page(tmp_path / "ground.html", scene, motion), "1")
    assert browser.picture("#stage") != afloat


def test_paper_shows_the_view_and_the_charts_but_no_buttons(browser, rich):
    browser.open(rich, "1")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    browser.value("dispatchEvent(new Event('beforeprint'))")
    shown = "(e) => getComputedStyle(document.querySelector(e)).display !== 'none'"
    assert browser.value(f"['#printed', '.strip canvas'].every({shown})")
    assert not browser.value(f"['#transport', '#views', 'aside'].some({shown})")
    pixels = "document.getElementById('printed').getContext('2d').getImageData(0, 0, 300, 200).data"
    assert browser.value(f"new Set({pixels}).size") > 10
    browser.ask("Emulation.setEmulatedMedia", media="")
    assert browser.complaints == []


def test_nothing_is_asked_of_any_host(browser, rich):
    asked: list[str] = []
    note = browser._note
    browser._note = lambda method, params: (
        asked.append(params["request"]["url"]) if method == "Network.requestWillBeSent" else note(method, params)
    )
    browser.ask("Network.enable")
    browser.open(rich)
    browser.value("document.getElementById('save-png').click()")
    browser.settle()
    browser.ask("Network.disable")
    browser._note = note
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []


def test_names_of_links_are_listed_without_what_they_share_and_told_in_full(browser, pendulum, tmp_path):
    scene, motion, _ = pendulum
    names = ["shoulder_pan_link", "shoulder_lift_link"]
    scene = Scene("arm", [replace(body, name=name) for body, name in zip(scene.bodies, names, strict=True)])
    torques = [Channel(f"tau_{name}", "N·m", np.sin(k + motion.time)) for k, name in enumerate(names)]
    browser.open(write_page(tmp_path / "arm.html", scene, motion, torques), "1")
    assert browser.value("[...document.querySelectorAll('#bodies span')].map((s) => s.textContent)") == ["pan", "lift"]
    assert browser.value("[...document.querySelectorAll('#bodies label')].map((s) => s.title)") == names
    assert browser.value(f"{LEGEND}.map((b) => b.textContent)") == ["pan", "lift"]


def test_short_names_keep_what_tells_an_effort_a_reference_or_an_error(browser, pendulum, tmp_path):
    scene, motion, _ = pendulum
    names = [f"{mark}panda_joint{k}" for mark in ("tau_", "ref_", "e_") for k in (1, 2)]
    channels = [Channel(name, "", np.sin(motion.time)) for name in names]
    browser.open(write_page(tmp_path / "named.html", scene, motion, channels), "1")
    shown = browser.value(f"{LEGEND}.map((b) => b.textContent)")
    assert shown == ["tau_joint1", "tau_joint2", "ref_joint1", "ref_joint2", "e_joint1", "e_joint2"]
