"""Drake: scenes of contact by its discrete plant, with compliant contact by the SAP solver."""

from typing import Any

import numpy as np

from ..scenes import Floats, Scene
from .mujoco import scene_as_mjcf


class Touching:
    """A scene in steps of one length; Drake has no restitution."""

    def __init__(self, scene: Scene, step: float, approximation: str) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, DiscreteContactApproximation
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        self.scene, builder = scene, DiagramBuilder()
        self.plant: Any
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, scene.duration / round(scene.duration / step))
        self.plant.set_discrete_contact_approximation(getattr(DiscreteContactApproximation, f"k{approximation}"))
        Parser(self.plant).AddModelsFromString(scene_as_mjcf(scene, "", step), "xml")
        self.plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        self.plant.Finalize()
        self.diagram, self.simulator = builder.Build(), Simulator
        self.body = self.plant.GetBodyByName("body")

    def __call__(self) -> Floats:
        """The last position of the body's centre."""
        context = self.diagram.CreateDefaultContext()
        inside = self.plant.GetMyContextFromRoot(context)
        scene = self.scene
        self.plant.SetVelocities(inside, scene.velocity if scene.body == "point" else (*scene.spin, *scene.velocity))
        simulator = self.simulator(self.diagram, context)
        simulator.AdvanceTo(scene.duration)
        return np.array(self.plant.EvalBodyPoseInWorld(inside, self.body).translation())
