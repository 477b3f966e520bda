"""The server under load: requests per second, latency, memory over many requests, and overload.

usage: python bench/serve.py [--model MODEL] [--clients N] [--seconds S] [--requests N] [--text FILE.conllu]

A server is started as users start it. Clients are processes of their own, which send one sentence each to /api/parse
with marginals. The bars: at least 100 requests per second with four clients, 95 % of them in at most 100 ms; resident
memory grows by at most 5 % over 100,000 requests (--requests 100000); overload is answered with 429 or 503.
"""

from __future__ import annotations

import argparse
import collections
import http.client
import json
import multiprocessing
import re
import subprocess
import sys
import time

import numpy as np

from ramify.data import read

_JSON = {"Content-Type": "application/json"}


def client(port, bodies, seconds, results):
    """Send requests for some seconds; put (status, seconds) pairs into the queue."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    end = time.perf_counter() + seconds
    found = []
    i = 0
    while time.perf_counter() < end:
        begun = time.perf_counter()
        connection.request("POST", "/api/parse", bodies[i % len(bodies)], _JSON)
        answer = connection.getresponse()
        answer.read()
        found.append((answer.status, time.perf_counter() - begun))
        i += 1
    results.put(found)


def load(port, bodies, clients, seconds):
    """Run several clients at a time; return the statuses and seconds of all requests."""
    results = multiprocessing.Queue()
    shares = [bodies[i::clients] for i in range(clients)]
    workers = [multiprocessing.Process(target=client, args=(port, share, seconds, results)) for share in shares]
    for worker in workers:
        worker.start()
    found = [pair for _ in workers for pair in results.get()]
    for worker in workers:
        worker.join()
    return found


def resident(port):
    """Return the server's memory in bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return int(re.search(r"^process_resident_memory_bytes (\d+)", text, re.M)[1])


def report(name, found, seconds):
    statuses = collections.Counter(status for status, _ in found)
    times = 1000 * np.array([taken for status, taken in found if status == 200])
    middle, late = np.percentile(times, [50, 95]) if len(times) else (0, 0)
    rate = statuses[200] / seconds
    print(f"{name:30} {rate:8.1f} answers/s   p50 {middle:6.1f} ms   p95 {late:6.1f} ms   {dict(statuses)}", flush=True)


def start(model, *options):
    command = [sys.executable, "-m", "ramify", "serve", model, "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    return process, int(re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline())[1])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--clients", type=int, default=4)
    arguments.add_argument("--seconds", type=float, default=10)
    arguments.add_argument("--requests", type=int, default=0, help="how many for the growth of memory")
    arguments.add_argument("--text", default="tests/data/ewt-sample-200.conllu")
    options = arguments.parse_args()
    texts = [sentence.text or " ".join(sentence.forms) for sentence in read(options.text)]
    bodies = [json.dumps({"text": text, "marginals": True}).encode() for text in texts]
    process, port = start(options.model)
    try:
        load(port, bodies, 1, 2)  # memory of the first requests is no growth
        report(
            f"{options.clients} clients, marginals",
            load(port, bodies, options.clients, options.seconds),
            options.seconds,
        )
        before, done = resident(port), 0
        while done < options.requests:
            done += len(load(port, bodies, options.clients, 20))
            print(f"{done:9,} requests   {resident(port) / 2**20:7.1f} MiB", flush=True)
        after = resident(port)
        print(f"memory {before / 2**20:.1f} MiB, then {after / 2**20:.1f} MiB: {100 * (after / before - 1):+.1f} %")
    finally:
        process.terminate()
        process.communicate()
    process, port = start(options.model, "--queue", "2")
    try:
        report("overload: 12 clients, queue 2", load(port, bodies, 12, 5), 5)
    finally:
        process.terminate()
        process.communicate()


if __name__ == "__main__":
    main()
