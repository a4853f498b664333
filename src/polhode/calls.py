"""Public calls: arguments are checked by the signature of what is called, and whatever they break is one sentence.

`public` is applied once to each public function and class. A call from outside this package then goes as follows.

1. Before it: options that the signature does not have are refused, and what is neither True nor False for a `bool`,
   which Python would take for one of them.
2. The function runs; what it refuses itself, it says best. If it raises anything but a PolhodeError, the sentence names
   the call, the argument, its value and what its annotation takes. The exception stays the `__cause__`, with its
   traceback: a fault of polhode's is never hidden. Exceptions that come out of a user's own function, warnings, and
   errors of files, memory and imports pass unchanged.

Calls inside this package are neither checked nor changed. Annotations are read as text, so that nothing is imported
for them; a class is recognised by the name of the class or of one of its bases.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from importlib import import_module
from inspect import CO_VARKEYWORDS, Parameter, Signature, signature
from traceback import walk_tb
from types import FrameType
from typing import Any, TypeAlias, TypeVar

from .errors import PACKAGE, ModelError, PolhodeError, SimulationError, listed, shown, unknown, wrong_kind

T = TypeVar("T")
_Read: TypeAlias = tuple[tuple[str, ...], dict[str, tuple[str, ...]], tuple[str, ...]]
_OWNERS = ("self", "cls")
_SPECIAL = ("__init__", "__call__", "__getitem__")
#: The default of an option that differs from type to type.
_BY_TYPE = type("ByType", (), {"__repr__": lambda self: "<by type>"})()
#: Types of what public calls returned, whose methods are public too; but not of modules where a check would slow calls.
_SEEN: set[type] = set()
_FAST = ("polhode.expr.", "polhode.native.", "polhode.ode.", "polhode.compiled.", "polhode.simulate.stepper")
_INSIDE = ("polhode.", "dataclasses", "collections.abc", "_collections_abc")
_PASSING = (OSError, MemoryError, ImportError, Warning)
#: What plain kinds are called in a sentence, and what has them.
_PLAIN: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "None": ("None", lambda value: value is None),
    "str": ("text", lambda value: isinstance(value, str)),
    "bool": ("True or False", lambda value: isinstance(value, bool) or getattr(value, "dtype", "") == "bool"),
    "int": ("a whole number", lambda value: hasattr(type(value), "__index__") or isinstance(value, float)),
    "float": ("a number", lambda value: hasattr(type(value), "__float__") or hasattr(type(value), "__index__")),
    **dict.fromkeys(("Mapping", "dict"), ("a mapping", lambda value: isinstance(value, Mapping))),
    "Callable": ("a function", callable),
    **dict.fromkeys(
        ("Sequence", "Iterable", "Collection", "list", "tuple"),
        ("a list", lambda value: hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")),
    ),
}


_OF_RUNS = ("simulate.settings:RunOptions", "simulate.settings:DEFAULTS")
#: Where the options of each TypedDict are read, with their defaults; see `_options_at`.
OPTIONS = {
    "JointOptions": ("model.joints:JOINTS",),
    "MotorOptions": ("model.motor:Motor", "model.motor:MotorOptions"),
    "BeamOptions": ("model.flexible.beam:Beam", "model.flexible.beam:BeamOptions"),
    "RunOptions": _OF_RUNS,
    "AssemblyOptions": ("simulate.constraints.assembly:assemble",),
    "StepperOptions": (*_OF_RUNS, "simulate.stepper:Stepper", "simulate.settings:StepperOptions"),
    "SmoothOptions": (*_OF_RUNS, "simulate.settings:SmoothOptions"),
    "OrbitOptions": (*_OF_RUNS, "simulate.settings:OrbitOptions", "equilibria.periodic_orbit:_TOLERANCES"),
    "ReaderOptions": ("formats:load_urdf", "formats:load_sdf", "formats:load_mjcf", "formats.options:DEFAULTS"),
    "CompareOptions": ("compare.comparison:compare",),
    "FitOptions": ("identification.fit:identify",),
    "ExcitationOptions": ("identification.exciting_trajectory:exciting_trajectory",),
    "StateOptions": ("linear.linearize:linearize",),
    "ExportOptions": ("simulate.simulation_program:export_program",),
    "CallOptions": ("compiled.functions:Functions.evaluate",),
    "TimeOptions": ("compiled.functions:Functions.evaluate", "compiled.values:TimeOptions"),
    "CollocationOptions": ("optimize.problem:collocation",),
}
#: Options that are refused by the function itself, which can name the file or joint.
_REFUSED_INSIDE = {OPTIONS[name][:1] for name in ("ReaderOptions", "MotorOptions", "JointOptions")}


def public(thing: T, has_fast_ones: bool = False) -> T:
    """A function whose calls from outside are checked, or a class with such methods.

    In a class that `has_fast_ones`, arguments of those that take options are not looked at: only their errors change.

    >>> public(len) is len  # which has no code to be checked
    True
    """
    if isinstance(thing, type):
        for owner in thing.__mro__:
            if owner.__module__.startswith("polhode."):
                _check_methods(owner, has_fast_ones)
        return thing
    if not hasattr(thing, "__code__"):
        return thing
    function: Any = thing
    wrapper: T = _checked(function)
    home = sys.modules.get(function.__module__)
    if getattr(home, function.__qualname__, None) is thing:  # so that it is pickled by its name
        setattr(home, function.__qualname__, wrapper)
    return wrapper


def _check_methods(owner: type, has_fast_ones: bool) -> None:
    for name, held in list(vars(owner).items()):
        if name == "__getitem__" and owner.__module__.startswith("polhode.expr."):
            continue  # as of a tuple
        if name.startswith("_") and name not in _SPECIAL:
            continue
        function = held.__func__ if isinstance(held, classmethod | staticmethod) else held
        if has_fast_ones and hasattr(function, "__code__") and function.__code__.co_flags & CO_VARKEYWORDS:
            setattr(owner, name, _fast(function))
        elif hasattr(function, "__code__"):
            wrapper = _checked(function)
            setattr(owner, name, wrapper if function is held else type(held)(wrapper))


def _checked(function: Any) -> Any:
    if hasattr(function, "_checked"):
        return function._checked
    _show_options(function)
    read: list[_Read] = []  # when it is first called

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__", "").startswith(_INSIDE):
            return function(*arguments, **named)
        try:
            if not read:
                read.append(_read(function))
            names, flags, options = read[0]
            for name in named:
                if name not in options and options:
                    raise _no_option(function, name, options, _name(function, arguments))
            for name, value in (*zip(names, arguments, strict=False), *named.items()) if flags else ():
                if name in flags and not any(_PLAIN[kind][1](value) for kind in flags[name]):
                    raise _wrong_kind(function, name, value, flags[name])
            result = function(*arguments, **named)
            if type(result) not in _SEEN:
                _SEEN.add(type(result))
                if type(result).__module__.startswith("polhode.") and not type(result).__module__.startswith(_FAST):
                    public(type(result))
            return result
        except SimulationError:
            raise  # which names the time
        except PolhodeError as error:
            error.set_place(_name(function, arguments))
            raise
        except _PASSING:
            raise
        except Exception as error:
            if _is_users(error) or (isinstance(error, IndexError) and function.__name__ == "__getitem__"):
                raise  # an IndexError ends iteration
            if isinstance(error, KeyError) and function.__name__ == "__getitem__" and isinstance(arguments[0], Mapping):
                owner = type(arguments[0]).__name__
                raise unknown("value", arguments[1], list(arguments[0]), place=owner, code="E-CALL-NAME") from error
            raise _refusal(function, arguments, named, error) from error

    function._checked = call
    vars(call)["_checked"] = call
    return call


def _no_option(function: Callable[..., Any], name: str, options: tuple[str, ...], place: str) -> PolhodeError:
    """The error of an option that a call does not have; one of `simulate` is not misspelt."""
    paths = getattr(signature(function), "paths", ())
    if paths[:2] == _OF_RUNS and name in _options_at(_OF_RUNS):
        cure = f"It is an option of simulate; {place} takes {listed(options, 30)}."
        return PolhodeError(f"there is no option '{name}'.", place, cure, "E-CALL-NAME")
    return unknown("option", name, options, place=place, code="E-CALL-NAME")


def _fast(function: Any) -> Any:
    if hasattr(function, "_checked"):
        return function
    _show_options(function)

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except PolhodeError as error:
            error.set_place(function.__name__)
            raise
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from inside
            raise _refusal(function, arguments, named, error) from error

    vars(call)["_checked"] = call
    return call


def _read(function: Callable[..., Any]) -> _Read:
    """Names of positional parameters, kinds of flags by name, and names of options, none where there may be others."""
    taken = signature(function)
    if isinstance(taken, OptionSignature) and taken.paths[:1] in _REFUSED_INSIDE:
        taken = taken.own
    parameters = taken.parameters.values()
    kinds = {p.name: _kinds(p.annotation) for p in parameters if p.kind is not p.VAR_POSITIONAL}
    flags = {name: kind for name, kind in kinds.items() if "bool" in kind and {*kind} <= {"bool", "None"}}
    options = () if any(p.kind is p.VAR_KEYWORD for p in parameters) else _options(parameters)
    return tuple(parameter.name for parameter in parameters if parameter.kind in (0, 1)), flags, options


def _kinds(annotation: Any) -> tuple[str, ...]:
    """The members of a union, each without brackets; () if any value is allowed."""
    text, depth, kept = str(annotation).strip("'\""), 0, ""
    for letter in "" if annotation is Parameter.empty else text:
        depth += (letter == "[") - (letter == "]")
        kept += letter if depth == 0 and letter != "]" else ""
    kinds = tuple(word.strip().rpartition(".")[2] for word in kept.split("|"))
    return () if {"Any", "object", "ArrayLike", "Unpack", "Never"} & {*kinds} else tuple(filter(None, kinds))


def _is_users(error: Exception) -> bool:
    """True if a user's own function was at work: a module outside of polhode, the libraries and Python's own."""
    from sysconfig import get_path

    libraries = (PACKAGE, "<frozen", *(get_path(name) for name in ("stdlib", "purelib", "platlib")))
    files = (frame.f_globals.get("__file__", frame.f_code.co_filename) for frame in _frames(error))
    return not all(str(file).startswith(libraries) for file in files)


def _refusal(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: Mapping[str, Any], error: Exception
) -> PolhodeError:
    """The sentence on arguments that a function cannot be called with, or failed on."""
    call, taken = _name(function, arguments), signature(function)
    try:
        bound = taken.bind(*arguments, **named).arguments
    except TypeError as wrong:
        cure = f"It takes {listed(_options(taken.parameters.values()), 20) or 'no arguments'}."
        return PolhodeError(f"{wrong}.", place=call, cure=cure, code="E-CALL-TYPE")
    bound = {name: value for name, value in bound.items() if name not in _OWNERS}
    kinds = {name: _kinds(taken.parameters[name].annotation) for name in bound}
    wrong_ones = [name for name in bound if kinds[name] and not _fits(bound[name], kinds[name])]
    name = _in_hand(bound, error)
    if wrong_ones:
        name = name if name in wrong_ones else wrong_ones[0]
        return _wrong_kind(function, name, bound[name], kinds[name])
    values = ", ".join(f"{key}={shown(value)}" for key, value in bound.items() if key == name or not name)
    reason = f"{error}" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}".rstrip(": ")
    return PolhodeError(
        f"{values or 'this call'} cannot be used ({reason}).",
        place=call,
        cure=f"help({call}) lists its arguments; if these are right, the fault is polhode's: please report it.",
        code="E-CALL-TYPE",
    )


def _in_hand(bound: Mapping[str, Any], error: Exception) -> str:
    """The argument that a frame nearest to the failure held."""
    held = [value for frame in reversed(_frames(error)[1:]) for value in frame.f_locals.values() if value is not None]
    names = (name for value in held for name, argument in bound.items() if value is argument)
    return next(names, next(iter(bound)) if len(bound) == 1 else "")


def _frames(error: Exception) -> list[FrameType]:
    return [frame for frame, _ in walk_tb(error.__traceback__)]


def _fits(value: Any, kinds: tuple[str, ...]) -> bool:
    """Whether a value is of one of these kinds; any is of a name that is no class of polhode's."""
    bases = {base.__name__ for base in type(value).__mro__}
    modules = [vars(module) for key, module in list(sys.modules.items()) if key.startswith("polhode.")]
    return any(
        _PLAIN[kind][1](value)
        if kind in _PLAIN
        else kind in bases or not any(isinstance(module.get(kind), type) for module in modules)
        for kind in kinds
    )


