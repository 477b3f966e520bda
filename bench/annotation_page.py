"""The annotation page in a browser: how long a decision, the next sentence and the first page take.

usage: python bench/annotation_page.py TREEBANK.conllu [--model MODEL] [--clicks N] [--size N]

The bars, on an idle machine with two cores: 95 % of decisions are painted in at most 50 ms in sentences of up to 40
words, and in at most 120 ms up to 120 words; the next sentence comes in at most 100 ms; a file of 15,000 sentences is
usable in 2 s. The second head in the list has been prepared when its key comes, the third one has not. Times in the
browser include everything from the key to the painted tree. The processor time of the server does not depend so much on
what else the machine does.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
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

IDLE = "body[data-busy='0']"  # the page has no answer to wait for


@contextlib.contextmanager
def annotating(sentences, model, browser):
    """Open the page of a file with these sentences; give the page, the server's process, and seconds until usable."""
    folder = tempfile.mkdtemp()
    file = Path(folder, "bench.conllu")
    write(sentences, file)
    command = [sys.executable, "-m", "ramify", "annotate", str(file), "--model", model, "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://[\d.:]+/", process.stderr.readline())[0]
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        begun = time.perf_counter()
        page.goto(address)
        page.wait_for_selector("#tree:focus")
        yield page, process.pid, time.perf_counter() - begun
        page.close()
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(folder)


def processor_ms(pid):
    """Return the processor time of all threads of a process, in milliseconds."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def measured(page, name):
    page.wait_for_function("name => performance.getEntriesByName(name).length", arg=name)
    found = page.evaluate("name => performance.getEntriesByName(name).map(entry => entry.duration)", name)
    page.evaluate("() => performance.clearMeasures()")
    return found


def decide(page, pid, clicks, key):
    """Give words the head of a rank, and take that back; return milliseconds, and processor time of the server."""
    painted, worked = [], []
    doubtful = [int(word.get_attribute("data-target")) for word in page.locator(".word.doubtful").all()]
    for word in doubtful[:clicks]:
        page.keyboard.press("Home")
        for _ in range(word - 1):
            page.keyboard.press("ArrowRight")
        page.wait_for_selector(".heads[aria-busy=false]")  # the prices are there
        if page.locator(".heads tbody tr").count() < int(key):
            continue
        page.wait_for_timeout(400)  # the page prepares the likeliest other head, as it does for an annotator who thinks
        before = processor_ms(pid)
        with page.expect_response("**/api/annotate/act"):
            page.keyboard.press(key)
        page.wait_for_selector(IDLE)
        if page.locator("[role=dialog]").count():  # no tree has this arc
            page.keyboard.press("Escape")
            continue
        painted += measured(page, "click to repaint")
        worked.append(processor_ms(pid) - before)
        page.wait_for_timeout(60)
        with page.expect_response("**/api/annotate/undo"):
            page.keyboard.press("Control+z")
        page.wait_for_selector(IDLE)
    return painted, worked


def report(name, times):
    if times:
        middle, late = np.percentile(times, [50, 95])
        print(f"{name:36} {len(times):4} times   p50 {middle:6.1f} ms   p95 {late:6.1f} ms", flush=True)


def large_file(sentences, size, model, browser):
    """Open a file of many sentences, which the server looks at in the background meanwhile."""
    many = list(itertools.islice(itertools.cycle(sentences), size))
    with annotating(many, model, browser) as (_, _, seconds):
        print(f"a file of {len(many):,} sentences is usable after {seconds:.2f} s", flush=True)


def small_file(groups, model, browser, clicks):
    """Decide, undo and go on in every sentence, after the server has looked at all of them."""
    with annotating([sentence for group in groups.values() for sentence in group], model, browser) as (page, pid, _):
        count = sum(map(len, groups.values()))
        page.wait_for_selector(f"header .progress[title='{count} sentences looked at']")
        following = []
        for name, group in groups.items():
            painted, worked = {"2": [], "3": []}, {"2": [], "3": []}
            for _ in group:
                for key in painted:
                    times = decide(page, pid, clicks, key)
                    painted[key] += times[0]
                    worked[key] += times[1]
                if page.inner_text("header nav span") == f"{count} / {count}":
                    continue
                begun = time.perf_counter()
                with page.expect_response("**/api/annotate/view"):
                    page.keyboard.press("PageDown")
                page.wait_for_selector(IDLE)
                following.append(1000 * (time.perf_counter() - begun))
            for key in painted:
                report(f"key {key} to repaint, {name} words", painted[key])
                report("    processor time of the server", worked[key])
        report("to the next sentence", following)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("treebank")
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--clicks", type=int, default=4, help="in each of ten sentences")
    arguments.add_argument("--size", type=int, default=15_000, help="sentences of the large file")
    options = arguments.parse_args()
    sentences = list(read(options.treebank, multiple_roots=True))
    groups = {
        "20 to 40": [sentence for sentence in sentences if 20 <= len(sentence) <= 40][:10],
        "41 to 120": [sentence for sentence in sentences if 41 <= len(sentence) <= 120][:10],
    }
    if not all(groups.values()):
        sys.exit(f"{options.treebank} has no sentences of 20 to 40, or none of 41 to 120 words.")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        large_file(sentences, options.size, options.model, chromium)
        small_file(groups, options.model, chromium, options.clicks)
        chromium.close()


if __name__ == "__main__":
    main()
