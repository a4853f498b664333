"""Datasets: arrays with named dimensions, in memory as xarray has them and on disk as NetCDF, Zarr or NumPy archives.

What is written is there whole or not at all; what is read is data, never code.
"""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from errno import EINVAL
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import FormatError, PolhodeError, installed, path_of, suggestion
from ...files.archives import MOST_BYTES, packed, readable, unpacked
from ...files.reading import Refused, irregular, read_file
from ...files.writing import replace_file, replace_folder

_VERSION = 1
_DIGEST = "sha256"
#: At the end of a NetCDF file, before a checksum of it: other readers ignore it, and HDF5 may hang in a damaged file.
_TRAILER = b"polhode sha256 "
#: By these a folder is known as one that Zarr made.
_ZARR = ("zarr.json", ".zgroup")
_NOTHING_NEEDED = "; .npz files need nothing"

#: The dimensions of an array, and the array.
Named = tuple[tuple[str, ...], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Arrays by name, those that label dimensions apart, with attributes."""

    coordinates: Mapping[str, Named]
    variables: Mapping[str, Named]
    attributes: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)  # what an array is, where its name does not say so

    def __post_init__(self) -> None:
        lengths: dict[str, int] = {}
        for name, (dims, array) in self.arrays.items():
            sizes = [lengths.setdefault(dim, n) for dim, n in zip(dims, array.shape, strict=False)]
            if len(dims) != array.ndim or tuple(sizes) != array.shape:
                raise ValueError(f"'{name}' has dimensions {dims} and shape {array.shape}")

    @property
    def arrays(self) -> dict[str, Named]:
        """All arrays by name."""
        return {**self.variables, **self.coordinates}

    def array(self, name: str, dims: tuple[str, ...], kind: str = "f") -> NDArray[Any]:
        """An array of these dimensions whose entries are floats ("f"), integers ("i") or texts ("U"), or ValueError."""
        stored_dims, array = self.arrays[name]
        if stored_dims != dims or array.dtype.kind != kind:
            raise ValueError(f"'{name}' has dimensions {stored_dims} and type {array.dtype}")
        return array

    @property
    def digest(self) -> str:
        """SHA-256 of the attributes and of all arrays, alike in every format."""
        content = sha256(json.dumps(dict(self.attributes), sort_keys=True).encode())
        for name, (dims, array) in sorted(self.arrays.items()):
            content.update(json.dumps([name, dims, array.shape]).encode())
            if array.dtype.kind == "U":
                content.update(json.dumps(array.tolist()).encode())
            else:
                numbers = array.astype("<f8", casting="same_kind")
                content.update(np.where(np.isnan(numbers), np.nan, numbers).tobytes())
        return content.hexdigest()


def to_xarray(dataset: Dataset) -> Any:
    """The same as an xarray.Dataset; texts are arrays of objects, as every format takes them."""

    def labelled(arrays: Mapping[str, Named]) -> dict[str, Any]:
        words = {name: {"long_name": title} for name, title in dataset.titles.items()}
        plain = {name: x.astype(object) if x.dtype.kind == "U" else x for name, (_, x) in arrays.items()}
        return {name: (dims, plain[name], words.get(name, {})) for name, (dims, _) in arrays.items()}

    attributes = dict(dataset.attributes)
    return _xarray().Dataset(labelled(dataset.variables), coords=labelled(dataset.coordinates), attrs=attributes)


def from_xarray(dataset: Any) -> Dataset:
    """A dataset of an opened one of xarray's, read into memory."""
    if dataset.nbytes > MOST_BYTES:
        raise ValueError(f"it would unpack to {dataset.nbytes:,} bytes")
    loaded = dataset.load()

    def plain(names: Any) -> dict[str, Named]:
        return {str(name): (tuple(map(str, loaded[name].dims)), _plain(loaded[name].values)) for name in names}

    return Dataset(plain(loaded.coords), plain(loaded.data_vars), {str(k): str(v) for k, v in loaded.attrs.items()})


def write(dataset: Dataset, path: str | os.PathLike[str]) -> Path:
    """Write by extension: .nc (NetCDF), .zarr (a folder) or .npz (NumPy)."""
    target = check_format(path)
    stamped = {**dataset.attributes, _DIGEST: dataset.digest}
    return _FORMATS[target.suffix.lower()][0](replace(dataset, attributes=stamped), target)


def read(path: str | os.PathLike[str]) -> Dataset:
    """Read what `write` wrote, and verify its digest."""
    target = check_format(path)
    with readable(target, "a dataset", "polhode"):
        dataset = _FORMATS[target.suffix.lower()][1](target)
        attributes = dict(dataset.attributes)
        digest = attributes.pop(_DIGEST, "")
        dataset = replace(dataset, attributes=attributes)
        computed = dataset.digest
        if digest != computed and (digest or not attributes["kind"].endswith(" 1")):  # versions 1 have no digest
            raise ValueError("its content does not agree with its checksum")
        return dataset


# ---- NetCDF and Zarr, through xarray -------------------------------------------------------------------------


def _write_netcdf(dataset: Dataset, path: Path) -> Path:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "made.nc"
        _saved(dataset, lambda: to_xarray(dataset).to_netcdf(file, engine=_engine()), path)
        content = file.read_bytes()
        return replace_file(path, content + _TRAILER + sha256(content).digest())


def _read_netcdf(path: Path) -> Dataset:
    content, trailer, digest = read_file(path, MOST_BYTES).rpartition(_TRAILER)
    if trailer and len(digest) == 32:
        if sha256(content).digest() != digest:
            raise ValueError("its content does not agree with its checksum")
    else:
        content += trailer + digest
    if content.startswith(b"\x89HDF") and _engine() != "h5netcdf":
        message = "this NetCDF file is of version 4, which h5netcdf reads, and that is not installed."
        raise FormatError(message, str(path), 'Install it with: pip install "polhode[data]"', "E-FILE-MISSING")
    engine = "h5netcdf" if content.startswith(b"\x89HDF") else "scipy"
    with _xarray().open_dataset(io.BytesIO(content), engine=engine) as opened:
        return from_xarray(opened)


def _write_zarr(dataset: Dataset, path: Path) -> Path:
    zarr_is_there(path)
    converted = to_xarray(dataset)
    marker = next((name for name in _ZARR if (path / name).is_file()), _ZARR[0])
    return replace_folder(
        path, lambda to: _saved(dataset, lambda: converted.to_zarr(to, mode="w", consolidated=False), path), marker
    )


def _read_zarr(path: Path) -> Dataset:
    zarr_is_there(path)
    for folder, _, files in os.walk(path):
        for reason in (irregular(os.stat(os.path.join(folder, name))) for name in files):
            if reason:  # a pipe would be waited for
                raise Refused(EINVAL, f"in '{folder}' {reason}")
    with _xarray().open_zarr(path, consolidated=False) as opened:
        return from_xarray(opened)


def zarr_is_there(path: Path) -> None:
    """Raise where Zarr is not installed."""
    installed("zarr", "data", place=str(path), or_else=_NOTHING_NEEDED, code="E-FILE-MISSING")


def _saved(dataset: Dataset, save: Callable[[], object], path: Path) -> None:
    """Save through xarray; raise PolhodeError for what a format cannot hold."""
    refused = [name for name in dataset.arrays if "/" in name or not name]
    try:
        if refused:
            raise ValueError(f"the name {refused[0]!r}.")
        with warnings.catch_warnings():  # a name with a space is read as a variable, which is as good
            warnings.filterwarnings("ignore", ".* has a space in its name", RuntimeWarning)
            save()
    except (ValueError, TypeError) as error:
        cure = "Save it as .npz, which holds names and arrays of any kind."
        raise PolhodeError(f"the format cannot hold this: {error}", str(path), cure, "E-FILE-WRITE") from error


def _engine() -> str:
    """h5netcdf (NetCDF 4) where it and h5py are there, else SciPy's (NetCDF 3)."""
    return "h5netcdf" if find_spec("h5netcdf") and find_spec("h5py") else "scipy"


def _xarray() -> Any:
    return installed("xarray", "data", or_else=_NOTHING_NEEDED, code="E-FILE-MISSING")


# ---- NumPy archives ------------------------------------------------------------------------------------------


def as_archive(dataset: Dataset) -> bytes:
    """A dataset as an .npz, names and dimensions as JSON in it: so names may be any, and nothing is ever unpickled."""
    listed = [
        (name, dims, array, part)
        for part, named in (("coordinates", dataset.coordinates), ("variables", dataset.variables))
        for name, (dims, array) in named.items()
    ]
    arrays = {f"array_{k}": _plain(array) for k, (_, _, array, _) in enumerate(listed)}
    words = {
        "version": _VERSION,
        "names": [[name, dims, part] for name, dims, _, part in listed],
        "attributes": dict(dataset.attributes),
    }
    return packed(words, arrays)


def of_archive(content: bytes) -> Dataset:
    """The dataset of such an archive; read it inside of `readable`."""
    words, arrays = unpacked(content, _VERSION)
    parts: dict[str, dict[str, Named]] = {"coordinates": {}, "variables": {}}
    for k, (name, dims, part) in enumerate(words["names"]):
        parts[part][str(name)] = (tuple(map(str, dims)), arrays[f"array_{k}"])
    attributes = {str(name): str(value) for name, value in words["attributes"].items()}
    return Dataset(parts["coordinates"], parts["variables"], attributes)


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(object).astype(str) if array.dtype.kind in "OSTU" else array


# ---- formats by extension ------------------------------------------------------------------------------------


#: How a dataset is written, and read, by extension.
_FORMATS: dict[str, tuple[Callable[[Dataset, Path], Path], Callable[[Path], Dataset]]] = {
    ".nc": (_write_netcdf, _read_netcdf),
    ".zarr": (_write_zarr, _read_zarr),
    ".npz": (
        lambda dataset, path: replace_file(path, as_archive(dataset)),
        lambda path: of_archive(read_file(path, MOST_BYTES)),
    ),
}


def check_format(path: str | os.PathLike[str]) -> Path:
    """The path, if its extension names a format that a dataset is written in."""
    target = path_of(path)
    kind = target.suffix.lower()
    if kind not in _FORMATS:
        message = f"there is no format {kind!r}." if kind else "the name has no extension."
        cure = suggestion(kind, _FORMATS, "Name the file .nc, .zarr or .npz.")
        raise PolhodeError(message, str(target), cure, "E-FILE-NAME")
    return target