def _wrong_kind(function: Callable[..., Any], name: str, value: object, kinds: tuple[str, ...]) -> ModelError:
    words = dict.fromkeys(
        _PLAIN[kind][0] if kind in _PLAIN else f"a{'n' * (kind[0] in 'AEIOU')} {kind}" for kind in kinds
    )
    return wrong_kind(" or ".join(words), value, f"{_name(function)} {name}")


def _name(function: Callable[..., Any], arguments: tuple[Any, ...] = ()) -> str:
    """What a call is called: a class for its constructor, that of the object where this is known."""
    owner, _, name = function.__qualname__.rpartition(".")
    return (type(arguments[0]).__name__ if arguments else owner) if name in _SPECIAL else function.__name__


def _options(parameters: Iterable[Parameter]) -> tuple[str, ...]:
    return tuple(p.name for p in parameters if p.kind in (0, 1, 3) and p.name not in _OWNERS)


class OptionSignature(Signature):
    """A signature whose `**options` are written out, each with its kind and default; looked up when they are read."""

    __slots__ = ("_kept", "own", "paths")

    def __init__(self, own: Signature, paths: tuple[str, ...]) -> None:
        super().__init__(return_annotation=own.return_annotation)
        self.own, self.paths = own, paths
        self._kept: Mapping[str, Parameter] = {}

    @property
    def parameters(self) -> Any:
        if not self._kept:
            first = {name: p for name, p in self.own.parameters.items() if p.kind is not p.VAR_KEYWORD}
            self._kept = first | {name: p for name, p in _options_at(self.paths).items() if name not in first}
        return self._kept

    def replace(self, **changes: Any) -> Any:
        return Signature(list(self.parameters.values()), return_annotation=self.return_annotation).replace(**changes)


