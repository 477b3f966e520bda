"""The command `ramify annotate`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest


def start(*arguments):
    command = [sys.executable, "-m", "ramify", "annotate", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"RAMIFY_TOKEN": ""})


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_text_is_parsed_and_served(tmp_path):
    text = tmp_path / "some.txt"
    text.write_text("Stars fell. It was late.")
    process = start(text, "--no-browser")
    try:
        line = process.stderr.readline()
        assert re.search(r"some\.conllu at http://127\.0\.0\.1:\d+/", line.replace("\n", " ")), line
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    treebank = (tmp_path / "some.conllu").read_text()
    assert treebank.count("\troot\t") == 2
    again = start(text, "--no-browser")
    assert "exists already; annotate that file" in again.communicate(timeout=60)[1].replace("\n", " ")
    assert again.returncode == 2


def test_a_file_that_is_not_there(tmp_path):
    process = start(tmp_path / "nothing.conllu", "--no-browser")
    assert "nothing.conllu" in process.communicate(timeout=60)[1]
    assert process.returncode == 1
