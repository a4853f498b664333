"""Pictures of runs: scenes, arrows, traces, meshes and panels of a trajectory, as plain data for `view` to draw."""
