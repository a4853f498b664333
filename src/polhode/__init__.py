"""polhode: from a described mechanism to exact equations, native code and a simulated motion.

>>> import polhode as ph
>>> system = ph.System("pendulum")
>>> bob = system.body("bob", mass=1, com=(0, 0, -1))
>>> hinge = system.joint("hinge", system.ground, bob, ph.Revolute("y"))
>>> system.derive().mass_matrix
Matrix([[1]])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .calls import public
from .files import version as version  # notes when polhode was loaded

if TYPE_CHECKING:
    from os import PathLike
    from typing import Unpack

    from . import control as control
    from . import planning as planning
    from .formats import from_dh as from_dh
    from .formats import from_mujoco as from_mujoco
    from .formats import from_pinocchio as from_pinocchio
    from .formats import load_mjcf as load_mjcf
    from .formats import load_sdf as load_sdf
    from .formats import load_urdf as load_urdf
    from .formats.options import ReaderOptions
    from .geometry.dual import Dual as Dual
    from .geometry.dual import dual as dual
    from .geometry.principal_axes import PrincipalAxes as PrincipalAxes
    from .geometry.principal_axes import principal_axes as principal_axes
    from .geometry.rotations.angular_velocity import angular_velocity as angular_velocity
    from .geometry.rotations.angular_velocity import rotation_rate as rotation_rate
    from .geometry.rotations.attitude import Attitude as Attitude
    from .geometry.rotations.moving import MovingRotation as MovingRotation
    from .geometry.rotations.rotation import Rotation as Rotation
    from .geometry.screws import ScrewMotion as ScrewMotion
    from .geometry.screws import screw_of as screw_of
    from .model.samples.random_system import random_system as random_system
    from .papers.silver.newton_euler import equivalence as equivalence
    from .papers.tokad.system_graph import network as network
    from .planning import PoseSpline as PoseSpline
    from .planning import RotationSpline as RotationSpline
    from .simulate.control.actuation import held as held
    from .surface.names import *  # noqa: F403 - the names are listed there, once
    from .surface.report import report as report
    from .surface.widget import widget as widget

__version__ = "0.1.0"

#: What is loaded when it is used, and from where: readers, planning, and what only runs need.
_LATER = {
    "PoseSpline": ".planning", "RotationSpline": ".planning",
    "from_dh": ".formats", "from_mujoco": ".formats", "from_pinocchio": ".formats",
    "load_mjcf": ".formats", "load_sdf": ".formats", "load_urdf": ".formats",
    "held": ".simulate.control.actuation",
    "random_system": ".model.samples.random_system", "Rotation": ".geometry.rotations.rotation",
    "MovingRotation": ".geometry.rotations.moving", "Attitude": ".geometry.rotations.attitude",
    "Dual": ".geometry.dual", "dual": ".geometry.dual", "PrincipalAxes": ".geometry.principal_axes",
    "principal_axes": ".geometry.principal_axes", "ScrewMotion": ".geometry.screws", "screw_of": ".geometry.screws",
    "angular_velocity": ".geometry.rotations.angular_velocity",
    "rotation_rate": ".geometry.rotations.angular_velocity", "equivalence": ".papers.silver",
    "network": ".papers.tokad", "report": ".surface.report", "widget": ".surface.widget",
}  # fmt: skip


@public
def load(path: str | PathLike[str], **options: Unpack[ReaderOptions]) -> System:  # noqa: F405 - from the surface
    """A mechanism from the file at `path`, by its extension: YAML or JSON model files, URDF, SDF and MJCF robot files.

    Options are the reader's, as `base="floating"` for URDF; see `load_urdf`, `load_sdf` and `load_mjcf`.

    >>> load("models/pendulum.yaml").name  # doctest: +SKIP
    'pendulum'
    """
    from .surface.load import load

    return load(path, **options)


def __getattr__(name: str) -> Any:
    """The surface, when a name of it is first used: a warm start needs none of the rooms behind it."""
    if name in ("control", "planning"):
        return import_module(f".{name}", __name__)
    if name in _LATER:
        return public(getattr(import_module(_LATER[name], __name__), name))
    if "__all__" not in globals():
        surface = import_module(".surface.names", __name__)
        listed = {export: public(getattr(surface, export)) for export in surface.__all__}
        globals().update(listed, __all__=["control", "load", "planning", *_LATER, *listed])
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]
