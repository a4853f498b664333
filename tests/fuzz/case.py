"""A case of a fuzzer: a short Python script that anybody can run again, and what may come out of it."""

import math
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import CodeType

from tests.fuzz.watch import TookTooLong, within

import polhode as ph


@dataclass(frozen=True)
class Case:
    """Statements, each of which may raise a PolhodeError and nothing else, and the files that they read.

    A file is called `folder / name` in the statements.
    """

    statements: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)

    def script(self) -> str:
        """The case as a script of its own."""
        lines = ["import math", "from fractions import Fraction", "from pathlib import Path", "import numpy as np"]
        lines += ["import polhode as ph", "folder = Path('.')"]
        for name, content in self.files.items():
            lines.append(f"(folder / {name!r}).parent.mkdir(parents=True, exist_ok=True)")
            lines.append(f"(folder / {name!r}).write_bytes({content!r})")
        for statement in self.statements:
            lines += ["try:", f"    {statement}", "except ph.PolhodeError as error:", "    print(error)"]
        return "\n".join(lines)


#: A kind of case, by its name on the command line: from a source of randomness to a case.
Maker = Callable[[Random], Case]


def failure(case: Case, seconds: float) -> str:
    """What went wrong, or nothing: an exception that is no PolhodeError, a warning of NumPy's, a hang."""
    import numpy as np

    with TemporaryDirectory(prefix="fuzz-") as folder, chdir(folder):  # what is written goes there
        for name, content in case.files.items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_bytes(content)
        scope = {"ph": ph, "np": np, "math": math, "Fraction": Fraction, "folder": Path(folder)}
        for statement in case.statements:
            wrong = _wrong(_code(statement), scope, seconds)
            if wrong:
                return f"{statement}\n{wrong}"
    return ""


def _code(statement: str) -> CodeType:
    return compile(statement, "<case>", "exec")


def _wrong(code: CodeType, scope: dict[str, object], seconds: float) -> str:
    try:
        with within(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            exec(code, scope)
    except ph.PolhodeError as error:
        return _speechless(error)
    except (NameError, AttributeError) as error:
        # A statement before this one was refused, and what it would have made is missing.
        return "" if error.__traceback__ is not None and error.__traceback__.tb_next.tb_next is None else _told(error)
    except (Exception, TookTooLong) as error:
        return _told(error)
    return ""


def _speechless(error: ph.PolhodeError) -> str:
    """A refusal says something in each of its problems."""
    return "" if all(problem.message.strip() for problem in error.problems) else f"a refusal without words: {error!r}"


def _told(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)[-12:])
