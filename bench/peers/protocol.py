"""The protocol of bench/driver/main.cpp for peers in Python: one command a line, one line of JSON back."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Embed = Callable[[list[str]], np.ndarray]


def answer(seconds: list[float]) -> None:
    print(json.dumps({"seconds": seconds}), flush=True)


def serve(load: Callable[[], Embed]) -> None:
    """Loads a model and obeys. The function that `load` gives turns texts into rows of float32."""
    start = time.perf_counter()
    embed = load()
    answer([time.perf_counter() - start])
    for line in sys.stdin:
        command, corpus, *rest = line.split()
        texts = Path(corpus).read_text().splitlines()
        seconds = []
        for part in [[text] for text in texts] if command == "one" else [texts]:
            start = time.perf_counter()
            rows = embed(part)
            seconds.append(time.perf_counter() - start)
        if command == "write":
            rows.astype(np.float32).tofile(rest[0])
        answer(seconds)


RunTask = Callable[[list[Any]], list[Any]]


def serve_task(load: Callable[[], RunTask]) -> None:
    """The protocol of bench/driver/tasks.cpp: inputs are lines of JSON, as are the results that `write` asks for."""
    start = time.perf_counter()
    run = load()
    answer([time.perf_counter() - start])
    for line in sys.stdin:
        command, file, *rest = line.split()
        inputs = [json.loads(text) for text in Path(file).read_text().splitlines()]
        seconds = []
        for part in [[item] for item in inputs] if command == "one" else [inputs]:
            start = time.perf_counter()
            results = run(part)
            seconds.append(time.perf_counter() - start)
        if command == "write":
            Path(rest[0]).write_text("".join(json.dumps(result) + "\n" for result in results))
        answer(seconds)
