#!/usr/bin/env python3
"""Compares Transmuter with the programs that run the same model, on this machine, and prints tables of ratios.

All programs get the same file, the same texts and the same cores. They are loaded once and take turns, so that a busy
machine slows all of them down alike: trust the ratios, not the seconds. docs/performance.md says how to read them.
"""

import argparse
import os
import random
import tempfile
import time
from array import array
from dataclasses import dataclass
from pathlib import Path

import corpora
import environment
import report
from contender import Contender, Running, wait_for_quiet
from results import Results

OURS = "transmuter"
CALLERS = 64
SAME = 0.9999  # the least cosine of two embeddings that count as the same


@dataclass(frozen=True)
class Programs:
    """Where the programs are."""

    driver: Path
    python: Path
    node_modules: Path


def contenders(model: Path, variant: str, threads: int, programs: Programs) -> list[Contender]:
    peers = environment.BENCH / "peers"
    settings = [str(model), variant, str(threads)]

    def python(name: str, script: str, batch: int) -> Contender:
        return Contender(name, [str(programs.python), str(peers / script), *settings, str(batch)])

    def node(name: str, batch: int) -> Contender:
        script = str(peers / "transformers_js.mjs")
        return Contender(name, ["node", script, *settings, str(batch)], {"NODE_MODULES": str(programs.node_modules)})

    every = [
        Contender(OURS, [str(programs.driver), str(model), variant]),
        python("ONNX Runtime, one by one", "bare_onnxruntime.py", 1),
        python("ONNX Runtime, sorted batches of 32", "bare_onnxruntime.py", 32),
        python("fastembed, batches of 32", "fastembed_custom.py", 32),
        node("transformers.js, one by one", 1),
        node("transformers.js, batches of 32", 32),
    ]
    if variant == "fp32":
        every.insert(3, python("sentence-transformers on torch, batches of 32", "sentence_transformers_torch.py", 32))
    return every


def embeddings(running: Running, corpus: Path, dimensions: int = 384) -> list[array]:
    with tempfile.NamedTemporaryFile() as file:
        running.ask(f"write {corpus} {file.name}")
        values = array("f", Path(file.name).read_bytes())
    return [values[start : start + dimensions] for start in range(0, len(values), dimensions)]


def least_cosine(ours: list[array], theirs: list[array]) -> float:
    """Of rows that have the length 1."""
    if len(ours) != len(theirs):
        return 0.0
    return min(sum(a * b for a, b in zip(x, y, strict=True)) for x, y in zip(ours, theirs, strict=True))


def compare_outputs(all_running: list[Running], corpus: Path, results: Results) -> None:
    """The measure is bare ONNX Runtime, one text at a time."""
    rows = {running.contender.name: embeddings(running, corpus) for running in all_running}
    reference = rows["ONNX Runtime, one by one"]
    for running in all_running:
        name = running.contender.name
        results.cosines[name] = least_cosine(reference, rows[name])
        running.contender.counts = results.cosines[name] >= SAME


def measure_speed(
    every: list[Contender], paths: dict[str, Path], arguments: argparse.Namespace, results: Results
) -> None:
    """Loaded once, all take turns: each round runs every corpus on every contender, in another order each time."""
    order = random.Random(arguments.seed)
    all_running = [Running(contender) for contender in every]
    compare_outputs(all_running, paths["mixed"], results)
    for running in all_running:  # warm up
        running.ask(f"list {paths['short']}")
        running.ask(f"one {paths['one']}")
    for number in range(arguments.rounds):
        environment.say(f"{results.variant}: speed, round {number + 1} of {arguments.rounds}")
        for corpus in (*results.texts, "one"):
            for running in order.sample(all_running, len(all_running)):
                command = "one" if corpus == "one" else "list"
                wait_for_quiet(arguments.patience)
                results.add(corpus, running.contender.name, running.ask(f"{command} {paths[corpus]}"))
                if command == "list" and running.contender.name == OURS:
                    wait_for_quiet(arguments.patience)
                    results.add(f"started {corpus}", OURS, running.ask(f"started {paths[corpus]} {CALLERS}"))
    for running in all_running:
        running.stop()


def measure_start(
    every: list[Contender], paths: dict[str, Path], arguments: argparse.Namespace, results: Results
) -> None:
    """A fresh process each time: until the model is loaded, until the first result, and the memory after all texts."""
    rounds = min(arguments.rounds, 3)
    for number in range(rounds):
        environment.say(f"{results.variant}: load and memory, round {number + 1} of {rounds}")
        for contender in every:
            wait_for_quiet(arguments.patience)
            with Running(contender) as running:
                running.ask(f"one {paths['first']}")
                results.add_start(contender.name, time.perf_counter() - running.started, running)
                for corpus in results.texts:
                    running.ask(f"list {paths[corpus]}")
                results.add_peak(contender.name, running.peak_memory())


def benchmark(variant: str, arguments: argparse.Namespace, model: Path, programs: Programs, scratch: Path) -> Results:
    paths = corpora.write(scratch, model / "tokenizer.json", arguments.scale, arguments.seed)
    texts = {name: path.read_text().splitlines() for name, path in paths.items()}
    for name, count in (("one", 100), ("first", 1)):
        paths[name] = scratch / f"{name}.txt"
        paths[name].write_text("\n".join(texts["short"][:count]) + "\n")
    results = Results(variant, {name: len(rows) for name, rows in texts.items()})
    every = contenders(model, variant, arguments.threads, programs)
    if arguments.only:
        every = [each for each in every if any(part in each.name for part in [OURS, "one by one", *arguments.only])]
    measure_start(every, paths, arguments, results)
    measure_speed(every, paths, arguments, results)
    return results


def parse() -> argparse.Namespace:
    cores = sorted(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (5)")
    parser.add_argument("--scale", type=float, default=1.0, help="how many texts, as a factor (1.0)")
    parser.add_argument("--threads", type=int, default=len(cores), help=f"cores for each program (all: {len(cores)})")
    parser.add_argument("--variants", nargs="+", default=["fp32", "q8"], choices=["fp32", "q8"])
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
    if not 1 <= arguments.threads <= len(cores):
        parser.error(f"--threads: 1 to {len(cores)}")
    return arguments


def main() -> None:
    arguments = parse()
    programs = Programs(environment.driver(), environment.python(), environment.node_modules())
    model = environment.model("minilm", arguments.models, programs.python)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    print(report.machine(arguments.threads, arguments.rounds))
    with tempfile.TemporaryDirectory() as scratch:
        for variant in arguments.variants:
            results = benchmark(variant, arguments, model, programs, Path(scratch))
            print(report.tables(results, OURS, model), flush=True)


if __name__ == "__main__":
    main()
