"""How a joint moves, in the model file's words: a type by its name, a joint map, or a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import FormatError
from ..expr import Matrix
from ..model.joints import JOINTS, Compound, Fixed, JointMap, JointType, joint_type
from ..model.stage import Stage
from . import fields, records
from .document import Path
from .names import Scope
from .spelling import spell
from .values import Values


def describe_motion(joint: JointType, scope: Scope, place: str) -> tuple[dict[str, Any], bool]:
    """The keys that say how a joint moves, and whether they bring the usual names of its coordinates along."""
    if JOINTS.get(joint.kind) is type(joint):
        return {"type": joint.kind, **fields.describe_fields(joint.fields, joint, scope, scope)}, True
    if isinstance(joint, Compound):
        return {"sequence": [describe_motion(part, scope, place)[0] for part in joint.joints]}, False
    if joint.outermost_first and all(stage.storage == "angles" for stage in joint.stages):
        return _map(joint.stages, scope), all(not stage.coordinate_labels for stage in joint.stages)
    said = f"a model file has no words for the joint type '{joint.kind}'."
    cure = "Add the type to polhode.model.joints.JOINTS, or write the joint as a Compound of listed types."
    raise FormatError(said, place=place, cure=cure, code="E-YAML-044")


def _map(stages: Sequence[Stage], scope: Scope) -> dict[str, Any]:
    rows = [[spell(entry, scope) for stage in stages for entry in stage.H[i]] for i in range(6)]
    groups = [str(stage.speeds) for stage in stages]
    return {"map": rows, **({"groups": groups} if len(groups) > 1 else {})}


def read_motion(values: Values, path: Path, record: records.Motion) -> JointType:
    """A joint type from a name with options, a joint map, or a sequence."""
    forms = [form for form in ("type", "map", "sequence") if getattr(record, form) is not None]
    if len(forms) != 1:
        said = f"a joint has one of type, map and sequence, not {' and '.join(forms) or 'none of them'}."
        values.document.problem(path, said, "Write for example `type: revolute`.", "E-YAML-022")
        return Fixed()
    form = forms[0]
    known = {field.name: field for kind in JOINTS.values() for field in kind.fields}
    given = {name: getattr(record, name) for name in known if getattr(record, name) is not None}
    strange = [] if form == "type" else list(given)
    if form != "map" and record.groups is not None:
        strange.append("groups")
    for key in strange:
        values.document.problem((*path, key), f"this does not go with `{form}`.", "Remove it.", "E-YAML-023")
    with values.noting((*path, form)):
        if record.sequence is not None:
            return Compound(
                *(read_motion(values, (*path, "sequence", k), part) for k, part in enumerate(record.sequence))
            )
        if record.map is not None:
            entries = Matrix(values.nested((*path, "map"), record.map))
            groups = [values.count((*path, "groups", k), text) for k, text in enumerate(record.groups or ())]
            return JointMap(entries, groups or None)
        options = {name: fields.read_field(values, (*path, name), known[name], text) for name, text in given.items()}
        return joint_type(str(record.type), **options)
    return Fixed()
