"""Methods of integration, one a file; `registry` has those of variable step by name."""
