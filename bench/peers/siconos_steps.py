"""Steps of a scene by Siconos, run by the Python of the system: a scene as JSON in; a position and seconds out.

Contacts are found by Bullet, without perturbed points, which would let a ball that spins sink; cones are solved by
Gauss and Seidel's sweeps to 1e-8, at most 1000 a step.
"""

import json
import sys
import time
from typing import Any


def main() -> None:
    import numpy as np
    from siconos import kernel, numerics
    from siconos.mechanics import collision
    from siconos.mechanics.collision import bullet

    scene: dict[str, Any] = json.load(sys.stdin)
    body = collision.RigidBodyDS(scene["state"], scene["speeds"], 1.0, np.diag(scene["inertia"]))
    body.setUseContactorInertia(False)
    for foot in scene["feet"]:
        sphere = collision.SiconosSphere(scene["radius"])
        body.contactors().append(collision.SiconosContactor(sphere, [*foot, 1, 0, 0, 0]))
    force = np.array(scene["gravity"])
    body.setFExtPtr(force)
    problem = kernel.FrictionContact(3, numerics.SICONOS_FRICTION_3D_NSGS)
    problem.setMaxSize(1000)
    problem.setMStorageType(1)
    problem.setKeepLambdaAndYState(True)
    options = problem.numericsSolverOptions()
    options.iparam[0], options.dparam[0] = 1000, 1e-8
    motion = kernel.NonSmoothDynamicalSystem(0.0, scene["step"] * scene["steps"])
    motion.insertDynamicalSystem(body)
    settings = bullet.SiconosBulletOptions()
    settings.worldScale = 1.0
    settings.perturbationIterations = settings.minimumPointsPerturbationThreshold = 0
    contacts = bullet.SiconosBulletCollisionManager(settings)
    contacts.insertNonSmoothLaw(kernel.NewtonImpactFrictionNSL(scene["restitution"], 0.0, scene["friction"], 3), 0, 0)
    floor = collision.SiconosContactorSet()
    floor.append(collision.SiconosContactor(collision.SiconosPlane()))
    contacts.insertStaticContactorSet(floor, [0, 0, 0, 1, 0, 0, 0])
    stepping = kernel.TimeStepping(motion, kernel.TimeDiscretisation(0.0, scene["step"]))
    stepping.insertIntegrator(kernel.MoreauJeanOSI(0.5))
    stepping.insertNonSmoothProblem(problem)
    stepping.insertInteractionManager(contacts)
    stepping.setNewtonMaxIteration(10)
    stepping.setNewtonTolerance(1e-8)
    began = time.process_time()
    for _ in range(scene["steps"]):
        stepping.computeOneStep()
        stepping.nextStep()
    print(json.dumps((body.q()[:3].tolist(), time.process_time() - began)))


if __name__ == "__main__":
    main()
