"""The measurements of one variant of the model."""

from collections import defaultdict
from dataclasses import dataclass, field

from contender import Measure, Running


@dataclass
class Start:
    """Seconds until the model was loaded by the program's clock, and until the first result since the process began."""

    load: list[float] = field(default_factory=list)
    first_result: list[float] = field(default_factory=list)
    peak_after_first: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)


@dataclass
class Results:
    variant: str
    texts: dict[str, int]
    speed: dict[str, dict[str, list[Measure]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    start: dict[str, Start] = field(default_factory=lambda: defaultdict(Start))
    cosines: dict[str, float] = field(default_factory=dict)

    def add(self, work: str, name: str, measure: Measure) -> None:
        self.speed[work][name].append(measure)

    def add_start(self, name: str, first_result: float, running: Running) -> None:
        start = self.start[name]
        start.load.append(running.load_seconds)
        start.first_result.append(first_result)
        start.peak_after_first.append(running.peak_memory())

    def add_peak(self, name: str, megabytes: float) -> None:
        self.start[name].peak.append(megabytes)
