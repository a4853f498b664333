"""Tokad: the network model.

Y. Tokad, "Network model approach to the analysis of multirigid-body systems", Dynamics and Control 2 (1992). Bodies are
components with ports; a linear graph joins them, and its tree and cotree give every equation. The formalism is
`system.derive("network")`, the tutorial docs/network.md.

    paper                             here
    1, (1)-(7), Figure 1              `RigidBody`: `K`, `P`, `Q`, `u`; `solved_for` gives (1), (5) or (6) as
                                      `TerminalEquations`
    Figures 1c-1f                     `terminal_graph`, `split_graph`, drawn by `graph_svg` and `schematic_svg`
    1, conditions on the tree         `ph.network` finds a formulation tree whenever there is one, or takes one
                                      (`tree=`); drivers are named in `across=` and `through=`
    2, Figures 2d, 2e, cases i-iii    `driven_chain`
    (8), (9): circuits and cut-sets   `SystemGraph.circuits`, `SystemGraph.cutsets`; `Wiring` of any components
    (10)-(19): K, S = K⁻¹             `Chain.K`, `Chain.S`
    (20)-(23): P, Q, K'S              `Chain.P`, `Chain.Q`, `Chain.load_map`, `Chain.component`; `wired_system`
    2.1, (24)                         `Chain.accelerations`; `SystemGraph.mixed_problem` where motions are given too
    2.2, (25)-(34)                    `Chain.P_block`, `Chain.Q_block`, `Chain.u`
    2.3, (35)-(39)                    `SerialChain.jacobian`, `least_speeds`; `equations.inverse_kinematics`
    2.4, (40), (41), Figure 4         `Chain.outward`, `Chain.inward`, `SystemGraph.block_diagram`
    3, (42)-(48), Tables 1, 2         `serial_chain`: `mass_matrix`, `velocity_matrix`, `gravity`
    (49), (50)                        `RigidBody.solved_for`
    4, closed chains                  `SystemGraph.closing`; `system.derive("network")` takes loops and contacts

>>> import polhode as ph
>>> from polhode.papers.tokad import serial_chain
>>> arm = ph.System("arm")
>>> _ = arm.joint("hinge", arm.ground, arm.body("link", 2, com=(1, 0, 0)), ph.Revolute("z"))
>>> ph.network(arm).circuits["link.hinge"], serial_chain(arm, "link", (2, 0, 0)).mass_matrix()
({'hinge': 1}, Matrix([[2]]))
"""

from .chain import Chain, Multiport, RigidBody, SerialChain, driven_chain, least_speeds, serial_chain
from .drawing import graph_svg, schematic_svg
from .system_graph import SystemGraph, network, system_graph
from .wiring import Wiring, wired_system

__all__ = [
    "Chain", "Multiport", "RigidBody", "SerialChain", "SystemGraph", "Wiring", "driven_chain", "graph_svg",
    "least_speeds", "network", "schematic_svg", "serial_chain", "system_graph", "wired_system",
]  # fmt: skip
__dir__ = __all__.copy
