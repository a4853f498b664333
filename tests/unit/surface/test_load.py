"""A start from the cache gives what a start from the file gives, and gives it only for that very file."""

import json
import os
import pickle
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.compiled.functions import Functions
from polhode.files.cache import default_cache
from polhode.formats.findings import ReaderWarning

Q, U, TAU = np.array([0.3, -0.2]), np.array([1.0, 0.5]), np.array([0.1, 0.2])

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.5"/><mass value="{mass}"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.1 0 0.3"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/>
    <axis xyz="1 0 0"/></joint>
</robot>"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A robot file, and a cache that knows nothing."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(mass=2))
    return path


def functions(file: Path, **options: object) -> Functions:
    return ph.load(file, **options).derive().compile()


def accelerations(file: Path, **options: object) -> np.ndarray:
    return functions(file, **options).forward_dynamics(Q, U, TAU)


@pytest.fixture
def known(file: Path) -> Path:
    """The same with forward dynamics compiled before."""
    accelerations(file)
    return file


@pytest.fixture
def unread(known: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A known file that nobody may read."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the file was read")

    monkeypatch.setattr("polhode.formats.load", refuse)
    return known


def test_a_known_file_gives_the_same_bits_without_being_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = accelerations(file)
    monkeypatch.setattr("polhode.formats.load", lambda *_, **__: pytest.fail("the file was read"))
    np.testing.assert_array_equal(accelerations(file), first)


def test_the_numbers_are_those_of_a_derivation_without_any_cache(known: Path) -> None:
    fresh = ph.formats.load(known).derive().compile(cache=False)
    np.testing.assert_array_equal(accelerations(known), fresh.forward_dynamics(Q, U, TAU))


def test_efforts_may_be_left_out_of_a_known_function(unread: Path) -> None:
    f = functions(unread)
    np.testing.assert_array_equal(f.forward_dynamics(Q, U), f.forward_dynamics(Q, U, [0, 0]))


def test_a_fresh_process_loads_neither_expressions_nor_a_compiler(known: Path) -> None:
    script = (
        "import sys, json, polhode as ph\n"
        "a = ph.load(sys.argv[1]).derive().compile().forward_dynamics([0.3, -0.2], [1.0, 0.5], [0.1, 0.2])\n"
        "print(json.dumps([a.tolist(), sorted(sys.modules)]))"
    )
    run = subprocess.run([sys.executable, "-c", script, str(known)], capture_output=True, text=True, check=True)
    found, modules = json.loads(run.stdout)
    np.testing.assert_array_equal(found, accelerations(known))
    assert not {"polhode.expr.node", "polhode.model.model", "polhode.formats.urdf", "polhode.codegen.plan"} & set(
        modules
    )
    if sys.platform == "linux" and os.uname().machine == "x86_64":
        assert "llvmlite" not in modules


def test_a_run_in_a_fresh_process_loads_little(known: Path) -> None:
    script = (
        "import sys, json, polhode as ph\n"
        "run = ph.load(sys.argv[1]).derive().simulate(0.01, progress=False)\n"
        "print(json.dumps([run.x.tolist(), sorted(sys.modules)]))"
    )
    run = ph.load(known).derive().simulate(0.01)
    for _ in range(2):  # the first may find the integrator's code not stored yet: this process has it in memory
        process = subprocess.run([sys.executable, "-c", script, str(known)], capture_output=True, text=True, check=True)
    found, modules = json.loads(process.stdout)
    np.testing.assert_array_equal(found, run.x)
    own = [name for name in modules if name.startswith("polhode.")]
    heavy = (
        "polhode.expr.n", "polhode.model.m", "polhode.model.joints", "polhode.formats.urdf", "polhode.geometry",
        "polhode.kinematics", "polhode.constraints", "polhode.dynamics.equations", "polhode.formalisms.deriving",
        "polhode.codegen.plan", "polhode.codegen.passes", "polhode.ode.loop", "polhode.ode.methods.e",
        "polhode.simulate.batch.batch", "polhode.simulate.constraints", "polhode.simulate.discontinuities", "scipy",
        "sympy", "numpy.ma.",
    )  # fmt: skip
    assert not [name for name in modules if name.startswith(heavy)]
    assert len(own) <= 106, "each module is a wait before the first run"
    if sys.platform == "linux" and os.uname().machine == "x86_64":
        assert "llvmlite" not in modules


@pytest.mark.parametrize("options", [
    {"start": {"elbow": 0.4}, "speeds": {"shoulder": 1.0}},
    {"start": ([0.1, 0.2], [0.3, 0.4]), "tau": [1.0, -1.0], "rtol": 1e-10}, {"tau": {"elbow": "sin(10*t)"}},
    {"method": "rk4", "step": 0.001}, {"method": "Radau"}, {"tau": lambda t, q, u: -u},
], ids=["start", "efforts", "law", "fixed steps", "implicit", "controller"])  # fmt: skip
def test_a_run_of_a_known_file_is_that_of_the_file(known: Path, options: dict[str, object]) -> None:
    again = ph.load(known).derive()
    assert again.derivation.is_known
    run, fresh = again.simulate(0.05, **options), ph.formats.load(known).derive().simulate(0.05, **options)
    np.testing.assert_array_equal(run.x, fresh.x)
    assert (run.coordinates, run.speeds, run.efforts) == (fresh.coordinates, fresh.speeds, fresh.efforts)
    np.testing.assert_array_equal(run.tau, fresh.tau)


