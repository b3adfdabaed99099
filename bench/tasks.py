#!/usr/bin/env python3
"""Compares the tasks of Transmuter with the programs that do the same on the same model, and prints a table of ratios.

bench/run.py does it for embeddings, in more ways. All programs get the same file, inputs and cores; they take turns, so
trust the ratios, not the seconds. A new task is a row of TASKS, a function in each peer and a model of bench/models.py.
"""

import argparse
import json
import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import environment
import report
from contender import Contender, Measure, Running, wait_for_quiet
from corpora import Corpus, make, whole_words

OURS = "transmuter"
BARE = "ONNX Runtime, one by one"
MIXED = Corpus("mixed", 96, 8, 380)
SHORT = Corpus("short", 40, 6, 24)
SAME = 2e-3  # how far scores may be apart that count as the same

Inputs = Callable[[list[str]], list[Any]]


@dataclass(frozen=True)
class Task:
    """What is measured: `many` makes inputs of texts for one call, `one` inputs that are one row each."""

    model: str
    many: Inputs
    one: Inputs
    options: dict[str, Any] = field(default_factory=dict)
    one_options: dict[str, Any] | None = None  # where one row needs other options
    rows: int = 1  # of a text


def one_query(texts: list[str]) -> list[Any]:
    return [{"query": texts[0][:60], "documents": texts}]


def query_each(texts: list[str]) -> list[Any]:
    return [{"query": texts[0][:60], "documents": [text]} for text in texts]


def masked(texts: list[str]) -> list[Any]:
    """With the second word masked, which no cut takes off."""
    return [" ".join([*text.split()[:1], "[MASK]", *text.split()[2:]]) for text in texts]


LABELS = ["travel", "cooking", "politics", "science", "music", "sports"]
TASKS = {
    "text_ranking": Task("reranker", one_query, query_each),
    "zero_shot_classification": Task("nli", list, list, {"labels": LABELS}, {"labels": LABELS[:1]}, rows=len(LABELS)),
    "fill_mask": Task("masked", masked, masked),
}


@dataclass(frozen=True)
class Programs:
    """Where the programs are."""

    driver: Path
    python: Path
    node_modules: Path


def contenders(name: str, options: dict[str, Any], model: Path, threads: int, programs: Programs) -> list[Contender]:
    peers = environment.BENCH / "peers"
    settings = [name, str(model), json.dumps(options)]

    def python(title: str, script: str, batch: int) -> Contender:
        return Contender(title, [str(programs.python), str(peers / script), *settings, str(threads), str(batch)])

    def node(title: str, batch: int) -> Contender:
        command = ["node", str(peers / "tasks_js.mjs"), *settings, str(threads), str(batch)]
        return Contender(title, command, {"NODE_MODULES": str(programs.node_modules)})

    return [
        Contender(OURS, [str(programs.driver), *settings]),
        python(BARE, "tasks_bare.py", 1),
        python("ONNX Runtime, sorted batches of 32", "tasks_bare.py", 32),
        python("Python on torch, batches of 32", "tasks_torch.py", 32),
        node("transformers.js, one by one", 1),
        node("transformers.js, batches of 32", 32),
    ]


