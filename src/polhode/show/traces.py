"""What is drawn on bodies beyond their looks: axes of bodies and frames, and points whose paths are traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import PolhodeError, name_list, understood, unknown
from ..expr import as_expr, free_symbols
from ..kinematics.prescribed import moves_in
from ..kinematics.vectors.point import Point
from ..model.body import Body, Frame
from ..model.model import Model
from ..model.records import GROUND
from ..view.scene import Scene, SceneBody, SceneTrace, Shape
from .scene import Painter

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory

#: A point to be traced: the origin of a body or frame, or by its name, a point of a body, or a body and a point in it.
Traced: TypeAlias = "str | Body | Frame | Point | tuple[str | Body, Sequence[float]]"
Traces: TypeAlias = "Traced | Sequence[Traced] | Mapping[str, Traced]"
#: How long axes are, in the mechanism's size.
_AXES = 0.3


def with_axes(run: Trajectory, scene: Scene, wanted: bool | Sequence[str]) -> Scene:
    """The scene with the axes of the named bodies and frames, or of all frames that were given a name (True)."""
    system = run.mechanism.equations.system
    known = [*system.frames, *system.bodies]
    if isinstance(wanted, bool):
        names = (list(system.frames) or [name for name in system.bodies if name != GROUND]) if wanted else []
    else:
        names = name_list(wanted, "True or a list of frames", place="frames", cure='Give ["tip"].')
    painter = Painter(system, run.parameters, {})
    added: dict[str, list[Shape]] = {}
    for name in names:
        if name not in known:
            raise unknown("body or frame", name, known, place="frames", code="E-PAGE-002")
        if name in system.frames and not painter.moves(system.frames[name].pose):
            frame = system.frames[name]
            turn = painter.numbers(frame.pose.R.entries()).reshape(3, 3)
            shape = Shape("frame", (_AXES * painter.size,), painter.numbers(frame.pose.p).tolist(), turn)
            added.setdefault(frame.body, []).append(shape)
        else:
            added.setdefault(name, []).append(Shape("frame", (_AXES * painter.size,)))
    return replace(scene, bodies=[_with(body, added.get(body.name, ())) for body in scene.bodies])


def _with(body: SceneBody, shapes: Sequence[Shape]) -> SceneBody:
    return replace(body, shapes=(*body.shapes, *shapes)) if shapes else body


def with_traces(run: Trajectory, scene: Scene, wanted: Traces) -> Scene:
    """The scene with points whose paths are drawn."""
    system = run.mechanism.equations.system
    painter = Painter(system, run.parameters, {})
    numbers = {body.name: k for k, body in enumerate(scene.bodies)}
    cure = 'Give ["tip", arm.point((1, 0, 0)), ("arm", (1, 0, 0))].'
    with understood("a list of points", wanted, place="traces", cure=cure):
        given: list[tuple[str, Any]]
        if isinstance(wanted, Mapping):
            given = list(wanted.items())
        else:
            given = [("", each) for each in ([wanted] if isinstance(wanted, str | Body | Frame | Point) else wanted)]
    made = []
    for label, each in given:
        with understood("a point: a body, a frame, or (body, point)", each, place="traces", cure=cure):
            body, point, name = _placed(system, each)
            if system.time in free_symbols(map(as_expr, point)):
                raise PolhodeError(
                    f"the point of '{body}' moves on it in time, and is not traced.",
                    place="traces",
                    cure="Make it a frame: system.frame(name, body, at=…).",
                    code="E-PAGE-003",
                )
            if body not in numbers:
                raise unknown("body or frame", body, numbers, place="traces", code="E-PAGE-003")
            made.append(SceneTrace(str(label) or name, numbers[body], painter.numbers(point).tolist()))
    return replace(scene, traces=made)


def _placed(system: Model, given: Any) -> tuple[str, Any, str]:
    """The body of a point, where it is in that body, and what it is called."""
    if isinstance(given, Point):
        return given.body, given.offset, f"point of {given.body}"
    if isinstance(given, str | Body | Frame):
        name = given if isinstance(given, str) else given.name
        frame = system.frames.get(name)
        stays = frame is not None and not moves_in(frame.pose, system.time)
        return (frame.body, frame.pose.p, name) if frame is not None and stays else (name, (0, 0, 0), name)
    body, point = given
    name = body if isinstance(body, str) else body.name
    return name, tuple(point), f"point of {name}"
