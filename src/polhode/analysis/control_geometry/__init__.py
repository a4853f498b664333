"""Geometry of control: where inputs lead, what outputs tell, and what is left when outputs are held."""
