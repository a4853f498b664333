"""The steps of a build: stage the documents, run the examples, write the pages, look at every link."""

from __future__ import annotations

import os
from pathlib import Path

from docs.website import examples, links, reference, staging

ROOT = Path(__file__).parents[2]


def build(out: Path, work: Path, jobs: int = 2) -> list[str]:
    """Write the site; returns what is wrong with it, a sentence each."""
    work = work.resolve()
    source, shown = work / "source", work / "examples"
    staging.stage_documents(source)
    reference.write(source / "api")
    print("examples", flush=True)
    faults = examples.run_all(shown, jobs)
    if faults:
        return faults
    staging.stage_examples(shown, work)
    print("pages", flush=True)
    if sphinx(source, out, work, jobs):
        return ["Sphinx found faults; they are told above."]
    return links.faults_of(out)


def sphinx(source: Path, out: Path, work: Path, jobs: int) -> int:
    """Sphinx's own exit code; every warning is an error."""
    from sphinx.cmd.build import build_main

    os.environ["POLHODE_SITE"] = str(work)
    options = ["-q", "-W", "--keep-going", "-b", "html", "-j", str(jobs), "-d", str(work / "doctrees")]
    return int(build_main([*options, "-c", str(Path(__file__).parent), str(source), str(out)]))
