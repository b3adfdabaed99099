"""Makes the tiny models of tests/models and the expectations of tests/golden with Python.

python reference/make.py [TASK ...] [--seed N] [--out DIR]

Without tasks it makes all. With --seed and --out it makes a fresh variant: other weights and inputs, the same layout.
"""

import argparse
import importlib
import shutil
import sys
import warnings
from pathlib import Path

import torch
from kit import ROOT, Kit

TASKS = sorted(path.stem for path in Path(__file__).with_name("cases").glob("*.py"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"one of: {', '.join(TASKS)}; all without one")
    parser.add_argument("--seed", type=int, default=0, help="another number gives other weights and inputs (0)")
    parser.add_argument("--out", type=Path, default=ROOT, help="gets tests/models and tests/golden (the repository)")
    arguments = parser.parse_args()
    if unknown := set(arguments.tasks) - set(TASKS):
        parser.error(f"unknown task {', '.join(sorted(unknown))}; there are {', '.join(TASKS)}")
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)  # so that sums do not depend on the number of cores
    kit = Kit(arguments.out, arguments.seed)
    try:
        for task in arguments.tasks or TASKS:
            print(f"{task}:", file=sys.stderr)
            importlib.import_module(f"cases.{task}").make(kit)
    finally:
        shutil.rmtree(kit.scratch)


if __name__ == "__main__":
    main()
