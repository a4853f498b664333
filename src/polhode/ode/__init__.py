"""Initial value problems x' = f(t, x) on arrays: methods, one stepping loop for runs and one for lanes, one driver."""
