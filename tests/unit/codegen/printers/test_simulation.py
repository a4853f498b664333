"""The text file of a simulation program, in every language: what is wrong is one sentence with file and line."""

import pytest
from tests.built_program import BAD, Built, ball_in_a_socket, built, check_refused, compiler_of, with_run


@pytest.fixture(scope="module", params=["c", "fortran"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    if not compiler_of(request.param):
        pytest.skip("there is no compiler here")
    return built(ball_in_a_socket(), request.param, tmp_path_factory.mktemp("ball"))


@pytest.mark.parametrize("case", BAD)
def test_a_bad_text_file_is_refused_in_one_sentence(case: str, program: Built) -> None:
    check_refused(program, case)


@pytest.mark.parametrize("text", ["a" * 1001, "m = 2\0 0"])
def test_a_line_that_cannot_be_read_whole_is_refused(text: str, program: Built) -> None:
    done = program.run(program.text.replace("m = 2.0", text, 1))
    assert done.returncode == 1 and done.stderr.startswith("values.txt:10: the line ")


def test_files_that_do_not_exist_and_unwritable_tables_are_named(program: Built) -> None:
    (program.folder / f"{program.name}.txt").rename(program.folder / "kept")
    done = program.run()
    (program.folder / "kept").rename(program.folder / f"{program.name}.txt")
    assert done.returncode == 1 and done.stderr.startswith(f"{program.name}.txt: the file cannot be opened")
    done = program.run(None, "no folder/table.csv")
    assert done.returncode == 1 and done.stderr.startswith("no folder/table.csv: the file cannot be written")


def test_line_ends_do_not_matter_and_quaternions_are_scaled(program: Built) -> None:
    text = with_run(program.text, 0.1, 0.01, 5)
    plain = program.run(text).stdout
    other = "\xef\xbb\xbf" + text.replace("m = 2.0 ", "\t m=2.0").replace("\n", "\r\n").rstrip()
    assert plain.count("\n") == 4 and program.run(other).stdout == plain
    done = program.run(with_run(program.text, 0.0, 0.01, 5).replace("e0 = 1.0", "e0 = 2.0"))
    assert done.returncode == 0 and "note: the quaternion that begins here has length 2" in done.stderr
    assert float(done.stdout.split("\n")[1].split(",")[1]) == 1.0
