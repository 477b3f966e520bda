"""The command line as a shell sees it: streams, exit codes, messages, interruption."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from ramify.cli import app


def run(*arguments, stdin=""):
    command = [sys.executable, "-m", "ramify", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=120)


WORD = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
BROKEN = WORD.replace("\t0\t", "\t7\t")


@pytest.fixture
def english(samples):
    return samples / "treebanks" / "en_ewt-sample.conllu"


@pytest.fixture
def danish(samples):
    return samples / "treebanks" / "da_cdt-sample.conll"


def test_version_says_how_it_was_built():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("ramify ")
    assert "compiler" in done.stdout


def test_every_command_teaches_by_example():
    for command in app.registered_commands:
        done = run(command.callback.__name__, "--help")
        assert done.returncode == 0
        assert f"ramify {command.callback.__name__} " in done.stdout.split("Usage:")[1].partition("\n")[2]


def test_usage_errors_are_status_2():
    for arguments in (["no-such-command"], ["convert"], ["convert", "a", "b", "c"], ["info", "--no-such-option"]):
        done = run(*arguments)
        assert done.returncode == 2, arguments
        assert done.stdout == ""
        assert "Usage" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "no-such-file.conllu"], "no-such-file.conllu: No such file or directory"),
        (["convert", "-"], "<stdin>:1: HEAD: expected"),
        (
            ["convert", "-", "no/such/folder/a.conllu", "--lenient"],
            "no/such/folder/a.conllu: No such file or directory",
        ),
        (["info", "."], "Is a directory"),
        (["evaluate", "no-such-file.conllu", "-"], "no-such-file.conllu"),
    ],
)
def test_user_errors_are_one_line_and_status_1(arguments, message):
    done = run(*arguments, stdin=BROKEN)
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("ramify: ")


def test_convert_round_trip_through_pipes(english):
    done = run("convert", "-", "-", stdin=english.read_text())
    assert done.returncode == 0
    assert done.stdout == english.read_text()
    assert done.stderr == ""


def test_convert_says_what_is_lost(english, tmp_path):
    done = run("convert", english, tmp_path / "a.conllx.gz")
    assert done.returncode == 0
    assert done.stdout == ""
    for what in ("comments", "multiword tokens", "empty nodes", "values of DEPS", "values of MISC"):
        assert what in done.stderr


def test_convert_with_several_roots(danish, tmp_path):
    path = tmp_path / "a.conllu"
    assert run("convert", danish, path).returncode == 0
    assert "one root" in run("convert", path, "-").stderr
    assert run("convert", path, "-", "--multiple-roots").returncode == 0


def test_lenient_reports_on_standard_error():
    done = run("convert", "-", "--lenient", stdin=BROKEN)
    assert done.returncode == 0
    assert done.stdout == WORD.replace("\t0\t", "\t_\t")
    assert "head removed" in done.stderr


def test_info_table_and_json_agree(danish):
    table = run("info", danish).stdout
    values = json.loads(run("info", danish, "--json").stdout)
    assert values["sentences"] == 17
    assert values["words"] == 313
    assert values["roots"]["2"] == 2
    assert values["nonprojective_sentences"] == 4
    assert f"{values['words']}" in table
    assert "non-projective sentences" in table


def test_info_lists_problems(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(BROKEN * 12)
    done = run("info", path)
    assert done.returncode == 0
    assert done.stderr.count("head removed") == 10
    assert "2 more problems; --json lists all" in done.stderr
    assert len(json.loads(run("info", path, "--json").stdout)["problems"]) == 12


def test_info_of_several_files(english, danish):
    both = json.loads(run("info", english, danish, "--json").stdout)
    assert [entry["file"] for entry in both] == [str(english), str(danish)]


def test_info_of_what_is_no_treebank(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text("Once upon a time there was a parser.\n\nIt was fast.\n")
    done = run("info", path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"{path}: expected a treebank in CoNLL-U or CoNLL-X, or a model; found no sentence (line 1: " in done.stderr
    assert "1 column (are they separated by spaces?) in 'Once upon a time there was a parser.'" in done.stderr
    assert "found an empty file" in run("info", "-").stderr


def test_a_closed_pipe_is_no_traceback(english, tmp_path):
    big = tmp_path / "big.conllu"
    big.write_text(english.read_text() * 100)
    done = subprocess.run(
        f'"{sys.executable}" -m ramify convert "{big}" - | head -n 1',
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("#")
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_interruption_leaves_no_half_written_file(tmp_path):
    target = tmp_path / "out.conllu"
    process = subprocess.Popen(
        [sys.executable, "-m", "ramify", "convert", "-", str(target)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Where the tests run in the background, they were told to ignore the signal, and so would the command be.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    process.stdin.write(WORD.encode() * 3000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()):  # the temporary file is there: it is writing
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130  # 128 + SIGINT, as shells have it
    assert b"Traceback" not in stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["numpy", "typer"])
def test_signals_while_commands_are_loaded(tmp_path, module, number):
    check_signal_at_import(module, number, tmp_path)


@pytest.mark.parametrize("module", ["ramify.tagging", "ramify.parsing"])
def test_interruption_while_options_are_read(tmp_path, module):
    check_signal_at_import(module, signal.SIGINT, tmp_path)


def check_signal_at_import(module, number, tmp_path):
    """Check the one line that a command says when the signal comes at the moment when the module is imported."""
    code = f"""
import signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal({int(number)})
sys.meta_path.insert(0, Interrupting())
sys.argv = ["ramify", "train", "--task", "pipeline", "--treebank", "x", "--output", {str(tmp_path / "model")!r}]
from ramify.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 128 + number
    assert done.stderr.count("run the same command again") + done.stderr.count("again with the same command") == 1
    assert len(done.stderr.splitlines()) == 1