def differ(one: Any, other: Any) -> bool:
    """Whether two results say different things, in what both of them have."""
    if isinstance(one, dict) and isinstance(other, dict):
        return any(differ(one[key], other[key]) for key in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) != len(other) or any(differ(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float) or isinstance(other, float):
        return abs(one - other) > SAME
    return one != other


def results_of(running: Running, inputs: Path) -> list[Any]:
    with tempfile.NamedTemporaryFile() as file:
        running.ask(f"write {inputs} {file.name}")
        return [json.loads(line) for line in Path(file.name).read_text().splitlines()]


Measures = dict[str, list[Measure]]


def take_turns(every: list[Contender], inputs: Path, command: str, arguments: argparse.Namespace) -> Measures:
    """Loads all, compares what they give with bare ONNX Runtime, and lets them take turns."""
    order = random.Random(arguments.seed)
    all_running = [Running(contender) for contender in every]
    reference = next(results_of(each, inputs) for each in all_running if each.contender.name == BARE)
    for running in all_running:
        running.contender.counts = not differ(reference, results_of(running, inputs))
        running.ask(f"{command} {inputs}")  # warm up
    measures: Measures = defaultdict(list)
    for _ in range(arguments.rounds):
        for running in order.sample(all_running, len(all_running)):
            wait_for_quiet(arguments.patience)
            measures[running.contender.name].append(running.ask(f"{command} {inputs}"))
    for running in all_running:
        running.stop()
    return measures


def measure(name: str, arguments: argparse.Namespace, programs: Programs, scratch: Path) -> str:
    task = TASKS[name]
    model = environment.task_model(task.model, arguments.models, programs.python)
    words = whole_words(model / "tokenizer.json")
    scaled = Corpus(MIXED.name, max(round(MIXED.texts * arguments.scale), 8), MIXED.shortest, MIXED.longest)
    texts = make(scaled, words, arguments.seed)
    works = {
        "list": (task.many(texts), task.options),
        "one": (task.one(make(SHORT, words, arguments.seed)), task.one_options or task.options),
    }
    measures, counted = {}, {}
    for command, (inputs, options) in works.items():
        file = scratch / f"{name}-{command}.jsonl"
        file.write_text("".join(json.dumps(item) + "\n" for item in inputs))
        every = contenders(name, options, model, arguments.threads, programs)
        if arguments.only:
            every = [each for each in every if any(part in each.name for part in [OURS, BARE, *arguments.only])]
        environment.say(f"{name}: {command}, {len(inputs)} inputs")
        measures[command] = take_turns(every, file, command, arguments)
        counted[command] = {each.name: each.counts for each in every}
    return table(name, len(texts) * task.rows, measures, counted)


def table(name: str, rows: int, measures: dict[str, Measures], counted: dict[str, dict[str, bool]]) -> str:
    lists, ones = measures["list"], measures["one"]
    lines = []
    for each in lists:
        lines.append(
            [
                each if counted["list"][each] and counted["one"][each] else f"{each} *",
                f"{median(rows / measure.wall for measure in lists[each]):.0f}",
                report.spread(report.ratios(lists[each], lists[OURS], lambda m: m.wall)),
                f"{median(report.ratios(lists[each], lists[OURS], lambda m: m.cpu)):.2f}",
                f"{median(second for measure in ones[each] for second in measure.seconds) * 1000:.2f}",
                report.spread(report.ratios(ones[each], ones[OURS], lambda m: median(m.seconds))),
            ]
        )
    head = [name, "rows/s", "ratio", "CPU ratio", "one row, ms", "ratio"]
    return report.table(head, lines)


def parse() -> argparse.Namespace:
    cores = sorted(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"one of: {', '.join(TASKS)}; all without one")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (5)")
    parser.add_argument("--scale", type=float, default=1.0, help="how many texts, as a factor (1.0)")
    parser.add_argument("--threads", type=int, default=len(cores), help=f"cores for each program (all: {len(cores)})")
    parser.add_argument("--only", nargs="+", metavar="PEER", help="a part of the names of the peers to measure")
    parser.add_argument("--patience", type=float, default=10, help="seconds to wait for a quiet machine (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the texts and of the order of the turns (0)")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path.home() / ".cache" / "transmuter" / "bench-models",
        help="where bench/models.py has put, or will put, the weights (%(default)s)",
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.tasks) - set(TASKS):
        parser.error(f"unknown task {', '.join(sorted(unknown))}; there are {', '.join(TASKS)}")
    if not 1 <= arguments.threads <= len(cores):
        parser.error(f"--threads: 1 to {len(cores)}")
    return arguments


def main() -> None:
    arguments = parse()
    driver = environment.driver("bench_tasks")
    programs = Programs(driver, environment.python(), environment.node_modules())
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    print(report.machine(arguments.threads, arguments.rounds))
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.tasks or TASKS:
            print(measure(name, arguments, programs, Path(scratch)), flush=True)


if __name__ == "__main__":
    main()
