"""The command line: the application and the commands that belong to no feature."""
