"""LLVM through llvmlite: IR text in, object code and function addresses out.

The pass pipeline was chosen by measurement. A program is straight-line and already free of repeated work, so that all
it needs is inlining (sincos, small kernels), registers for stack variables, and peepholes; the full -O2 pipeline costs
two to five times as much compile time, the SLP vectoriser twenty times, and neither gives faster code. A loop around a
small inlined kernel is the exception: there the full pipeline (`thorough`) hoists what does not change, for some 15 %.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..codegen.llvm.block import LIBRARY
from ..errors import PolhodeError
from .elf_loader import check_memory

#: Longer IR is scheduled and allocated with less effort: half the compile time, and the code is as fast.
LONG = 500_000
#: Longer IR of programs that choose much is compiled with the least effort: in a third of the time, to code that takes
#: up to twice as long.
HUGE = 2_000_000


@dataclass(frozen=True)
class Host:
    """The machine that code is made for; `lanes` doubles fill its widest vectors, and are as many states of a batch."""

    triple: str
    cpu: str
    features: str
    llvm: str
    fused: bool
    lanes: int


@cache
def host() -> Host:
    """This machine; raises OSError where llvmlite is missing, or LLVM can make no code for it or not run it."""
    try:
        described = _described()
        _target_machine(described)
        _provide_library_functions()
        check_memory()
    except Exception as problem:
        raise OSError(f"{type(problem).__name__}: {problem}") from problem
    return described


def _described() -> Host:
    import llvmlite
    import llvmlite.binding as llvm

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
        self._machine = _target_machine(host())
        import llvmlite.binding as llvm

        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """The address of a function of this module."""
        address = int(self._engine.get_function_address(name))
        if not address:
            raise PolhodeError(f"the compiled code has no function {name!r}.")
        return address


def object_code(ir: str, *, thorough: bool = False, effort: int = 2) -> bytes:
    """Compile IR text to object code for this machine, at a level of LLVM's code generator up to 2."""
    import llvmlite.binding as llvm

    effort = min(effort, 1 if len(ir) > LONG else 2)
    try:
        tools = _IDLE[effort].pop()
    except IndexError:
        tools = _tools(effort)
    machine, builder, light = tools
    # A context of its own: other users of LLVM in this process may be at work in the global one.
    context = llvm.create_context()
    module = llvm.parse_assembly(ir, context)
    try:
        module.triple = host().triple
        module.verify()
        passes = builder.getModulePassManager() if thorough else light
        passes.run(module, builder)
        code = bytes(machine.emit_object(module))
        _IDLE[effort].append(tools)
        return code
    finally:
        module.close()
        context.close()


#: Machines, pass builders and passes that no thread uses now, by level: llvmlite does not free a builder or its passes.
_IDLE: dict[int, list[tuple[Any, Any, Any]]] = {0: [], 1: [], 2: []}


def _tools(level: int) -> tuple[Any, Any, Any]:
    """A target machine, a pass builder for it, and the light passes."""
    import llvmlite.binding as llvm

    machine = _target_machine(host(), level)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.slp_vectorization = False
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    return machine, llvm.create_pass_builder(machine, options), passes


def _target_machine(machine: Host, level: int = 2) -> Any:
    import llvmlite.binding as llvm

    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=level, reloc="pic", codemodel="default"
    )


def _provide_library_functions() -> None:
    """Hand LLVM the functions of the C library that the process does not export; LLVM aborts where one is missing."""
    import llvmlite.binding as llvm

    missing = [name for name in (*LIBRARY, "sin", "cos", "fma") if not llvm.address_of_symbol(name)]
    if missing:
        from ctypes.util import find_library

        library = ctypes.CDLL(find_library("m") or find_library("ucrtbase") or find_library("msvcrt"))
        for name in missing:
            llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
