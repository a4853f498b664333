"""Parts of the bench, a section of docs/benchmarks.md each; `bench` says how to add one."""
