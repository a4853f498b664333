"""What the page does in a real browser: it draws, plays, obeys and complains of nothing."""

import base64
import io

import numpy as np
import pytest

from polhode.view.mesh import Mesh, MeshShape, Piece, simplified
from polhode.view.page import write_page
from polhode.view.scene import SIZES, Channel, Motion, MovingLine, Scene, SceneBody, Shape

NOW = "Number(document.getElementById('now').textContent)"
STATE = "document.documentElement.className"

pytestmark = pytest.mark.trial


@pytest.fixture
def swing(pendulum, tmp_path):
    return write_page(tmp_path / "swing.html", *pendulum, notes="No friction.")


def test_the_page_draws_without_a_complaint(browser, swing):
    browser.open(swing, "1")
    browser.settle()
    assert browser.value("document.documentElement.dataset.renderer") == "webgl2"
    assert browser.value("document.querySelectorAll('.strip').length") == 3 and browser.complaints == []


def test_without_webgl_a_painter_draws_the_same_scene(browser_without_webgl, swing):
    browser = browser_without_webgl
    browser.open(swing, "1")
    assert browser.value("document.documentElement.dataset.renderer") == "painter"
    before = browser.picture("#stage")
    browser.value("location.hash = '#t=1.5'")
    assert browser.picture("#stage") != before and browser.complaints == []


def test_the_address_sets_a_moment_and_holds_it(browser, swing):
    browser.open(swing, "2.5")
    browser.settle()
    assert browser.value(NOW) == 2.5 and "playing" not in browser.value(STATE)
    assert browser.value("[...document.querySelectorAll('dd')][0].textContent").endswith("rad")


def test_the_chart_shows_the_value_of_the_moment(browser, swing):
    browser.open(swing, "2")
    browser.settle()
    shown = browser.value("document.querySelector('dd').textContent").replace("\u2212", "-").split()
    assert float(shown[0]) == pytest.approx(0.9 * np.cos(6.0), abs=1e-3)


def test_a_small_drift_is_told_in_words(browser, swing):
    browser.open(swing, "0")
    assert "varies by" in browser.value("document.querySelector('.flat:not([hidden])').textContent")


def test_it_plays_by_itself_and_space_stops_it(browser, swing):
    browser.open(swing)
    assert "playing" in browser.value(STATE)
    browser.wait_for(f"{NOW} > 0.05")
    browser.press(" ", " ")
    assert "playing" not in browser.value(STATE)
    held = browser.value(NOW)
    browser.settle()
    assert browser.value(NOW) == held


def test_who_prefers_less_motion_finds_it_paused(browser, swing):
    browser.open(swing, prefers_reduced_motion="reduce")
    browser.settle()
    assert "playing" not in browser.value(STATE) and browser.value(NOW) == 0


def test_arrows_step_through_the_frames(browser, swing):
    browser.open(swing, "1")
    browser.settle()
    browser.press("ArrowRight")
    step = browser.value("Number(document.getElementById('scrub').value)") - 1
    assert step == pytest.approx(1 / 60)
    browser.press("ArrowLeft")
    assert browser.value("Number(document.getElementById('scrub').value)") == pytest.approx(1)


def test_dragging_turns_the_view_and_home_brings_it_back(browser, swing):
    browser.open(swing, "1", prefers_reduced_motion="reduce")
    before = browser.picture("#axes")
    browser.drag((300, 300), (420, 340))
    assert browser.picture("#axes") != before
    browser.value("document.querySelector('[data-view=home]').click()")
    assert browser.picture("#axes") == before


def test_clicking_the_chart_jumps_to_that_time(browser, swing):
    browser.open(swing, "0")
    box = browser.value(
        "(() => { const b = document.querySelector('.strip canvas').getBoundingClientRect();"
        "return [b.x, b.y, b.width, b.height]; })()"
    )
    middle = (box[0] + 84 + (box[2] - 94) / 2, box[1] + box[3] / 2)
    browser.drag(middle, middle)
    assert browser.value(NOW) == pytest.approx(2.0, abs=0.02)


def test_a_hidden_body_is_not_drawn(browser, swing):
    browser.open(swing, "1")
    browser.value("document.querySelectorAll('#bodies button[aria-pressed=true]').forEach((b) => b.click())")
    shown = browser.picture("#stage")
    browser.value("document.querySelectorAll('#bodies input')[1].click()")
    assert browser.picture("#stage") != shown
    browser.value("document.querySelectorAll('#bodies input')[1].click()")
    assert browser.picture("#stage") == shown


def test_night_and_day_have_their_own_colours(browser, swing):
    background = "getComputedStyle(document.body).backgroundColor"
    browser.open(swing, "1", prefers_color_scheme="light")
    day = browser.value(background)
    browser.open(swing, "1", prefers_color_scheme="dark")
    assert browser.value(background) != day and browser.complaints == []


