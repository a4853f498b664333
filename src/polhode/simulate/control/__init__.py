"""What acts in a run: efforts and inputs as they are given, closed loops, sampled laws, and their notices."""
