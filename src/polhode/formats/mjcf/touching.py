"""The geoms, pairs and excludes of MuJoCo's compiled model, as shapes that may touch."""

from __future__ import annotations

from ...expr import Vector, as_expr
from ...model import Shape
from ..touching import Geom, Touching
from . import exact
from .assemble import Assembly

_KINDS = ("plane", "heights", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")


def touching_of(built: Assembly) -> Touching:
    """All geoms that could touch."""
    model = built.model
    names = [body.name for body in built.bodies]
    paired = {*map(int, model.pair_geom1), *map(int, model.pair_geom2)}
    number: dict[int, int] = {}
    geoms: list[Geom] = []
    for k in range(model.ngeom):
        if model.geom_contype[k] or model.geom_conaffinity[k] or k in paired:
            number[k] = len(geoms)
            types = int(model.geom_contype[k]), int(model.geom_conaffinity[k]), int(model.geom_priority[k])
            laws = exact.decimal(model.geom_friction[k][0]), None
            label = model.geom(k).name or f"{names[model.geom_bodyid[k]]} geom {k}"
            geoms.append(Geom(label, names[model.geom_bodyid[k]], _shape(built, k), *laws, *types))
    pairs = [
        (number[int(a)], number[int(b)], exact.decimal(mu[0]))
        for a, b, mu in zip(model.pair_geom1, model.pair_geom2, model.pair_friction, strict=True)
    ]
    excludes = [frozenset(names[int(each) >> shift & 0xFFFF] for shift in (16, 0)) for each in model.exclude_signature]
    return Touching(tuple(geoms), tuple(pairs), frozenset(excludes))


def _shape(built: Assembly, geom: int) -> Shape:
    """The shape of a geom where it is in its body; of kinds that do not touch here the kind alone."""
    model = built.model
    a, b, c = (exact.decimal(value) for value in model.geom_size[geom])
    number = int(model.geom_type[geom])
    kind = _KINDS[number] if number < len(_KINDS) else "shape of MuJoCo"
    sizes = {
        "plane": (), "sphere": (a,), "capsule": (a, 2 * b), "cylinder": (a, 2 * b), "box": (2 * a, 2 * b, 2 * c),
        "ellipsoid": (a, b, c),
    }  # fmt: skip
    if kind not in sizes:
        return Shape("height field" if kind == "heights" else kind, (), file="mesh" if kind == "mesh" else "")
    R, _ = exact.rotation(model.geom_quat[geom], built.snap)
    at = Vector(map(as_expr, exact.place(model.geom_pos[geom])))
    return Shape(kind, sizes[kind], tuple(at), R)
