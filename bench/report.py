"""Tables in Markdown. A ratio is a peer's time over ours in the same round: above 1, ours is faster."""

import platform
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from contender import Measure
from results import Results


def machine(threads: int, rounds: int) -> str:
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    special = [flag for flag in ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8") if flag in flags.split()]
    name = models[0].partition(":")[2].strip() if models else platform.processor()
    return f"{name} ({', '.join(special)}), {threads} of {len(models)} cores, {rounds} rounds\n"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + "\n"


def spread(values: list[float], form: str = ".2f") -> str:
    return f"{median(values):{form}} ({min(values):{form}}-{max(values):{form}})"


def ratios(theirs: list[Measure], ours: list[Measure], of: Callable[[Measure], float]) -> list[float]:
    return [of(a) / max(of(b), 1e-9) for a, b in zip(theirs, ours, strict=True)]


def marked(results: Results, name: str) -> str:
    return name if results.cosines[name] >= 0.9999 else f"{name} *"


def throughput(results: Results, ours: str) -> str:
    corpora = list(results.texts)
    rows = []
    for name in results.cosines:
        row = [marked(results, name)]
        for corpus in corpora:
            measures = results.speed[corpus][name]
            row.append(f"{median(results.texts[corpus] / each.wall for each in measures):.0f}")
        for corpus in corpora:
            row.append(spread(ratios(results.speed[corpus][name], results.speed[corpus][ours], lambda m: m.wall)))
        for corpus in corpora:
            row.append(
                f"{median(ratios(results.speed[corpus][name], results.speed[corpus][ours], lambda m: m.cpu)):.2f}"
            )
        row.append(f"{results.cosines[name]:.5f}")
        rows.append(row)
    head = [
        results.variant,
        *(f"{corpus}, texts/s" for corpus in corpora),
        *(f"{corpus}, ratio" for corpus in corpora),
        *(f"{corpus}, CPU ratio" for corpus in corpora),
        "least cosine",
    ]
    return table(head, rows)


def percentile(seconds: list[float], percent: int) -> float:
    return quantiles(seconds, n=100, method="inclusive")[percent - 1]


def latency(results: Results, ours: str) -> str:
    rows = []
    for name in results.cosines:
        measures = results.speed["one"][name]
        pooled = [second for each in measures for second in each.seconds]
        p50 = ratios(measures, results.speed["one"][ours], lambda m: median(m.seconds))
        p99 = ratios(measures, results.speed["one"][ours], lambda m: percentile(m.seconds, 99))
        cpu = ratios(measures, results.speed["one"][ours], lambda m: m.cpu)
        rows.append(
            [
                marked(results, name),
                f"{percentile(pooled, 50) * 1000:.2f}",
                f"{percentile(pooled, 99) * 1000:.2f}",
                spread(p50),
                spread(p99),
                f"{median(cpu):.2f}",
            ]
        )
    head = [f"{results.variant}, one request", "p50, ms", "p99, ms", "p50 ratio", "p99 ratio", "CPU ratio"]
    return table(head, rows)


def start(results: Results, weights: float) -> str:
    rows = []
    for name, each in results.start.items():
        rows.append(
            [
                name,
                spread([second * 1000 for second in each.load], ".0f"),
                spread([second * 1000 for second in each.first_result], ".0f"),
                spread(each.peak_after_first, ".0f"),
                spread(each.peak, ".0f"),
                f"{median(each.peak) - weights:+.0f}",
            ]
        )
    head = [
        f"{results.variant}, fresh process",
        "load, ms",
        "start to first result, ms",
        "peak MB after it",
        "peak MB after all texts",
        f"beyond the weights ({weights:.0f} MB)",
    ]
    return table(head, rows)


def started(results: Results, ours: str) -> str:
    rows = []
    for corpus in results.texts:
        lists, callers = results.speed[corpus][ours], results.speed[f"started {corpus}"][ours]
        row = [corpus, spread(ratios(lists, callers, lambda m: m.wall))]
        rows.append([*row, spread(ratios(lists, callers, lambda m: m.cpu))])
    return table([f"{results.variant}, started, 64 callers", "speed over the list run", "CPU ratio"], rows)


def neighbours(results: Results) -> str:
    others = [each.others for names in results.speed.values() for measures in names.values() for each in measures]
    return f"{results.variant}: other programs kept {spread(others)} cores busy during a measurement.\n"


def tables(results: Results, ours: str, model: Path) -> str:
    file = model / "onnx" / {"fp32": "model.onnx", "q8": "model_quantized.onnx"}[results.variant]
    weights = file.stat().st_size / 1e6
    parts = [
        neighbours(results),
        throughput(results, ours),
        latency(results, ours),
        start(results, weights),
        started(results, ours),
    ]
    return "\n".join(parts)
