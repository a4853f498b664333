"""Functions of rooms on the right that do the work of methods on the left, by the name of the method.

What a user holds has methods whose work is done further right: `System.derive`, `Trajectory.plot`. The class states the
method, its signature and its docstring, and calls `registered("Trajectory.plot")`; the module is imported then.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

#: Package and name of the function, class or module behind each method.
FUNCTIONS = {
    "Shape.mesh": "view.mesh:surface_of",
    "System.derive": "surface.system:derive",
    "System.compare": "compare.comparison:compare",
    "System.diagnose": "surface.system:diagnose",
    "System.vectors": "kinematics:vectors",
    "Model.moving": "constraints.moving:moving_of",
    "Controller.compile": "compiled.law_function:LawFunction",
    "Controller.export": "compiled.law_function:export_law",
    "Trajectory.equations": "surface.equations:Equations",
    "Trajectory.plot": "show.panels:plotted",
    "Trajectory.animate": "show.animation:animation",
    "Trajectory.cell": "show.cell:cell_of",
    "Sweep.plot": "show.sweep_picture:plotted",
    "Sweep.markup": "show.sweep_picture:markup_of",
}


@cache
def registered(method: str) -> Any:
    """The function behind a method, imported when it is first used.

    >>> registered("Trajectory.plot").__name__
    'plotted'
    """
    module, _, name = FUNCTIONS[method].partition(":")
    home = import_module(f"polhode.{module}")
    return getattr(home, name) if hasattr(home, name) else import_module(f"polhode.{module}.{name}")
