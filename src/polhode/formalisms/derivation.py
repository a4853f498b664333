"""A derivation: a model and how its equations of motion are derived, when first needed.

Nothing heavy is imported when this is loaded: functions that are in the store need neither the model nor its equations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, wraps
from inspect import CO_VARKEYWORDS
from threading import RLock
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..dynamics.synopsis import Synopsis
from ..errors import PolhodeError, check_kind, understood
from ..files.version import key_of, version_digest
from ..formats.model_file import ModelFile
from .registry import formalism_of

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr
    from ..model import Model

#: One thread at a time derives, so that all see one record.
_DERIVING = RLock()


@dataclass(frozen=True, eq=False, repr=False)
class Derivation:
    """A model, or the file that it is read from when needed, and the options of `derive`; it pickles."""

    source: Model | ModelFile
    formalism: str = "auto"
    passes: tuple[str, ...] | None = None
    constraints: str = "multipliers"
    independent: tuple[str, ...] | None = None
    near: Mapping[str, float] | str | None = None
    rows: tuple[int, ...] | None = None  # of the constraints, where some are left out
    pseudo: tuple[tuple[str, Any], ...] | None = None  # pseudo-velocities by name
    speeds: str | None = None  # a choice of speeds that the formalism brings
    tree: tuple[str, ...] | None = None  # edges of a formulation tree
    small: tuple[str, ...] | None = None  # names of what is small; None for the joints that the model says are
    omit: tuple[str, ...] = ()  # names of coordinates that are left out
    lagrangian: Any = None  # the terms of speeds of a Lagrangian, in the symbols of the model, instead of its bodies

    @classmethod
    def of(
        cls,
        source: Model | ModelFile,
        formalism: str = "auto",
        passes: Iterable[str] | None = None,
        constraints: str = "multipliers",
        independent: Sequence[str] | None = None,
        near: Mapping[str, float] | str | None = None,
        pseudo: Mapping[str, Any] | None = None,
        *,
        speeds: str | None = None,
        tree: Iterable[str] | None = None,
        small: Iterable[Any] | None = None,
        omit: Iterable[Any] | None = None,
    ) -> Derivation:
        """A derivation with the options as a user gives them; see `deriving.derive`."""
        if all(option is None for option in (passes, independent, near, pseudo, tree, small, omit)):
            return cls(source, formalism, constraints=constraints, speeds=speeds)
        from ..model.reading import list_of, names_in, numbers_by_name

        return cls(
            source,
            formalism,
            None if passes is None else tuple(list_of(passes, "a list of passes", "derive passes")),
            constraints if independent is None else "embedded",
            None if independent is None else tuple(list_of(independent, "a list of speeds", "derive independent")),
            near if near is None or isinstance(near, str) else numbers_by_name(near, "derive near"),
            pseudo=_read_pseudo(source, pseudo, independent),
            speeds=speeds,
            tree=None if tree is None else tuple(list_of(tree, "a list of edges", "derive tree")),
            small=None if small is None else names_in(small, "derive small"),
            omit=() if omit is None else names_in(omit, "derive omit"),
        )

    def __repr__(self) -> str:
        return f"Derivation({self.source!r} by {self.formalism})"

    @cached_property
    def model(self) -> Model:
        """The model."""
        return self.source.read() if isinstance(self.source, ModelFile) else self.source

    @cached_property
    def equations(self) -> EquationsOfMotion:
        """The equations of motion."""
        from .deriving import derive, reduced
        from .lagrange import lagrange

        with _DERIVING:
            if "equations" in vars(self):
                return self.equations
            pseudo = None if self.pseudo is None else dict(self.pseudo)
            if self.lagrangian is not None:
                vars(self)["equations"] = lagrange(self.model, self.lagrangian).derived_by(self)
                return self.equations
            equations = derive(
                self.model, self.formalism, self.passes, self.constraints, self.independent, self.near, pseudo,
                speeds=self.speeds, formulation_tree=self.tree,
            )  # fmt: skip
            equations = reduced(equations, self._small, self.omit)
            equations = equations if self.rows is None else equations.keeping(self.rows)
            vars(self)["equations"] = equations
            return equations.derived_by(self)

    @property
    def _small(self) -> tuple[str, ...]:
        """Names of the small variables, as given or by the model."""
        marked = (name for name, joint in self.model.joints.items() if joint.small)
        return tuple(marked) if self.small is None else self.small

    @cached_property
    def synopsis(self) -> Synopsis:
        """The equations in brief: as stored where they were derived from this file before, else of the derived ones."""
        stored = self.source.derivations.get(self.key) if isinstance(self.source, ModelFile) else None
        return stored or Synopsis.of(self.equations)

    @cached_property
    def key(self) -> str:
        """Digest of all that the equations follow from, the key of stored results."""
        pose: Any = self.near
        if isinstance(pose, str):
            pose = self.model.poses[pose].coordinates
        pose = pose if pose is None else sorted(pose.items())
        method = formalism_of(self.formalism).digest
        options = (self.formalism, method, self.passes, self.constraints, self.independent, pose, self.rows)
        chosen = {"speeds": self.speeds, "tree": self.tree, "small": self.small, "omit": self.omit or None}
        more = [f"{name} {value!r}" for name, value in chosen.items() if value is not None]
        return key_of(version_digest("equations"), self.source.digest, *map(repr, options), *self._pseudo_digest, *more)

    @property
    def _pseudo_digest(self) -> tuple[str, ...]:
        """The names of pseudo-velocities and the digest of their expressions or of a Lagrangian; "" without them."""
        if self.lagrangian is None and self.pseudo is None:
            return ()
        from ..model.digest import digest_of

        if self.lagrangian is not None:
            return "lagrangian", digest_of([self.lagrangian])
        pseudo = self.pseudo or ()
        return (*(name for name, _ in pseudo), digest_of([value for _, value in pseudo]))

    @property
    def is_known(self) -> bool:
        """Whether equations were derived from this file, by these options, before."""
        return isinstance(self.source, ModelFile) and self.key in self.source.derivations

    def keeping(self, rows: Sequence[int]) -> Derivation:
        """The same with some rows of the constraints alone."""
        derivation = replace(self, rows=tuple(rows))
        vars(derivation)["equations"] = self.equations.keeping(rows).derived_by(derivation)
        vars(derivation)["synopsis"] = self.synopsis
        return derivation

    def extended(self, model: Model) -> Derivation:
        """The same for a model with more first-order states or parameters, without a new derivation."""
        from ..dynamics.equations import extended

        derivation = replace(self, source=model)
        vars(derivation)["equations"] = extended(self.equations, model).derived_by(derivation)
        return derivation

    def __reduce__(self) -> tuple[Any, ...]:
        return Derivation, tuple(getattr(self, field.name) for field in fields(self))


def _reading(method: FunctionType, position: int) -> Callable[..., Any]:
    """A method whose `parameters`, by name or position, are converted to SI units before the call."""

    @wraps(method)
    def read(self: Any, *arguments: Any, **options: Any) -> Any:
        if options.get("parameters"):
            options["parameters"] = _in_si(self, options["parameters"])
        elif position < len(arguments):
            arguments = (*arguments[:position], _in_si(self, arguments[position]), *arguments[position + 1 :])
        return method(self, *arguments, **options)

    return read


def _in_si(equations: Derived, value: Any) -> Any:
    from ..model.unit import si_values

    return si_values(equations.derivation.model.parameters, value)


@dataclass(frozen=True, repr=False)
class Derived:
    """Derivation and record; `parameters` of its methods are read in SI units."""

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            if isinstance(method, FunctionType) and not name.startswith("_"):
                code = method.__code__
                taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                if "parameters" in taken or code.co_flags & CO_VARKEYWORDS:
                    setattr(cls, name, _reading(method, (*taken, "parameters").index("parameters") - 1))

    derivation: Derivation

    @property
    def record(self) -> EquationsOfMotion:
        """The equations as the formalism gave them: graphs only."""
        return self.derivation.equations


def derivation_of(record: EquationsOfMotion) -> Derivation:
    """The derivation whose equations these are."""
    derivation = vars(record).get("_derivation")
    if not isinstance(derivation, Derivation):
        message = f"equations that were made of others of '{record.system.name}' cannot be assembled or compiled."
        raise PolhodeError(message, cure="Give what system.derive() returns.", code="E-DERIVE-UNSUPPORTED")
    return derivation


def record_of(equations: Any, place: str) -> EquationsOfMotion:
    """The record of equations that `derive` returned; a record is returned as it is."""
    from ..dynamics.equations import EquationsOfMotion

    record = equations.record if isinstance(equations, Derived) else equations
    check_kind(EquationsOfMotion, "a set of equations", record, place, "Give what system.derive() returns.")
    return record


def _read_pseudo(
    source: Model | ModelFile, pseudo: Mapping[str, Any] | None, independent: object = None
) -> tuple[tuple[str, Expr], ...] | None:
    """Names and expressions of pseudo-velocities, in the order given; an expression may be text, as in a model file."""
    if pseudo is None:
        return None
    place = "derive pseudo"
    if independent is not None:
        message = "independent speeds and pseudo-velocities are two choices of one thing."
        raise PolhodeError(message, place, "Give one of them; a speed can be a pseudo-velocity.", "E-DERIVE-TWICE")
    from ..expr import as_expr
    from ..formats.names import quoted
    from ..formats.texts import expression_of

    cure = 'Give a mapping from names to expressions, for example {"v": cos(q)*u_x + sin(q)*u_y}.'
    with understood("a mapping from names to expressions", pseudo, place=place, cure=cure):
        if not isinstance(pseudo, Mapping):
            raise TypeError
        pairs = list(pseudo.items())
    model = source.read() if isinstance(source, ModelFile) else source
    speeds = {spelling: u for joint in model.joints.values() for u in joint.u for spelling in (u.name, quoted(u.name))}
    values = []
    for name, value in pairs:
        with understood("an expression of the speeds", value, place=f"{place} '{name}'"):
            # a coordinate, often of the same name, would be no speed
            if isinstance(value, str) and value.strip() in speeds:
                read = speeds[value.strip()]
            else:
                read = expression_of(value, model) if isinstance(value, str) else as_expr(value)
        values.append((name, read))
    return tuple(values)