def test_names_of_known_equations_need_no_file(unread: Path) -> None:
    equations = ph.load(unread).derive()
    assert (equations.coordinates, equations.speeds, equations.states) == (
        ["shoulder", "elbow"],
        ["shoulder", "elbow"],
        [],
    )
    assert repr(equations) == "Equations('arm' by auto; q: shoulder, elbow; u: shoulder, elbow)"


def test_a_changed_file_is_another_file_and_known_systems_and_equations_are_those_of_the_file(known: Path) -> None:
    before = accelerations(known)
    known.write_text(ARM.format(mass=3))
    after = accelerations(known)
    assert not np.allclose(before, after)
    np.testing.assert_array_equal(
        after, ph.formats.load(known).derive().compile(cache=False).forward_dynamics(Q, U, TAU)
    )
    assert ph.load(known).derive().coordinates == ["shoulder", "elbow"]
    assert len(ph.load(known, base="floating").derive().coordinates) == 9
    assert ph.load(known, locked=("elbow",)).derive().coordinates == ["shoulder"]
    system, read = ph.load(known), ph.formats.load(known)
    assert type(system) is ph.System
    assert system.model().digest == read.model().digest and list(system.bodies) == list(read.bodies)
    equations = ph.load(known).derive()
    assert equations.agrees_with(ph.formats.load(known).derive("poincare"))
    assert isinstance(ph.load(known).derive(), ph.Equations)
    assert ph.load(known).derive() != equations and len({ph.load(known).derive(), equations}) == 2


def test_a_known_system_can_be_changed(known: Path) -> None:
    def stiffened(system: ph.System) -> np.ndarray:
        system.joint_spring("elbow", 7)
        return system.derive().compile().forward_dynamics(Q, U, TAU)

    plain = accelerations(known)
    changed = stiffened(ph.load(known))
    assert not np.allclose(changed, plain)
    np.testing.assert_array_equal(changed, stiffened(ph.formats.load(known)))
    np.testing.assert_array_equal(accelerations(known), plain)


def test_changed_systems_and_later_additions_are_not_known(file: Path, known: Path) -> None:
    system = ph.load(file)
    system.joint_spring("elbow", 7)
    changed = system.derive().compile().forward_dynamics(Q, U, TAU)
    assert not np.allclose(accelerations(file), changed)
    system = ph.load(known)
    equations = system.derive()
    system.joint_spring("elbow", 7)
    assert not equations.system.loads and len(system.loads) == 1
    assert equations.agrees_with(ph.formats.load(known).derive())
    system = ph.load(known)
    known.unlink()
    assert list(system.joints)[-2:] == ["shoulder", "elbow"]


def test_a_file_that_is_gone_or_empty_is_told_as_ever(known: Path) -> None:
    known.write_text("  ")
    refused("E-ROBOT-MISSING", lambda: ph.load(known))
    known.unlink()
    refused("E-ROBOT-READ", lambda: ph.load(known))


def test_wrong_names_are_told_as_ever(known: Path) -> None:
    refused("E-DERIVE-NAME", lambda: ph.load(known).derive("newton"))
    refused("E-CODE-NAME", lambda: functions(known).native("forward_dynamic"))
    refused("E-FILE-NAME", lambda: ph.load(known, bas="fixed"))


def test_another_formalism_or_pass_is_derived_anew_and_then_known(known: Path) -> None:
    def by(formalism: str, **more: object) -> ph.Equations:
        return ph.load(known).derive(formalism, **more)

    for formalism in ("composite_body", "poincare"):
        first = by(formalism).compile().forward_dynamics(Q, U, TAU)
        assert by(formalism).derivation.is_known
        np.testing.assert_array_equal(by(formalism).compile().forward_dynamics(Q, U, TAU), first)
    assert by("composite_body", passes=()).passes == ()


def test_equations_by_chosen_passes_are_not_taken_for_the_usual_ones(file: Path) -> None:
    ph.load(file).derive(passes=()).compile().forward_dynamics(Q, U, TAU)
    assert not ph.load(file).derive().derivation.is_known


def test_functions_and_batches_are_made_from_the_file(known: Path) -> None:
    np.testing.assert_array_equal(
        functions(known).mass_matrix(Q), ph.formats.load(known).derive().compile(cache=False).mass_matrix(Q)
    )
    states = np.random.default_rng(1).uniform(-1, 1, (3, 300, 2))
    wanted = ph.formats.load(known).derive().compile(cache=False).forward_dynamics(*states)
    for _ in range(2):  # the second time, the code for many states is known too
        np.testing.assert_array_equal(functions(known).forward_dynamics(*states), wanted)