def _options_at(paths: tuple[str, ...]) -> dict[str, Parameter]:
    """Options by name: keywords of functions, fields of elements, and the keys of a TypedDict, to which those found
    before are restricted; with other defaults, where a path leads to a mapping of them."""
    options: dict[str, Parameter] = {}
    for path in paths:
        module, _, name = path.partition(":")
        target: Any = import_module(f"polhode.{module}")
        for part in name.split("."):
            target = getattr(target, part)
        if hasattr(target, "__total__") and not options:
            options = {name: _option(name, None, kind.__forward_arg__) for name, kind in target.__annotations__.items()}
        elif hasattr(target, "__total__"):
            options = {name: option for name, option in options.items() if name in target.__annotations__}
        elif isinstance(target, Mapping) and all(hasattr(kind, "fields") for kind in target.values()):
            for f in (field for kind in target.values() for field in kind.fields):
                is_same = f.name not in options or options[f.name].default == f.default
                options[f.name] = _option(f.name, f.default if is_same else _BY_TYPE, f.kind)
        elif isinstance(target, Mapping):
            options |= {name: options[name].replace(default=value) for name, value in target.items()}
        elif hasattr(target, "fields"):
            options |= {field.name: _option(field.name, field.default, field.kind) for field in target.fields}
        else:
            listed = signature(target).parameters.values()
            options |= {p.name: p for p in listed if p.kind is p.KEYWORD_ONLY}
    return options


def _option(name: str, default: object, kind: str) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


public_functions = partial(public, has_fast_ones=True)


def _show_options(function: Any) -> None:
    """Write out the options that a function takes by a TypedDict, and leave out those that it takes to refuse them."""
    if function.__code__.co_flags & CO_VARKEYWORDS:
        for text in map(str, function.__annotations__.values()):
            if text.startswith("Unpack[") or text == "Never":
                function.__signature__ = OptionSignature(signature(function), OPTIONS.get(text[7:-1], ()))