@pytest.mark.parametrize("width", [320, 390, 820, 1600])
def test_nothing_sticks_out_at_any_width(browser, swing, width):
    browser.open(swing, "1", width=width, height=740)
    assert browser.value("document.documentElement.scrollWidth") <= width
    assert browser.value("document.querySelector('canvas.view').clientHeight") >= 200


def test_every_control_has_a_name_for_those_who_cannot_see_it(browser, swing):
    browser.open(swing, "1")
    nameless = browser.value(
        "[...document.querySelectorAll('button, input, select')].filter((e) => !(e.getAttribute('aria-label')"
        " || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map((e) => e.outerHTML)"
    )
    assert nameless == []


def test_f43_hostile_names_come_out_as_text(browser, tmp_path):
    name = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    scene = Scene(name, [SceneBody(name, [Shape("sphere", (0.1,))])])
    motion = Motion([0.0, 1.0], np.zeros((2, 1, 3)), np.tile([1.0, 0, 0, 0], (2, 1, 1)))
    path = write_page(tmp_path / "hostile.html", scene, motion, [Channel(name, name, np.zeros(2))], notes=name)
    browser.open(path, "0.5")
    assert browser.value("document.title") == name
    for selector in ("h1", "#notes", "#bodies span", "dt"):
        assert browser.value(f"document.querySelector({selector!r}).textContent") == name
    assert browser.value("document.images.length") == 0 and browser.complaints == []


def test_a_script_that_is_not_ours_is_refused(browser, swing, tmp_path):
    text = swing.read_text(encoding="utf-8")
    spoiled = tmp_path / "spoiled.html"
    spoiled.write_text(text.replace("</body>", "<script>document.title = 'owned'</script></body>"))
    browser.open(spoiled, "1")
    assert browser.value("document.title") == "Pendulum"
    assert any("Content Security Policy" in complaint for complaint in browser.complaints)


def test_every_kind_of_shape_is_drawn(browser, tmp_path):
    sizes = [Shape(kind, (0.3, 0.5, 0.4)[: len(names)]) for kind, names in SIZES.items()]
    scene = Scene("Shapes", [SceneBody(shape.kind, [shape]) for shape in sizes])
    places = np.zeros((1, len(sizes), 3))
    places[0, :, 0] = np.arange(len(sizes))
    motion = Motion([0.0], places, np.tile([1.0, 0, 0, 0], (1, len(sizes), 1)))
    browser.open(write_page(tmp_path / "shapes.html", scene, motion), width=600, height=400)
    before = browser.picture("#stage")
    for index in range(len(sizes)):
        browser.value(f"document.querySelectorAll('#bodies input')[{index}].click()")
        after = browser.picture("#stage")
        assert after != before, sizes[index].kind
        before = after
    assert browser.complaints == []


def test_a_world_turned_with_its_up_looks_the_same(browser, pendulum, tmp_path):
    scene, motion, _ = pendulum
    x, y, z = np.moveaxis(motion.positions, 2, 0)
    qw, qx, qy, qz = np.moveaxis(motion.quaternions, 2, 0)
    # A quarter turn about x, which takes z to y: p' = (x, z, -y), and q' = (1 - i) q / sqrt 2.
    turned = Motion(motion.time, np.stack([x, z, -y], axis=2), np.stack([qw + qx, qx - qw, qy + qz, qz - qy], axis=2))

    def look(up: tuple[float, float, float], moved: Motion) -> np.ndarray:
        path = write_page(tmp_path / "world.html", Scene("World", scene.bodies, up=up), moved)
        browser.open(path, "0.7", width=600, height=400)
        browser.value("document.getElementById('axes').hidden = true")
        return image.imread(io.BytesIO(base64.b64decode(browser.picture("#stage"))))

    image = pytest.importorskip("matplotlib.image")
    upright = look((0, 0, 1), motion)
    assert np.abs(look((0, 1, 0), turned) - upright).mean() < 1e-3
    assert np.abs(look((0, 0, 1), turned) - upright).mean() > 5e-3


def test_an_empty_scene_is_an_empty_stage(browser, tmp_path):
    motion = Motion([0.0], np.zeros((1, 0, 3)), np.zeros((1, 0, 4)))
    browser.open(write_page(tmp_path / "empty.html", Scene("Empty", []), motion))
    browser.settle()
    assert browser.complaints == []


def test_what_travels_far_is_followed(browser, tmp_path):
    time = np.linspace(0, 10, 200)
    positions = np.stack([50 * time, 0 * time, 0 * time + 0.2], axis=1)[:, None]
    motion = Motion(time, positions, np.tile([1.0, 0, 0, 0], (200, 1, 1)))
    scene = Scene("Rover", [SceneBody("rover", [Shape("box", (1, 0.5, 0.4))])])
    browser.open(write_page(tmp_path / "rover.html", scene, motion), "5")
    assert browser.value("document.getElementById('follow').getAttribute('aria-pressed')") == "true"
    assert browser.value("document.getElementById('scale').textContent") == "Grid 0.2 m"
    browser.value("document.getElementById('follow').click()")
    assert browser.value("document.getElementById('scale').textContent") == "Grid 100 m"


