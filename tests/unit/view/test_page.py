"""The page is one file that fetches nothing, runs nothing but our script and stays small."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.refusals import refused

from polhode.errors import PolhodeError
from polhode.view.mesh import Mesh, MeshShape, Piece
from polhode.view.page import MOST, SHARE, charts_of, frame_times, page, write_page
from polhode.view.scene import Channel, Motion, MovingLine, Scene, SceneBody, SceneLine, Shape

HOSTILE = (
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--<script>", "\"'><b>&amp;",
    "{title} {0} %s ${x}", "\u2028 \ud800 \x00 ü", "x" * 10_000,
)  # fmt: skip


class Outline(HTMLParser):
    """The elements of a page in order, and the text of its scripts and style sheets."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.cdata_elem:
            self.raw.append(data)


def still(*names: str) -> tuple[Scene, Motion]:
    scene = Scene("Still", [SceneBody(name, [Shape("sphere", (0.1,))]) for name in names])
    turns = np.tile([1.0, 0, 0, 0], (2, len(names), 1))
    return scene, Motion([0.0, 1.0], np.zeros((2, len(names), 3)), turns)


def record(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found
    return json.loads(found.group(1))


def numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4")


def test_only_our_own_script_runs_and_no_other_place_is_named(pendulum) -> None:
    outline = Outline(page(*pendulum))
    policy = next(a["content"] for t, a in outline.tags if a.get("http-equiv") == "Content-Security-Policy")
    style, _, script = outline.raw
    hashes = [base64.b64encode(hashlib.sha256(x.encode()).digest()).decode() for x in (script, style)]
    assert policy.startswith("default-src 'none'")
    assert f"script-src 'sha256-{hashes[0]}'" in policy and f"style-src 'sha256-{hashes[1]}'" in policy
    assert "unsafe" not in policy
    text = page(*pendulum)
    addresses = [a[k] for _, a in Outline(text).tags for k in ("src", "href", "action") if k in a]
    assert addresses == ["data:,"]
    bare = re.sub(r"'sha256-[^']*'", "", re.sub(r'id="data">.*?</script>', "", text))
    assert "//" not in re.sub(r"^\s*//.*$|\s// .*$", "", bare, flags=re.M)
    assert not any(k.startswith("on") or k == "style" for _, a in Outline(text).tags for k in a)


@pytest.mark.parametrize("words", HOSTILE)
def test_f43_words_of_a_user_stay_words(words):
    plain, (scene, motion) = Outline(page(*still("a"))), still(words)
    channels = [Channel(words, words, np.array([0.0, 1.0]))]
    text = page(Scene(words, scene.bodies), motion, channels, notes=words)
    text.encode("utf-8")
    assert [tag for tag, _ in Outline(text).tags] == [tag for tag, _ in plain.tags]
    kept = record(text)
    assert kept["bodies"][0]["name"] == words
    assert (kept["channels"][0]["name"], kept["channels"][0]["unit"]) == (words, words)


def test_pages_are_repeatable_and_have_titles(pendulum, tmp_path) -> None:
    assert page(*pendulum) == page(*pendulum) and "<title>Rehearsal</title>" in page(*pendulum, title="Rehearsal")
    path = write_page(tmp_path / "swing.html", *pendulum)
    assert [p.name for p in tmp_path.iterdir()] == [path.name] and path.read_text(encoding="utf-8") == page(*pendulum)


@pytest.mark.parametrize(("bodies", "seconds"), [(1, 10_000), (12, 600), (300, 60)])
def test_a_page_stays_below_three_megabytes(bodies, seconds):
    generator = np.random.default_rng(0)
    shape = (4_000, bodies)
    motion = Motion(
        np.linspace(0, seconds, 4_000), generator.normal(size=(*shape, 3)), generator.normal(size=(*shape, 4))
    )
    scene = Scene("Many", [SceneBody(f"body {k}", [Shape("sphere", (0.1,))]) for k in range(bodies)])
    assert len(page(scene, motion).encode()) < 3_000_000


def test_frames_are_even_and_never_more_than_asked_for():
    time = np.concatenate([np.linspace(0, 1, 50_000), np.linspace(1, 200, 50_000)])
    frames = frame_times(time, 7)
    assert len(frames) <= 3_000 and np.allclose(np.diff(frames), frames[1] - frames[0])
    assert (frames[0], frames[-1]) == (0.0, 200.0)
    ten_seconds = frame_times(np.linspace(5, 15, 100_000), 7)
    assert np.diff(ten_seconds).min() >= 1 / 60 - 1e-12


def test_the_page_carries_the_motion_that_was_given(pendulum):
    scene, motion, channels = pendulum
    kept = record(page(scene, motion, channels))
    times = kept["start"] + kept["step"] * np.arange(kept["frames"])
    positions = numbers(kept["positions"]).reshape(len(times), 2, 3)
    assert np.allclose(positions[:, 1, 2], np.interp(times, motion.time, motion.positions[:, 1, 2]), atol=1e-6)
    quaternions = numbers(kept["quaternions"]).reshape(len(times), 2, 4)
    assert np.allclose(np.linalg.norm(quaternions, axis=2), 1.0, atol=1e-6)


def test_drifts_and_gaps_survive_single_precision(pendulum) -> None:
    scene, motion, channels = pendulum
    energy = record(page(scene, motion, channels))["channels"][2]
    drift = numbers(energy["values"])
    assert energy["base"] == pytest.approx(5.0)
    assert np.ptp(drift) == pytest.approx(np.ptp(channels[2].values), rel=1e-3)
    scene, _ = still("a")
    motion = Motion(np.linspace(0, 1, 5), np.zeros((5, 1, 3)), np.tile([1.0, 0, 0, 0], (5, 1, 1)))
    text = page(scene, motion, [Channel("x", "m", np.array([0, 1, np.nan, 3, 4]))])
    values = numbers(record(text)["channels"][0]["values"])
    assert np.isnan(values).any() and values[-1] == 4
    text = page(scene, motion, [Channel("v", "m/s", np.array([0.3, 0.2, 0.1, 0, 0]))])
    stops = record(text)["channels"][0]
    assert stops["base"] + numbers(stops["values"])[-1] == 0, "what is at rest has no speed"
    spin = Channel("spin", "rad", -15 * TIME)
    channels = [spin, wave("lean", 0.06), wave("steer", 0.05), wave("pitch", 0.0005)]
    assert charts_of(channels) == [[1, 2], [3], [0]], "what runs on comes last"


def test_lines_move_with_their_ends_or_are_refused() -> None:
    scene, motion = still("a", "b")
    lines = [SceneLine("spring", [(0, (0, 0, 1)), (1, [0.5, 0, 0])], 0.01)]
    (line,) = record(page(Scene("Two", scene.bodies, lines=lines), motion))["lines"]
    assert line["ends"] == [{"body": 0, "point": [0, 0, 1]}, {"body": 1, "point": [0.5, 0, 0]}]
    astray = [SceneLine("spring", [(0, (0, 0, 1)), (2, (0, 0, 0))], 0.01)]
    with pytest.raises(PolhodeError, match="line 'spring': it is on a body that is not in the scene"):
        page(Scene("Two", scene.bodies, lines=astray), motion)
    scene, motion = still("body")
    motion = Motion([0.0, 1.0, 2.0], np.zeros((3, 1, 3)), np.tile([1.0, 0, 0, 0], (3, 1, 1)), [moving(3)])
    (line,) = record(page(scene, motion))["moving"]
    ends = numbers(line["ends"]).reshape(-1, 2, 3)
    assert len(ends) == record(page(scene, motion))["frames"]
    assert np.isnan(ends[0]).all() and ends[-1].tolist() == [[0, 0, 0], [0, 0, 2]]
    assert (line["name"], line["color"], line["radius"]) == ("screw axis", "#0077bb", 0.01)
    scene, motion = still("body")
    with pytest.raises(PolhodeError, match="5 pairs of ends and the motion 2 times"):
        page(scene, Motion(motion.time, motion.positions, motion.quaternions, [moving(5)]))
    refused("two points for each time", lambda: MovingLine("axis", np.zeros((3, 3)), 0.01))


def test_motions_channels_and_values_that_do_not_fit_are_refused(pendulum) -> None:
    refused("the scene has 2 bodies and the motion 1", lambda: page(pendulum[0], still("a")[1]))
    refused("channel 'torque'", lambda: page(pendulum[0], pendulum[1], [Channel("torque", "N·m", np.zeros(3))]))
    refused("channel 'torque'", lambda: Channel("torque", "N·m", np.array([0.0, np.inf])))


@pytest.mark.parametrize("name", ["missing/page.html", ".", "a\0b.html", "n" * 300 + ".html"])
def test_a_place_that_cannot_be_written_is_named(name, pendulum, tmp_path):
    with pytest.raises(PolhodeError, match="cannot be written") as caught:
        write_page(tmp_path / name, *pendulum)
    assert str(tmp_path) in caught.value.problems[0].place and "folder that exists" in caught.value.problems[0].cure
    assert not list(tmp_path.iterdir())


def moving(times: int, color: str = "#0077bb") -> MovingLine:
    ends = np.zeros((times, 2, 3))
    ends[:, 1, 2] = np.arange(times)
    ends[0] = np.nan
    return MovingLine("screw axis", ends, 0.01, color)


def test_a_mesh_is_in_the_page_once_however_often_it_is_worn():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]])
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    mesh = Mesh((Piece(points, triangles, "#102030"),))
    bodies = [SceneBody(name, [MeshShape(mesh, mesh, scale)]) for name, scale in (("a", (1, 1, 1)), ("b", (1, -1, 1)))]
    motion = Motion([0], np.zeros((1, 2, 3)), [[[1, 0, 0, 0], [1, 0, 0, 0]]])
    text = page(Scene("pair", bodies), motion)
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    (only,) = data["meshes"]
    assert [shape["mesh"] for body in data["bodies"] for shape in body["shapes"]] == [0, 0]
    fine = only["fine"]
    grid = np.frombuffer(base64.b64decode(fine["pieces"][0]["points"]), "<u2").reshape(-1, 3)
    assert np.array(fine["low"]) + grid * fine["step"] == pytest.approx(points, abs=1e-4)
    numbers = np.frombuffer(base64.b64decode(fine["pieces"][0]["triangles"]), "<u2")
    assert numbers.tolist() == triangles.reshape(-1).tolist()
    assert data["bodies"][0]["color"] == "#102030"


