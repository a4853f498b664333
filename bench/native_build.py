"""Building the C++ programs of the peers from the headers in their wheels; what was built is kept under out/."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from polhode.errors import PolhodeError

SOURCES = Path(__file__).parent / "native"
BUILT = Path("out") / "bench"
_FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG")
#: As Pinocchio's own build has them: its list of joint types is longer than Boost's defaults allow.
_BOOST = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


@dataclass(frozen=True)
class Loop:
    """A C++ program, whose headers and libraries it takes, and what its compiler needs to know."""

    name: str
    packages: tuple[str, ...]
    flags: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    takes: str = "a moment"

    def build(self, say: Callable[[str], None]) -> Path:
        """The path of the program, compiled unless these very sources, flags and versions were compiled before."""
        source = SOURCES / f"{self.name}.cpp"
        command = [*_FLAGS, *self.flags]
        versions = map(metadata.version, self.packages)
        texts = [path.read_text(encoding="utf-8") for path in (source, *sorted(SOURCES.glob("*.hpp")))]
        name = f"{self.name}-{key_of(*texts, *command, *self.libraries, *versions)}"

        def make(path: Path) -> None:
            compile_with("g++", [*command, str(source), "-o", str(path), *self.libraries], self.name, say, self.takes)

        return kept(name, make)


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The file of that name under out/, made if it is not there; only a finished one gets its name."""
    path = BUILT / name
    if not path.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{name}.new")
        make(unfinished)
        unfinished.rename(path)
    return path.resolve()


def key_of(*texts: str) -> str:
    """Digits that change with any of the texts, and with what -march=native means here."""
    return hashlib.sha256("\0".join([*texts, _processor_flags()]).encode()).hexdigest()[:16]


def pinocchio_loop() -> Loop:
    """Pinocchio header-only, with the headers of Boost and Eigen."""
    return Loop("pinocchio_loop", ("pin",), _pinocchio_flags(), takes="some minutes")


def our_loop() -> Loop:
    """Our own functions come by their address, so this is a library to be loaded."""
    return Loop("our_loop", ("polhode",), ("-shared", "-fPIC"))


def mujoco_loop() -> Loop:
    """MuJoCo's library as its wheel has it."""
    folder = _site_packages() / "mujoco"
    libraries = sorted(folder.glob("libmujoco.so*"))
    if not libraries:
        raise PolhodeError("there is no library of MuJoCo.", cure="Install its wheel: pip install mujoco.")
    linked = str(libraries[-1]), f"-Wl,-rpath,{folder}"
    return Loop("mujoco_loop", ("mujoco",), (f"-I{folder / 'include'}",), linked)


def casadi_trace() -> Loop:
    """Pinocchio header-only over CasADi's symbols; it writes C and is not timed, so it is not optimized."""
    found = importlib.util.find_spec("casadi")
    folder = Path(found.origin).parent if found and found.origin else Path()
    library = folder / "libcasadi.so"
    if not (library.is_file() and (folder / "include" / "casadi").is_dir()):
        raise PolhodeError("there are no headers of CasADi.", cure="Install its wheel: pip install casadi.")
    flags = (*_pinocchio_flags(), f"-I{folder / 'include'}", "-O0")
    linked = str(library), f"-Wl,-rpath,{folder}"
    return Loop("casadi_trace", ("pin", "casadi"), flags, linked, takes="about a minute")


def casadi_loop() -> Loop:
    """What CasADi generated comes as a library by its path."""
    return Loop("casadi_loop", (), (), ("-ldl",))


def run_loop(program: Path, folder: Path, seconds: float, functions: Sequence[str] = ()) -> dict[str, float]:
    """Run a loop on the model and states in a folder; seconds a call by function."""
    command = [str(program), str(folder), str(seconds), *functions]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise PolhodeError(
            f"{program.name} ended with {run.returncode}: {run.stderr.strip()[:300]}", code="E-BENCH-002"
        )
    pairs = (line.split() for line in run.stdout.splitlines())
    return {name: 1e-9 * float(nanoseconds) for name, nanoseconds in pairs}


def compile_with(
    compiler: str, arguments: Sequence[str], name: str, say: Callable[[str], None], takes: str = "a moment"
) -> None:
    """Run gcc or g++ and say so every now and then; what it says goes to a log."""
    start = time.monotonic()
    say(f"compiling {name} once, which takes {takes}")
    log = BUILT / f"{name}.log"
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen([_found(compiler), *arguments], stderr=errors, stdout=errors)
        while process.poll() is None:
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                say(f"compiling {name}: {time.monotonic() - start:.0f} s")
    if process.returncode:
        raise PolhodeError(f"{name} does not compile.", cure=f"See {log}.", code="E-BENCH-003")


def _found(compiler: str) -> str:
    found = shutil.which(compiler)
    if found is None:
        raise PolhodeError(f"there is no {compiler}.", cure="Install a C++ compiler to compare with C++ engines.")
    return found


def _pinocchio_flags() -> tuple[str, ...]:
    prefix = _site_packages() / "cmeel.prefix" / "include"
    if not (prefix / "pinocchio").is_dir():
        raise PolhodeError("there are no headers of Pinocchio.", cure="Install its wheel: pip install pin.")
    return (*_BOOST, f"-I{prefix}", f"-I{_eigen(prefix)}")


def _site_packages() -> Path:
    return Path(sysconfig.get_paths()["purelib"])


def _eigen(prefix: Path) -> Path:
    """Eigen from its wheel, from the system, or from where EIGEN3_INCLUDE_DIR says."""
    given = os.environ.get("EIGEN3_INCLUDE_DIR")
    places = [Path(given)] if given else []
    places += [prefix / "eigen3", *(Path(root) / "include" / "eigen3" for root in ("/usr", "/usr/local"))]
    for place in places:
        if (place / "Eigen" / "Core").is_file():
            return place
    raise PolhodeError("there are no headers of Eigen.", cure="Install its wheel: pip install cmeel-eigen.")


@cache
def _processor_flags() -> str:
    """What -march=native means here."""
    run = subprocess.run(
        [_found("g++"), "-march=native", "-Q", "--help=target"], capture_output=True, text=True, check=False
    )
    return run.stdout
