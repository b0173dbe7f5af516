#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the scripts share that make tables and pages of records in results/."""
import json
import math
import sys


def table(heads, rows):
    """A table in Markdown."""
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in [heads, ["---"] * len(heads), *rows])


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(path, records):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(r, separators=(",", ":")) + "\n" for r in records)


def machines(path):
    """The records of each machine, which begin with what was measured; the newest first."""
    found = {}
    for record in read(path):
        if record["record"] == "measured":
            mine = found[record["machine"]] = []
        mine.append(record)
    return found


def keep(path, measured):
    """Puts a machine's new records before those of the others."""
    others = {m: r for m, r in machines(path).items() if m != measured[0]["machine"]}
    write(path, sum([measured, *others.values()], []))


def publish(page, text, words):
    """Writes the page; with --check ends with an error where it is not this text."""
    name = sys.argv[0].rsplit("/", 1)[-1]
    if words[:1] != ["--check"]:
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(page, encoding="utf-8") as file:
        if file.read() != text:
            sys.exit(f"{name}: {page} is not what its records give; run scripts/{name}")