@pytest.mark.parametrize(("depth", "followed"), [(40.0, "true"), (4.0, "false")])
def test_what_falls_out_of_sight_is_followed(browser, tmp_path, depth, followed):
    time = np.linspace(0, 2, 100)
    positions = np.stack([0 * time, 0 * time, -depth * (time / 2) ** 2], axis=1)[:, None]
    motion = Motion(time, positions, np.tile([1.0, 0, 0, 0], (100, 1, 1)))
    scene = Scene("Robot", [SceneBody("robot", [Shape("box", (1, 0.5, 1.8))])])
    browser.open(write_page(tmp_path / "falling.html", scene, motion), "1")
    assert browser.value("document.getElementById('follow').getAttribute('aria-pressed')") == followed


@pytest.fixture
def robot(tmp_path):
    """A white slab and a mirrored red one, as meshes of some hundred triangles."""
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(3, 0.4)
    mesh = Mesh((Piece(np.array(ball.vertices), np.array(ball.faces), "#ffffff"),))
    bare = Mesh((Piece(np.array(ball.vertices), np.array(ball.faces)),))
    scene = Scene(
        "Robot",
        [
            SceneBody("white", [MeshShape(mesh, simplified(mesh, 100), (1, 1, 2))]),
            SceneBody("red", [MeshShape(bare, simplified(bare, 100), (1, -1, 1), (0, 0, 0.5), own_color="#cc1111")]),
        ],
    )
    places = np.zeros((2, 2, 3))
    places[:, 1, 0] = 1.5
    motion = Motion([0, 1], places, np.broadcast_to([1.0, 0, 0, 0], (2, 2, 4)))
    return write_page(tmp_path / "robot.html", scene, motion)


def colours(browser):
    """How many points of the view are white or light grey, and how many are red."""
    from PIL import Image

    picture = Image.open(io.BytesIO(base64.b64decode(browser.picture("#stage")))).convert("RGB")
    values = np.asarray(picture, dtype=int)
    r, g, b = values[..., 0], values[..., 1], values[..., 2]
    return int(((r > 90) & (g < 70) & (b < 70)).sum()), len(np.unique(values.reshape(-1, 3), axis=0))


@pytest.mark.parametrize("how", ["browser", "browser_without_webgl"])
def test_meshes_are_drawn_shaded_with_and_without_webgl(request, robot, how):
    browser = request.getfixturevalue(how)
    browser.open(robot, "0")
    red, shades = colours(browser)
    assert red > 2000
    assert shades > 60, "a lit ball has many shades"
    assert browser.complaints == []


def test_the_whole_of_a_mesh_is_in_the_picture(browser, robot):
    """What the outline in the data says is what is drawn: nothing red or light touches the edge of the view."""
    from PIL import Image

    browser.open(robot, "0")
    picture = Image.open(io.BytesIO(base64.b64decode(browser.picture("#stage")))).convert("RGB")
    values = np.asarray(picture, dtype=int)
    red = (values[..., 0] > 90) & (values[..., 1] < 70) & (values[..., 2] < 70)
    rows, columns = np.nonzero(red)
    assert columns.max() < values.shape[1] - 5
    assert rows.min() > 5
    assert np.ptp(columns) > 0.1 * values.shape[1], "and it is not lost in it either"


def test_a_mesh_is_pointed_at_by_its_form(browser, robot):
    browser.open(robot, "0")
    box = browser.value("(({x, y, width, height}) => [x, y, width, height])(stage.getBoundingClientRect())")
    names = set()
    for k in range(40):
        x = box[0] + box[2] * (k + 0.5) / 40
        browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=box[1] + box[3] / 2)
        if not browser.value("document.getElementById('tip').hidden"):
            names.add(browser.value("document.getElementById('tip').textContent"))
    assert names == {"white", "red"}


def test_a_body_that_is_drawn_by_lines_alone_is_framed_and_the_list_leaves_out_what_is_not_listed(browser, tmp_path):
    time = np.linspace(0, 1, 30)
    ends = np.tile([[0.0, 0, 0], [20.0, 0, 0]], (30, 1, 1))
    motion = Motion(
        time, np.zeros((30, 2, 3)), np.tile([1.0, 0, 0, 0], (30, 2, 1)), [MovingLine("", ends, 0.1, "#ee7733")]
    )
    bodies = [SceneBody("wall", [Shape("sphere", (0.1,))]), SceneBody("wall material", listed=False)]
    browser.open(write_page(tmp_path / "boom.html", Scene("Boom", bodies), motion), "0")
    assert browser.value("document.getElementById('scale').textContent") == "Grid 5 m"
    assert browser.value("document.getElementById('bodies').textContent").count("wall") == 1
    assert browser.complaints == []
