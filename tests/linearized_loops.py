"""What feedback linearisation promises, shown on the graph: along the closed loop the coordinates are integrators."""

from polhode.control import FeedbackLinearization
from polhode.expr import Expr, as_expr, same, substitute
from polhode.geometry.vector_fields import lie_derivative


def closed_loop(law: FeedbackLinearization) -> tuple[list[Expr], list[Expr]]:
    """The state with the controller's own, and its rates under the law; efforts that it does not give are nil."""
    e, made = law.equations, law.law
    rates = [*e.coordinate_rates, *e.forward_dynamics, *e.z_rates]
    idle = {x: as_expr(0) for x in e.tau if x not in made.controls}
    variables = [*e.q, *e.u, *e.z, *(each.symbol for each in made.states)]
    own = [as_expr(each.rate) for each in made.states]
    return variables, [*substitute([*map(as_expr, rates)], {**made.controls, **idle}), *own]


def is_chain_of_integrators(law: FeedbackLinearization) -> bool:
    """Whether each coordinate's rate is the next, and the highest is what the error's equation says, for all states."""
    variables, rates = closed_loop(law)
    coordinates, gains = law.coordinates, law.law.parameters
    for wanted, degree in zip(law.law.reference, law.degrees, strict=True):
        chain = [coordinates[wanted.name + "'" * order] for order in range(degree)]
        lam = gains["lambda"].symbol
        total = wanted.symbols[degree]
        binomial = 1
        for order in range(degree):
            total = total + binomial * lam ** (degree - order) * (wanted.symbols[order] - chain[order])
            binomial = binomial * (degree - order) // (order + 1)
        if not same(lie_derivative(chain, rates, variables), [*chain[1:], as_expr(total)]):
            return False
    return True
