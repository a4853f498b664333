"""What integrates a run: native code (`native`), or solvers of SciPy and SUNDIALS (`solvers`)."""
