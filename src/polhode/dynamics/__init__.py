"""The equations of motion as graphs, and what belongs to them: loads, reactions, power, derivatives."""
