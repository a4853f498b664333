"""LLVM behind one small door: IR text in, object code and function addresses out.

The pass pipeline was chosen by measurement. A program is straight-line and already free of repeated work, so that all
it needs is inlining (sincos, small kernels), registers for stack variables, and peepholes; the full -O2 pipeline costs
two to five times as much compile time, the SLP vectoriser twenty times, and neither gives faster code.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from polhode.codegen.llvm import LIBRARY
from polhode.errors import PolhodeError
from polhode.runtime.cache import ObjectCache

#: Part of the cache's key: raise when the passes change.
PIPELINE = "inline,sroa,instcombine,simplifycfg,licm/1"

_lock = threading.Lock()


@dataclass(frozen=True)
class Host:
    """The machine that code is made for."""

    triple: str
    cpu: str
    features: str
    llvm: str
    fused: bool
    lanes: int


@cache
def host() -> Host:
    """This machine; raises ImportError where llvmlite is missing."""
    import llvmlite
    import llvmlite.binding as llvm

    with _lock:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    triple = llvm.get_process_triple()
    features = llvm.get_host_cpu_features()
    arm = triple.startswith(("aarch64", "arm64"))
    return Host(
        triple=triple,
        cpu=llvm.get_host_cpu_name(),
        features=features.flatten(),
        llvm=f"{llvmlite.__version__}/{'.'.join(map(str, llvm.llvm_version_info))}",
        fused=arm or bool(features.get("fma")),
        lanes=8 if features.get("avx512f") else 4 if features.get("avx") else 2,
    )


class Library:
    """Loaded object code; functions stay valid as long as it lives."""

    def __init__(self, code: bytes) -> None:
        import llvmlite.binding as llvm

        with _lock:
            _provide_library_functions()
            self._machine = _target_machine()
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._machine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """The address of a function of this module."""
        found = int(self._engine.get_function_address(name))
        if not found:
            raise PolhodeError(f"the compiled code has no function {name!r}.")
        return found

    def function(self, name: str, *arguments: Any, result: Any = None, release: bool = True) -> Any:
        """A function as a ctypes callable; `release=False` keeps the interpreter's lock, for calls of microseconds."""
        kind = ctypes.CFUNCTYPE if release else ctypes.PYFUNCTYPE
        return kind(result, *arguments)(self.address(name))


def load(ir: str, cache: ObjectCache | None = None) -> Library:
    """The module as loaded code, out of the cache where it is known."""
    machine = host()
    key = key_of(ir, vars(machine))
    code = cache.get_or_make(key, lambda: object_code(ir)) if cache else object_code(ir)
    return Library(code)


def key_of(source: str, circumstances: Mapping[str, object]) -> str:
    """The cache's key: the source and all that the object code depends on beside it."""
    text = "\n".join([PIPELINE, *(f"{name}={value}" for name, value in sorted(circumstances.items())), source])
    return hashlib.sha256(text.encode()).hexdigest()


def object_code(ir: str) -> bytes:
    """Compile IR text to object code for this machine."""
    import llvmlite.binding as llvm

    host()
    with _lock:
        machine = _target_machine()
        module = llvm.parse_assembly(ir)
        module.triple = host().triple
        module.verify()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        passes = llvm.create_new_module_pass_manager()
        passes.add_always_inliner_pass()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, builder)
        return bytes(machine.emit_object(module))


def _target_machine() -> Any:
    import llvmlite.binding as llvm

    machine = host()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=2, reloc="pic", codemodel="default"
    )


def _provide_library_functions() -> None:
    """Where the process does not export the C library's functions to LLVM, hand them over."""
    import llvmlite.binding as llvm

    missing = [name for name in (*LIBRARY, "sin", "cos", "fma") if not llvm.address_of_symbol(name)]
    if missing:
        from ctypes.util import find_library

        library = ctypes.CDLL(find_library("m") or find_library("msvcrt"))
        for name in missing:
            llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