TIME = np.linspace(0, 5, 301)


def wave(name: str, size: float, unit: str = "rad", about: float = 0.0, rate: float = 3.0) -> Channel:
    return Channel(name, unit, about + size * np.sin(rate * TIME))


def test_charts_part_units_and_join_rounding() -> None:
    channels = [wave("x", 1, "m"), wave("q", 1), wave("y", 1, "m"), wave("e", 1, "J")]
    assert charts_of(channels) == [[0, 2], [1], [3]]
    total, far = Channel("total", "J", np.full(301, 1.5)), Channel("far", "J", np.full(301, 900.0))
    charts = charts_of([wave("kinetic", 1, "J", 1.0), total, far])
    assert charts == [[0, 1], [2]]
    noise = Channel("noise", "m", 1e-14 * np.sin(TIME))
    assert charts_of([wave("x", 1, "m"), noise]) == [[0, 1]]
    joints = [Channel(f"q{k}", "rad", 1e-15 * (k + 1) * np.sin(TIME)) for k in range(3)]
    assert charts_of([*joints, wave("x", 1, "m")]) == [[3], [0, 1, 2]]
    energy = Channel("total", "J", np.full(301, 1.0), [np.full(301, 1.1)])
    assert charts_of([wave("kinetic", 1, "J", 1.0), energy]) == [[0, 1]]
    assert charts_of([Channel("gap", "m", np.full(301, np.nan)), wave("x", 1, "m")]) == [[0, 1]]
    assert charts_of([]) == []


def test_every_line_that_moves_covers_its_share_of_its_chart():
    generator = np.random.default_rng(1)
    channels = [
        wave(
            f"c{k}", 10 ** generator.uniform(-4, 3), about=10 ** generator.uniform(-4, 3), rate=generator.uniform(1, 9)
        )
        for k in range(40)
    ]
    charts = charts_of(channels)
    assert sorted(k for chart in charts for k in chart) == list(range(40))
    for chart in charts:
        assert len(chart) <= MOST
        values = np.array([channels[k].values for k in chart])
        width = values.max() - values.min()
        moving = [np.ptp(each) for each in values if np.ptp(each) > 1e-4 * np.abs(each).max()]
        assert all(own >= SHARE * width * (1 - 1e-12) for own in moving)
