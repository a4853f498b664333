"""The same mechanism with its turns stored otherwise."""

from dataclasses import replace

import polhode as ph


def in_vector_parameters(system: ph.System) -> ph.System:
    """With tan(θ/2) in place of the angles of revolute and universal joints."""
    model = system.model()
    joints = {
        name: replace(joint, type=replace(joint.type, storage="vector"))
        if isinstance(joint.type, ph.Revolute | ph.Universal)
        else joint
        for name, joint in model.joints.items()
    }
    return ph.System.of(replace(model, joints=joints))
