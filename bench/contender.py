"""A program under measurement: a child process that loads the model once and then obeys commands."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def busy_seconds() -> float:
    """Processor time that all programs of the machine have used so far."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + irq + softirq) / TICKS


def wait_for_quiet(patience: float) -> None:
    """Waits until the machine does nearly nothing, at most `patience` seconds: a program that was just measured may
    still spin, and others work here too."""
    deadline = time.perf_counter() + patience
    while time.perf_counter() < deadline:
        before = busy_seconds()
        time.sleep(0.2)
        if busy_seconds() - before <= 0.03:
            return


@dataclass
class Measure:
    """What one command took: in the child by its own clock, and processor time of all its threads."""

    seconds: list[float]
    cpu: float
    others: float  # cores that other programs kept busy meanwhile

    @property
    def wall(self) -> float:
        return sum(self.seconds)


@dataclass
class Contender:
    """How to start a program. `counts` turns false when its embeddings are not those of the others."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    counts: bool = True


class Running:
    """A started contender, with the model loaded."""

    def __init__(self, contender: Contender) -> None:
        self.contender = contender
        self.started = time.perf_counter()
        # What tunes one machine's OpenBLAS would slow the peers down.
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_")}
        offline = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
        self.process = subprocess.Popen(
            contender.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if not os.environ.get("TRANSMUTER_BENCH_VERBOSE") else None,
            env=inherited | offline | contender.environment,
            text=True,
        )
        self.load_seconds = self.read()[0]

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()

    def read(self) -> list[float]:
        line = self.process.stdout.readline()
        if not line:
            errors = self.process.stderr.read() if self.process.stderr else ""
            sys.exit(f"bench: {self.contender.name} ended: {errors[-2000:]}")
        return json.loads(line)["seconds"]

    def ask(self, command: str) -> Measure:
        own, all_busy, start = self.cpu(), busy_seconds(), time.perf_counter()
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        seconds = self.read()
        own, all_busy, wall = self.cpu() - own, busy_seconds() - all_busy, time.perf_counter() - start
        return Measure(seconds, own, max(all_busy - own, 0) / wall)

    def cpu(self) -> float:
        """User and system seconds of the whole process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak_memory(self) -> float:
        """MB that were resident at most."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
        sys.exit("bench: /proc has no VmHWM")
