"""`polhode info`: what is installed and what works here, to put into a question or a report of a fault."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from .. import __version__
from ..errors import PolhodeError
from ..terminal import output
from ..terminal.options import Json

_NEEDED = ("numpy", "scipy", "llvmlite", "sympy", "pydantic", "ruamel.yaml", "typer", "rich")
#: What each extra brings, by the names under which it is imported and published.
_EXTRAS = {
    "plot": {"matplotlib": "matplotlib"},
    "data": {"xarray": "xarray", "h5netcdf": "h5netcdf", "zarr": "zarr"},
    "sweep": {"dask": "dask", "distributed": "distributed"},
    "notebook": {"anywidget": "anywidget", "ipykernel": "ipykernel"},
    "mujoco": {"mujoco": "mujoco"},
    "sundials": {"sksundae": "scikit-sundae"},
    "control": {"control": "control"},
}


def info(json: Json = False) -> None:
    """Print the installation."""
    record = installation()
    if json:
        output.as_json(record)
        return
    out = output.console()
    out.print(f"polhode {record['polhode']}", style="bold")
    out.print(output.plain(f"Python {record['python']} on {record['machine']}"))
    out.print(output.table(["needs", "version"], record["needs"].items()))
    rows = [(name, "works" if works is True else works) for name, works in record["backends"].items()]
    out.print(output.table(["backend", ""], rows))
    extras = [
        (name, ", ".join(f"{k} {v or 'missing'}" for k, v in parts.items())) for name, parts in record["extras"].items()
    ]
    out.print(output.table(["extra", ""], extras))
    cache = record["cache"]
    size = f"{output.number(cache['files'], 'file')}, {cache['bytes'] / 2**20:.1f} of {cache['limit'] / 2**20:.0f} MiB"
    out.print(output.plain(f"cache: {cache['folder']}, {size}"), soft_wrap=True)


def installation() -> dict[str, Any]:
    """Versions, backends, extras and the cache, as plain data."""
    return {
        "polhode": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "needs": {name: _version(name) or "missing" for name in _NEEDED},
        "backends": _backends(),
        "extras": {
            extra: {published: _version(published) if find_spec(name) else None for name, published in parts.items()}
            for extra, parts in _EXTRAS.items()
        },
        "cache": _cache(),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _backends() -> dict[str, bool | str]:
    """Whether each backend compiles a pendulum and gets its mass right, or why it does not."""
    from ..model.system import System
    from ..native.backends import BACKENDS

    system = System("slider")
    system.joint("slide", system.ground, system.body("block", 2), "prismatic")
    equations = system.derive()
    results: dict[str, bool | str] = {}
    for name in BACKENDS:
        try:
            mass = equations.compile(backend=name, cache=False).mass_matrix([0.0])
            results[name] = True if float(mass.reshape(-1)[0]) == 2.0 else "gives wrong numbers"
        except PolhodeError as error:
            results[name] = error.problems[0].message
    return results


def _cache() -> dict[str, Any]:
    from ..files.cache import default_cache

    cache = default_cache()
    files = [path for path in cache.folder.rglob("*") if path.is_file()] if cache.folder.is_dir() else []
    return {
        "folder": str(cache.folder),
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "limit": cache.limit,
    }
