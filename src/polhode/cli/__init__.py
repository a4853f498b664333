"""The command line: one file a command, the demonstration, and how results are shown in a terminal."""
