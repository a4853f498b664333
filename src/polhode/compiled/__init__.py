"""What is compiled, kept on disk and exported: functions of a mechanism, their catalogue, the store, source files."""
