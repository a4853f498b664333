"""Names by which methods are known elsewhere, and what they are called here (the papers of Luh, Walker and Paul 1980,
Walker and Orin 1982, Featherstone 1983 and others are named in the formalisms' files)."""

from __future__ import annotations

from ..errors import suggestion

_LAGRANGE = (
    "Lagrange's equations are 'routh' in coordinates, with multipliers for constraints, and 'poincare' in any speeds."
)
_ENERGY = "It is not there; 'poincare' starts from the same energies, and gives M and the forces in any speeds."

#: What to say for a name, written in small letters without signs.
_ELSEWHERE = {
    "lagrange": _LAGRANGE,
    "lagrangian": _LAGRANGE,
    "eulerlagrange": _LAGRANGE,
    "lagrangeeuler": _LAGRANGE,
    "hamilton": _ENERGY,
    "hamiltonian": _ENERGY,
    "gibbsappell": _ENERGY,
    "appell": _ENERGY,
    "eulerpoincare": "It is called 'poincare' here.",
    "boltzmannhamel": "It is called 'hamel' here.",
    "newton": "It is called 'newton_euler' here.",
    "rnea": "The recursive Newton-Euler algorithm is 'newton_euler' here.",
    "crba": "The composite-rigid-body algorithm is 'composite_body' here.",
    "aba": "The articulated-body algorithm is 'articulated_body' here.",
    "featherstone": "Featherstone's articulated bodies are 'articulated_body' here.",
    "kanelevinson": "It is called 'kane' here.",
    "sayer": "Sayers' form of Kane's method is 'kane' here.",
    "tokad": "Tokad's network model is 'network' here.",
    "lineargraph": "Linear graphs are used by 'network' here.",
}


def cure_for(formalism: object, known: list[str], otherwise: str) -> str:
    """What to write in place of a name that is not known here."""
    word = "".join(letter for letter in str(formalism).lower() if letter.isalpha()).removesuffix("s")
    return _ELSEWHERE.get(word) or suggestion(formalism, known, otherwise)
