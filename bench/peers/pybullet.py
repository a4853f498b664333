"""PyBullet: scenes of contact in steps of one length."""

import numpy as np

from ..scenes import HALF, Floats, Scene


class Touching:
    """A scene, without damping, with many iterations and no threshold of restitution."""

    def __init__(self, scene: Scene, step: float) -> None:
        import pybullet
        from pybullet_utils.bullet_client import BulletClient

        self.scene, self.steps = scene, round(scene.duration / step)
        self.client = BulletClient(pybullet.DIRECT)
        self.step = scene.duration / self.steps

    def __call__(self) -> Floats:
        """The last position of the body's centre."""
        p, scene = self.client, self.scene
        p.resetSimulation()
        p.setPhysicsEngineParameter(fixedTimeStep=self.step, numSolverIterations=200, restitutionVelocityThreshold=0)
        p.setGravity(*scene.gravity)
        floor = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
        spheres = {
            "shapeTypes": [p.GEOM_SPHERE] * len(scene.feet), "radii": [scene.radius] * len(scene.feet),
            "collisionFramePositions": scene.feet, "halfExtents": [HALF] * len(scene.feet),
        }  # fmt: skip
        body = p.createMultiBody(1, p.createCollisionShapeArray(**spheres), basePosition=(0, 0, scene.start))
        p.changeDynamics(floor, -1, lateralFriction=1, restitution=1)
        laws = {"lateralFriction": scene.friction, "restitution": scene.restitution}
        inertia = (0, 0, 0) if scene.body == "point" else scene.inertia
        p.changeDynamics(body, -1, linearDamping=0, angularDamping=0, localInertiaDiagonal=inertia, **laws)
        p.resetBaseVelocity(body, scene.velocity, scene.spin)
        for _ in range(self.steps):
            p.stepSimulation()
        return np.array(p.getBasePositionAndOrientation(body)[0])
