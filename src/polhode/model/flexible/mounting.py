"""Adding a flexible body to a System: the bodies, joints and the stiffness that it comes to, and its stations.

"boom" is the section at the inboard end, which a user's joint carries. The joint "boom elastic" has the elastic
coordinates η and carries "boom material", the body that deforms; `in_child` is the pose X_0(η) of the inboard section
in the material's frame. A station is a body without mass on a fixed joint, whose pose in the material is X(η). When a
station is added, all that depends on the shapes is computed again from the record in `Model.flexible`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...errors import PolhodeError
from ...expr import Expr, Matrix, as_expr, symbol, symbols
from ...expr.spelling import acceleration_of
from ...geometry import Pose
from ..body import Body
from ..builder import Builder
from ..building import _check_fresh
from ..dependence import CONSTANT, check_kinds
from ..forces.body import Elasticity
from ..joints import Fixed
from ..joints.basic import Elastic
from ..lookup import check_new, check_spellings
from ..model import Model
from ..reading import flag_of, zeros
from ..records import GROUND, Joint
from .deformation import Deformation, Flexible


@dataclass(frozen=True)
class FlexibleBody(Body):
    """The inboard section of a flexible body, from which the others are reached by `at`.

    >>> import polhode as ph
    >>> s = ph.System("crane")
    >>> L = s.parameter("L", 2)
    >>> boom = s.beam("boom", length=L, mass=3, EI=40, modes=1)
    >>> boom.at(L).name, boom.at(L) is boom.at(L), boom.at(0) is boom
    ('boom at L', True, True)
    >>> boom.q, boom.u
    ((boom_z1, boom_s1_z, boom_s1_ry), (boom_z1', boom_s1_z', boom_s1_ry'))
    """

    def at(self, where: Any, static: bool = True) -> Body:
        """The section `where`: at a distance along a beam, at a node or position; a massless body that moves with it.

        Joints, forces, frames and constraints take it as any other body. On a beam it adds static shapes, so that a
        load there bends the beam as it should; with static=False it only looks.
        """
        return station(_home(self), self.name, where, flag_of(static, "static", f"station of '{self.name}'"))

    @property
    def q(self) -> tuple[Expr, ...]:
        """The elastic coordinates: of a beam those of normal modes, then those of stations."""
        return _home(self).model().joints[elastic(self.name)].q

    @property
    def u(self) -> tuple[Expr, ...]:
        """Their rates."""
        return _home(self).model().joints[elastic(self.name)].u


def _home(body: Body) -> Builder:
    if body.home is None:
        cure = "Make one: System.of(model)."
        raise PolhodeError(f"the body '{body.name}' belongs to no system.", cure=cure, code="E-MODEL-TREE")
    return body.home


def elastic(name: str) -> str:
    """The name of the joint of the elastic coordinates, and of the stiffness."""
    return f"{name} elastic"


def material(name: str) -> str:
    """The name of the body that deforms."""
    return f"{name} material"


def added(record: Flexible) -> dict[str, tuple[str, ...]]:
    """The names of the bodies and joints that a flexible body adds to the tables of a model."""
    stations = tuple(entry[0] for entry in record.stations)
    return {
        "bodies": (record.name, material(record.name), *stations),
        "joints": (elastic(record.name), *stations),
    }


def mount(system: Builder, record: Flexible) -> FlexibleBody:
    """Add a flexible body; where something is wrong with it the system stays as it was."""
    for name in (record.name, material(record.name)):
        check_new("body", name, system.bodies, system.frames)
    check_new("joint", elastic(record.name), system.model().joints)
    inboard = FlexibleBody(record.name, as_expr(0), zeros(), Matrix.zeros(3, 3).map(as_expr), home=system)
    before, deformation = system.model(), record.deformation()
    try:
        system._add("bodies", record.name, inboard)
        _write(system, record, deformation)
    except PolhodeError:
        system._hold(before)
        raise
    return inboard


def station(system: Builder, name: str, where: Any, static: bool) -> Body:
    """The body of a station, which is added if it is new."""
    record, at = system.flexible[name].with_station(where, static)
    if not at:
        return system.bodies[name]
    if record is system.flexible[name]:
        return system.bodies[at]
    before, deformation = system.model(), record.deformation()
    try:
        if at not in [entry[0] for entry in system.flexible[name].stations]:
            check_new("body", at, system.bodies, system.frames)
            check_new("joint", at, system.model().joints)
            system._add("bodies", at, Body(at, as_expr(0), zeros(), Matrix.zeros(3, 3).map(as_expr), home=system))
        _write(system, record, deformation)
    except PolhodeError:
        system._hold(before)
        raise
    return system.bodies[at]


def _write(system: Builder, record: Flexible, deformation: Deformation) -> None:
    """Write the joint, the material, the stations' joints and the stiffness into the model, over those that were."""
    name, still = record.name, Pose.identity()
    for what in ("mass", "second", "stiffness", "damping"):
        spoken = {"second": "size or shape"}.get(what, what)
        check_kinds(getattr(deformation, what), spoken, CONSTANT, f"flexible body '{name}'")
    joint = _elastic_joint(system, name, deformation)
    heavy = Body(
        material(name), deformation.mass, deformation.com, deformation.inertia, home=system,
        flexibility=deformation.flexibility(joint.name, joint.q),
    )  # fmt: skip
    amplitudes = deformation.amplitudes(joint.q)
    joints = {joint.name: replace(joint, in_child=deformation.inboard.pose(amplitudes, joint.q))}
    for at, section in deformation.stations.items():
        pose = section.pose(amplitudes, joint.q)
        joints[at] = Joint(at, Fixed(), heavy.name, at, pose, still, (), (), ())
    K, D = deformation.stiffness, deformation.damping
    stiffness = Elasticity(name=joint.name, joint=joint.name, stiffness=K, damping=D)
    model = system.model()
    changed = replace(model, bodies={**model.bodies, heavy.name: heavy}, joints={**model.joints, **joints})
    others = [load for load in model.loads if not (isinstance(load, Elasticity) and load.joint == joint.name)]
    changed = replace(changed, loads=(*others, stiffness), flexible={**model.flexible, name: record})
    system._hold(_in_order(changed))


def _in_order(model: Model) -> Model:
    """The model with what flexible bodies add before all else in its tables, whatever was added first."""
    additions = [added(record) for record in model.flexible.values()]
    bodies = (GROUND, *(name for names in additions for name in names["bodies"]))
    joints = [name for names in additions for name in names["joints"]]
    stiffnesses = {load.joint: load for load in model.loads if isinstance(load, Elasticity)}
    return replace(
        model,
        bodies={name: model.bodies[name] for name in (*bodies, *model.bodies)},
        joints={name: model.joints[name] for name in (*joints, *model.joints)},
        loads=(
            *(stiffnesses[elastic(name)] for name in model.flexible),
            *(load for load in model.loads if not isinstance(load, Elasticity)),
        ),
    )


def _elastic_joint(system: Builder, name: str, deformation: Deformation) -> Joint:
    """The joint with the elastic coordinates; those that were there keep their symbols."""
    labels, place = deformation.labels, f"flexible body '{name}'"
    names = [f"{name}_{label}" for label in labels]
    before = system.model().joints.get(elastic(name))
    existing = {q.name for q in before.q} if before is not None else set()
    fresh = [label for label in names if label not in existing]
    _check_fresh(system, fresh, fresh, place)
    new = [symbol(label, kind) for label in fresh for kind in ("coordinate", "speed", "effort")]
    check_spellings(system, [*new, *(acceleration_of(symbol(label, "speed")) for label in fresh)], place)
    q, u, tau = (tuple(symbols(names, kind)) for kind in ("coordinate", "speed", "effort"))
    kind, still = Elastic(len(names), labels, deformation.units), Pose.identity()
    return Joint(elastic(name), kind, name, material(name), still, still, q, u, tau)
