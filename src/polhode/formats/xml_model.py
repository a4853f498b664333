"""A .xml file by its root element: a URDF, an SDF or an MJCF model."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..errors import FormatError, path_of
from ..model import System
from .findings import Report, system_alone
from .mjcf import read_mjcf
from .robot_file.markup import parse_file
from .sdf import read_sdf
from .urdf import read_urdf

_BY_ROOT: dict[str, Callable[..., tuple[System, Report]]] = {"robot": read_urdf, "mujoco": read_mjcf, "sdf": read_sdf}


def read_xml(path: str | os.PathLike[str], **options: Any) -> tuple[System, Report]:
    """Read <robot> as URDF, <sdf> as SDF, <mujoco> as MJCF: the System and the report; options are that reader's."""
    file = path_of(path)
    root = parse_file(file, options.get("limits"))
    reader = _BY_ROOT.get(root.tag)
    if reader is None:
        message = f"<{root.tag[:60]}> begins no model that is read."
        cure = "A URDF begins with <robot>, an SDF model with <sdf>, an MJCF model with <mujoco>."
        raise FormatError(message, place=f"{file}:{root.line}", cure=cure, code="E-FILE-READ")
    return reader(path, **options)


load_xml = system_alone(read_xml)
