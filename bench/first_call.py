"""From a URDF file to a callable: `python -m bench.first_call FILE BASE FUNCTION` in a fresh process, seconds printed.

What is kept between runs lies in the folder that POLHODE_CACHE_DIR names.
"""

from __future__ import annotations

import json
import sys
import time


def stages(file: str, base: str, function: str) -> dict[str, tuple[float, float]]:
    """Processor seconds and seconds on the wall: of the import, and of the way from the file to a result."""
    start = time.process_time(), time.perf_counter()
    import polhode

    imported = time.process_time(), time.perf_counter()
    native = polhode.load(file, base=base).derive().compile().native(function)
    native(*([0.5] * array.size for array in native.outline.arrays))
    end = time.process_time(), time.perf_counter()
    return {
        "import": (imported[0] - start[0], imported[1] - start[1]),
        "callable": (end[0] - imported[0], end[1] - imported[1]),
    }


if __name__ == "__main__":
    print(json.dumps(stages(*sys.argv[1:])))
