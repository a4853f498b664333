"""What was found in a model: problems that stop the reading, warnings and notices that do not."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import FormatError, Problem
from .document import Part


@dataclass
class Findings:
    """Collects what is found; problems are kept until all have been seen."""

    root: Part
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._written: dict[tuple[str, str], Part] = {}
        for part in self.root.walk():
            tag = "joint" if part.tag == "freejoint" else part.tag
            self._written.setdefault((tag, part.attributes.get("name", "")), part)

    def place(self, tag: str, name: str) -> str:
        """`arm.xml:41: joint 'elbow'`; without a line where the element has no name in the file."""
        found = self._written.get((tag, name)) if name else None
        return f"{found.place if found else self.root.file}: {tag} '{name}'" if name else self.root.file

    def problem(self, place: str, message: str, cure: str, code: str) -> None:
        self.problems.append(Problem(message, place, cure, code))

    def warn(self, place: str, message: str, cure: str, code: str) -> None:
        self.warnings.append(Problem(message, place, cure, code))

    def notice(self, place: str, message: str, code: str) -> None:
        self.notices.append(Problem(message, place, "", code))

    def raise_problems(self) -> None:
        """Stop here if anything was wrong, telling all of it at once."""
        if self.problems:
            raise FormatError(problems=self.problems)
