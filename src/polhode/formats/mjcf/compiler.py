"""MuJoCo's compiler, asked politely: its errors told with the user's lines, its warnings caught, no log left behind."""

from __future__ import annotations

import re
from importlib import import_module
from threading import Lock
from typing import Any

from ...errors import FormatError, PolhodeError
from .plain import PlainModel

_LINE = re.compile(r",? ?\bline (\d+)")

# MuJoCo has one warning handler for the whole process.
_one_at_a_time = Lock()


def mujoco_module() -> Any:
    """The `mujoco` package, an optional dependency."""
    try:
        return import_module("mujoco")
    except ImportError:
        raise PolhodeError(
            "MJCF is compiled by MuJoCo, which is not installed.",
            cure='Install it with: pip install "polhode[mujoco]"',
            code="E-MJCF-011",
        ) from None


def compile_model(plain: PlainModel, file: str) -> tuple[Any, list[str]]:
    """The compiled model, and what the compiler warned of."""
    mujoco = mujoco_module()
    warnings: list[str] = []
    with _one_at_a_time:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda message: warnings.append(_words(message)))
        try:
            model = mujoco.MjModel.from_xml_string(plain.text, plain.meshes)
        except (ValueError, mujoco.FatalError) as error:
            raise _refusal(str(error), plain, file) from None
        finally:
            mujoco.set_mju_user_warning(before)
    return model, warnings


def _words(message: str | bytes) -> str:
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    return " ".join(text.split())


def _refusal(message: str, plain: PlainModel, file: str) -> FormatError:
    """`Error: …, line 7` of the plain text, with the place where the user wrote it."""
    found = _LINE.search(message)
    number = int(found.group(1)) if found else 0
    part = plain.lines[number - 1] if 0 < number <= len(plain.lines) else None
    said = _words(_LINE.sub("", message)).removeprefix("XML ").removeprefix("Error: ").removeprefix("Error: ")
    return FormatError(
        f"MuJoCo refuses the model: {said}.",
        place=f"{part.place}: <{part.tag}>" if part else file,
        cure="Mend the element so that MuJoCo itself loads the file.",
        code="E-MJCF-012",
    )
