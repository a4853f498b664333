"""`python -m polhode` is the command `polhode`."""

from .cli.app import main

if __name__ == "__main__":
    main()
