"""How fast polhode is beside its peers, on the same models and by turns: `python -m bench [part …] [--quick]`.

A part is one file of `bench/parts`, found by its name; nothing else has to be changed to add one. It has

    a docstring     the text of its section in docs/benchmarks.md
    PEERS           a tuple of distributions whose versions its figures depend on
    PROGRAMS        optional: names of `bench.digests.systems` whose programs are what it measures of polhode; without
                    it, all of polhode's source is
    rows(quick, say)    a function that measures and returns or yields rows, by `timing`, `beside`, `alone` or `count`
                        of `bench.harness`; `say` prints progress, `quick` is for fewer passes and smaller models

The constants are literals, which are read without running the file. A peer is a file of `bench/peers`; mechanisms are
in `bench/mechanisms.py`. Each part runs in a process of its own. Its section states date, commit, processor, load and
versions; it is measured again when its keys change (programs or source, the part, versions of peers, machine), and a
part that fails keeps its old section, marked as stale.
"""
