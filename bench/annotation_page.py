"""The annotation page in a browser: how long a decision, the next sentence and the first page take.

usage: python bench/annotation_page.py TREEBANK.conllu [--model MODEL] [--clicks N]

The bars, on an idle machine with two cores: 95 % of decisions are painted in at most 50 ms in sentences of up to 40
words, and in at most 120 ms up to 120 words; the next sentence comes in at most 100 ms; a file of 15,000 sentences is
usable in 2 s.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from ramify.data import read, write


def measured(page, name):
    found = page.evaluate("name => performance.getEntriesByName(name).map(entry => entry.duration)", name)
    page.evaluate("() => performance.clearMeasures()")
    return found


def decide(page, clicks):
    """Give one word after the other its second head, and take that back; return milliseconds."""
    taken = []
    for _ in range(clicks):
        with page.expect_response("**/api/annotate/act"):
            page.keyboard.press("2")
        page.wait_for_timeout(60)
        taken += measured(page, "click to repaint")
        with page.expect_response("**/api/annotate/undo"):
            page.keyboard.press("Control+z")
        page.wait_for_timeout(60)
        page.keyboard.press("Tab")
    return taken


def report(name, times):
    if times:
        middle, late = np.percentile(times, [50, 95])
        print(f"{name:30} {len(times):4} times   p50 {middle:6.1f} ms   p95 {late:6.1f} ms")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("treebank")
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--clicks", type=int, default=4, help="in each of ten sentences")
    options = arguments.parse_args()
    sentences = [sentence for sentence in read(options.treebank, multiple_roots=True) if len(sentence) >= 10]
    short = [sentence for sentence in sentences if 20 <= len(sentence) <= 40][:10]
    long = [sentence for sentence in sentences if 41 <= len(sentence) <= 120][:10]
    file = Path(tempfile.mkdtemp(), "bench.conllu")
    write([*short, *long, *sentences], file)
    command = [sys.executable, "-m", "ramify", "annotate", str(file), "--model", options.model, "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    address = re.search(r"http://[\d.:]+/", process.stderr.readline())[0]
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            begun = time.perf_counter()
            page.goto(address)
            page.wait_for_selector("#tree:focus")
            count = len(short) + len(long) + len(sentences)
            print(f"usable after {time.perf_counter() - begun:.2f} s ({count:,} sentences)")
            groups = {"to repaint, 20 to 40 words": short, "to repaint, 41 to 120 words": long}
            following = []
            for name, group in groups.items():
                times = []
                for _ in group:
                    page.keyboard.press("Tab")
                    times += decide(page, options.clicks)
                    before = time.perf_counter()
                    with page.expect_response("**/api/annotate/view"):
                        page.keyboard.press("PageDown")
                    following.append(1000 * (time.perf_counter() - before))
                report(name, times)
            report("to the next sentence", following)
            chromium.close()
    finally:
        process.terminate()
        process.communicate()


if __name__ == "__main__":
    main()
