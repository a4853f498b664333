"""What readers of URDF, SDF and MJCF share: XML with lines, links and joints as records, checks, and their System."""
