"""Names of columns: a result has columns of several kinds, and two of different kinds may have one name.

A coordinate and its speed are both called `x`, and another coordinate may be called `d(x)`, as the speed of `x` is
spelled. A column has its short spelling where that is unambiguous, else one that states its kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from unicodedata import is_normalized

from ...errors import PolhodeError, suggestion
from ..initial_state import Floats


def check_unambiguous(name: object, names: Collection[str], speeds: Collection[str]) -> None:
    """Raise where a name, as of a coordinate `x'`, is also how the speed of another coordinate is written."""
    other = str(name)[:-1]
    if name == f"{other}'" and name in names and other in names and other in speeds:
        message = f"{name!r} is a name of its own, and how the speed of {other!r} is written."
        cure = f'Say which, of a run: run.column("coordinate", {name!r}) or run.speed({other!r}).'
        raise PolhodeError(message, cure=cure, code="E-TRAJECTORY-TWICE")


def named_value(
    name: str, columns: Mapping[str, Floats], names: tuple[str, ...], kind: str, omitted: Sequence[str] = ()
) -> Floats:
    """The value of a name among those known; `names` are offered where it is not."""
    if name in omitted:
        message = f"the trajectory has no coordinate '{name}': it was omitted from the equations."
        cure = f"Derive without omitting it; its speed is run.speed({name!r}), if it has this name."
        raise PolhodeError(message, cure=cure, code="E-DERIVE-UNSUPPORTED")
    try:
        return columns[name]
    except (KeyError, TypeError):
        cure = suggestion(name, names)
        raise PolhodeError(f"the trajectory has no {kind} {name!r}.", cure=cure, code="E-TRAJECTORY-NAME") from None


#: The kind of the columns of each array of a trajectory, and how one of them is spelled among those of other kinds.
KINDS = {
    "q": ("coordinate", "{}"),
    "u": ("speed", "d({})"),
    "z": ("state", "{}"),
    "inputs": ("input", "input({})"),
    "tau": ("effort", "tau({})"),
}
#: Where a trajectory has the names of those columns.
NAMES = {"q": "coordinates", "u": "speeds", "z": "states", "inputs": "input_names", "tau": "efforts"}
#: Words that NetCDF or Zarr keep for themselves.
_RESERVED = frozenset(
    {"byte", "char", "short", "ushort", "int", "uint", "int64", "uint64", "float", "real", "double", "bool", "string"}
) | {"zarr.json"}


def distinct(names: Iterable[tuple[str, str]], taken: Collection[str] = ()) -> list[str]:
    """The short spelling of each pair if no other name can equal it, else the long one, made unique."""
    pairs = list(names)
    count, used = Counter([*taken, *(name for pair in pairs for name in {*pair})]), {*taken}
    chosen: list[str] = []
    for plain, full in pairs:
        name = plain if count[plain] == 1 else full
        while name in used or (name not in (plain, full) and name in count):
            name += "_"
        used.add(name)
        chosen.append(name)
    return chosen


def check_meant(name: object, names: Collection[str]) -> None:
    """Raise where a name is the short spelling of two columns that are known by their kinds."""
    written = [f"{kind}:{name}" for kind in ("coordinate", "state", "input")]
    written += [f"speed:{str(name)[2:-1]}"] * (f"d({str(name)[2:-1]})" == name) + ["energy:total"] * (name == "energy")
    meant = [repr(spelling) for spelling in written if spelling in names]
    if meant:
        raise PolhodeError(f"{name!r} means {' or '.join(meant)}.", cure="Say which.", code="E-TRAJECTORY-TWICE")


def variable_names(columns: Iterable[tuple[str, str, str]], taken: Collection[str]) -> tuple[list[str], dict[str, str]]:
    """Names of the variables of columns (kind, name, spelling), and titles of those that are not called as spelled."""
    listed, number, pairs = list(columns), Counter[str](), []
    for kind, _, spelling in listed:
        full = f"{kind}_{number[kind]}"
        number[kind] += 1
        pairs.append((spelling if _is_storable(spelling) else full, full))
    chosen = distinct(pairs, taken)
    titles = {
        variable: f"{kind} {name if name.isprintable() else ascii(name)}"
        for variable, (kind, name, spelling) in zip(chosen, listed, strict=True)
        if variable != spelling
    }
    return chosen, titles


def _is_storable(name: str) -> bool:
    plain = name.isprintable() and name[:1].isalnum() and name.strip() == name and not {"/", "\\"} & {*name}
    return plain and len(name.encode()) <= 200 and is_normalized("NFC", name) and name not in _RESERVED
