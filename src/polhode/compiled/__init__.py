"""What is compiled, stored on disk and exported: functions of a mechanism, their catalogue, the store, source files."""
