"""Building the C++ programs of the peers from the headers in their wheels; what was built is kept under out/."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from polhode.errors import PolhodeError

NATIVE = Path(__file__).parent / "native"
BUILT = Path("out") / "bench"
_FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG")
#: As Pinocchio's own build has them: its list of joint types is longer than Boost's defaults allow.
_MPL = "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"


@cache
def loop(name: str) -> Path:
    """The path of a program of `bench/native`, compiled unless these sources, flags and versions were before.

    `our_loop` is a library to be loaded, since our functions come by their addresses; `pinocchio_loop` takes minutes;
    `casadi_trace` writes C and is not timed, so it is not optimised.
    """
    packages, flags, libraries = list[str](), [*_FLAGS], ["-ldl"] if name == "casadi_loop" else []
    if name == "our_loop":
        flags += ["-shared", "-fPIC"]
    if name in ("pinocchio_loop", "casadi_trace"):
        packages, flags = ["pin"], [*flags, *_pinocchio_flags()]
    for module, program, further in (("mujoco", "mujoco_loop", ()), ("casadi", "casadi_trace", ("-O0",))):
        if name == program:
            folder = _folder_with_headers(module)
            packages, flags = [*packages, module], [*flags, f"-I{folder / 'include'}", *further]
            libraries = [str(max(folder.glob(f"lib{module}.so*"))), f"-Wl,-rpath,{folder}"]
    source = NATIVE / f"{name}.cpp"
    texts = [path.read_text(encoding="utf-8") for path in (source, *sorted(NATIVE.glob("*.hpp")))]
    key = key_of(*texts, *flags, *libraries, *map(metadata.version, packages))
    return stored(f"{name}-{key}", lambda path: compile_with("g++", [*flags, str(source)], path, libraries))


def _folder_with_headers(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    if not ((folder / "include").is_dir() and any(folder.glob(f"lib{module}.so*"))):
        cure = f"Install its wheel: pip install {module}."
        raise PolhodeError(f"there are no headers of {module}.", cure=cure, code="E-BENCH-016")
    return folder


def _pinocchio_flags() -> tuple[str, ...]:
    prefix = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix" / "include"
    given = os.environ.get("EIGEN3_INCLUDE_DIR")
    folders = [*([Path(given)] if given else []), prefix / "eigen3", Path("/usr/include/eigen3")]
    eigen = next((folder for folder in folders if (folder / "Eigen" / "Core").is_file()), None)
    if not (prefix / "pinocchio").is_dir() or eigen is None:
        cure = "Install their wheels: pip install pin cmeel-eigen; EIGEN3_INCLUDE_DIR names another folder of Eigen."
        raise PolhodeError("there are no headers of Pinocchio and Eigen.", cure=cure, code="E-BENCH-017")
    return (*_MPL, "-DBOOST_FUSION_INVOKE_MAX_ARITY=12", f"-I{prefix}", f"-I{eigen}")


def stored(name: str, make: Callable[[Path], None]) -> Path:
    """The file of that name under out/, made if it is not there; only a finished one gets its name."""
    path = BUILT / name
    if not path.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{name}.new")
        make(unfinished)
        unfinished.rename(path)
    return path.resolve()


def key_of(*texts: str) -> str:
    """Digits that change with any of the texts, and with the meaning of -march=native here."""
    return hashlib.sha256("\0".join([*texts, _processor_flags()]).encode()).hexdigest()[:16]


@cache
def _processor_flags() -> str:
    return run(["g++", "-march=native", "-Q", "--help=target"]) if shutil.which("g++") else ""


def compile_with(compiler: str, arguments: Sequence[str], path: Path, libraries: Sequence[str] = ()) -> None:
    """Run gcc or g++ for the file at a path."""
    if shutil.which(compiler) is None:
        cure = "Install a C++ compiler to compare with C++ engines."
        raise PolhodeError(f"there is no {compiler}.", cure=cure, code="E-BENCH-018")
    print(f"{compiler} -o {path} …", flush=True)
    run([compiler, *arguments, "-o", str(path), *libraries], code="E-BENCH-003")


def run(command: Sequence[str], code: str = "E-BENCH-002", **options: Any) -> str:
    """What a program prints; PolhodeError with the end of its errors where it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if ended.returncode:
        message = f"{Path(command[0]).name} ended with {ended.returncode}: {ended.stderr.strip()[-300:]}"
        raise PolhodeError(message, code=code)
    return str(ended.stdout)