def test_parameters_of_a_known_function_keep_names_and_values(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"symbolic": ["mass:upper"]}
    plain = accelerations(file)
    np.testing.assert_allclose(accelerations(file, **options), plain, rtol=1e-13)
    f = functions(file, **options)
    (name,) = f.equations.system.parameters
    file.write_text(ARM.format(mass=5))
    heavy = accelerations(file)
    file.write_text(ARM.format(mass=2))
    known = functions(file, **options)
    np.testing.assert_allclose(known.forward_dynamics(Q, U, TAU, parameters={name: 5}), heavy, rtol=1e-13)
    refused("E-VALUE-NAME", lambda: known.forward_dynamics(Q, U, TAU, parameters={"weight": 5}))
    monkeypatch.setattr("polhode.formats.load", lambda *_, **__: pytest.fail("the file was read"))
    np.testing.assert_allclose(accelerations(file, **options), plain, rtol=1e-13)


def test_baked_parameters_are_another_function(file: Path) -> None:
    def compiled(bake: bool) -> Functions:
        return ph.load(file, symbolic=["mass:upper"]).derive().compile(bake=bake)

    for _ in range(2):
        open_, baked = compiled(False), compiled(True)
        np.testing.assert_allclose(open_.forward_dynamics(Q, U), baked.forward_dynamics(Q, U), rtol=1e-13)
        assert len(open_.parameter_values("forward_dynamics")) == 1
        assert len(baked.parameter_values("forward_dynamics")) == 0


def test_without_the_cache_a_known_function_is_made_anew(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, entries = accelerations(known), sorted(default_cache().folder.iterdir())
    monkeypatch.setattr("polhode.compiled.store.StoredFunction.compiled", lambda *_: pytest.fail("looked up"))
    for options in ({"cache": False}, {"backend": "numpy"}):
        found = ph.load(known).derive().compile(**options).forward_dynamics(Q, U, TAU)
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
    assert sorted(default_cache().folder.iterdir()) == entries


def test_machines_and_versions_make_their_own_code(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setattr("polhode.surface.load.version_digest", lambda _: "another")
        assert not ph.load(known).source.known_digest
    wanted, before = accelerations(known), len(list(default_cache().folder.glob("*.bin")))
    monkeypatch.setattr("polhode.native.stored_code.machine", lambda: "another")
    np.testing.assert_array_equal(accelerations(known), wanted)
    assert len(list(default_cache().folder.glob("*.bin"))) == before + 2  # program and code


def test_a_known_function_has_its_program_and_can_be_pickled(known: Path) -> None:
    native = functions(known).native("forward_dynamics")
    assert native.program.outline == native.outline
    again = pickle.loads(pickle.dumps(native))
    np.testing.assert_array_equal(again(Q, U, TAU), native(Q, U, TAU))


def test_threads_that_look_at_once_see_one_system(known: Path) -> None:
    system = ph.load(known)
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.append(system.bodies)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and all(bodies is seen[0] for bodies in seen)


def test_a_folder_that_everybody_may_write_is_not_believed(known: Path) -> None:
    assert ph.load(known).source.known_digest
    default_cache().folder.chmod(0o777)
    assert not ph.load(known).source.known_digest and list(ph.load(known).joints)


def test_to_load_a_file_writes_nothing(file: Path) -> None:
    ph.load(file).derive().forward_dynamics  # noqa: B018 - derived, not compiled
    assert not default_cache().folder.exists()


def doubtful(file: Path, links: int = 1) -> Path:
    """The robot with inertias that no body has."""
    bad = ARM.format(mass=2).replace('izz="0.02"', 'izz="3"', links)
    many = "".join(
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/>'
        f'</inertial></link><joint name="j{k}" type="fixed"><parent link="lower"/><child link="l{k}"/></joint>'
        for k in range(links - 1)
    )
    file.write_text(bad.replace("</robot>", many + "</robot>"))
    return file


def test_what_a_reader_doubts_is_warned_of_at_the_users_line(file: Path) -> None:
    with pytest.warns(ReaderWarning) as told:
        ph.load(doubtful(file))
    assert len(told) == 1 and told[0].filename == __file__
    message = str(told[0].message)
    assert message.startswith("arm.urdf:3: link 'upper' <inertial>: the principal moments 0.1, 0.1, 3 are impossible")
    assert message.endswith("[W-ROBOT-NUMBER]")


def test_doubts_are_warned_of_again_and_in_a_short_list(file: Path) -> None:
    with pytest.warns(ReaderWarning) as first:
        accelerations(doubtful(file))
    with pytest.warns(ReaderWarning) as second:
        ph.load(file)
    assert [str(each.message) for each in first] == [str(each.message) for each in second]
    with pytest.warns(ReaderWarning) as told:
        ph.load_urdf(doubtful(file, 30))
    message = str(told[0].message)
    assert len(told) == 1 and message.count("[W-ROBOT-NUMBER]") == 5 and message.count("\n") == 5
    assert "more: the report of read_urdf" in message
    shape = '<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual></link>'
    file.write_text(ARM.format(mass=2).replace("</inertial></link>", "</inertial>" + shape))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ph.load(file)
