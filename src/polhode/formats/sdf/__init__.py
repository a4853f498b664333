"""SDF, the model files of Gazebo: links, joints, loops and springs."""

from .reader import load_sdf, read_sdf

__all__ = ["load_sdf", "read_sdf"]
