"""Where the robots of the `example-robot-data` package are; tests of a module are skipped where it is not installed."""

from importlib import metadata
from pathlib import Path

import pytest

try:
    SHARE = metadata.distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data")
except metadata.PackageNotFoundError:
    pytest.skip("the robots come with example-robot-data: pip install polhode[test]", allow_module_level=True)
#: The package's folder, and that of its robots.
PACKAGE = Path(str(SHARE))
ROBOTS = PACKAGE / "robots"
