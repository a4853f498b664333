"""Where the robots of the `example-robot-data` package are; tests of a module are skipped where it is not installed."""

from collections.abc import Collection
from importlib import metadata
from pathlib import Path

import pytest
from tests.seeds import TRIAL

try:
    SHARE = metadata.distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data")
except metadata.PackageNotFoundError:
    pytest.skip("the robots come with example-robot-data: pip install polhode[test]", allow_module_level=True)
#: The package's folder, and that of its robots.
PACKAGE = Path(str(SHARE))
ROBOTS = PACKAGE / "robots"


def robots(besides: Collection[str] = ()) -> list[str]:
    """One file of each maker, and these; in a trial all files."""
    files = sorted(path.relative_to(ROBOTS).as_posix() for path in ROBOTS.rglob("*.urdf"))
    first = {file.split("/")[0]: file for file in reversed(files)}
    return files if TRIAL else sorted({*first.values(), *besides})
