"""Reads pairs of logs with PyDarshan and compares what it finds in them.

Arguments: original copy original copy ...
Prints one line per pair and what differs; fails if anything does.
"""

import sys

import darshan
import pandas as pd

# PyDarshan loses or fails to swap these in records that older libraries wrote.
OLD_POSIX_FAULTS = [
    "POSIX_F_VARIANCE_RANK_TIME",
    "POSIX_F_VARIANCE_RANK_BYTES",
    "POSIX_F_META_TIME",
    "POSIX_F_MAX_READ_TIME",
    "POSIX_F_MAX_WRITE_TIME",
]


def frames(report, module):
    """All data frames PyDarshan makes of a module, by a label."""
    records = report.records[module]
    if module.startswith("DXT_"):
        for i, record in enumerate(records.to_df()):
            head = {k: v for k, v in record.items() if not k.endswith("_segments")}
            yield f"{i} head", pd.DataFrame([head])
            yield f"{i} writes", record["write_segments"]
            yield f"{i} reads", record["read_segments"]
    else:
        for name, frame in records.to_df().items():
            yield name, frame


def compare(original, copy):
    before = darshan.DarshanReport(original, read_all=True)
    after = darshan.DarshanReport(copy, read_all=True)
    problems = []
    for key in ["uid", "jobid", "nprocs", "start_time_sec", "end_time_sec"]:
        if before.metadata["job"][key] != after.metadata["job"][key]:
            problems.append(f"job {key}")
    for key in ["exe"]:
        if before.metadata[key] != after.metadata[key]:
            problems.append(key)
    if before.mounts != after.mounts:
        problems.append("mounts")
    if before.name_records != after.name_records:
        problems.append("names")
    if set(before.modules) != set(after.modules):
        problems.append(f"modules {sorted(before.modules)} {sorted(after.modules)}")
    count = 0
    for module in before.records:
        if module in ("APMPI", "APXC"):
            continue
        if module not in after.records:
            problems.append(f"{module} is missing")
            continue
        if len(before.records[module]) != len(after.records[module]):
            problems.append(f"{module} has another number of records")
            continue
        if len(before.records[module]) == 0:
            continue
        old_posix = module == "POSIX" and before.modules[module]["ver"] < 4
        ours = dict(frames(after, module))
        for label, frame in frames(before, module):
            mine = ours[label]
            if old_posix:
                frame = frame.drop(columns=OLD_POSIX_FAULTS, errors="ignore")
                mine = mine.drop(columns=OLD_POSIX_FAULTS, errors="ignore")
            count += len(frame)
            try:
                pd.testing.assert_frame_equal(frame, mine, check_exact=True)
            except AssertionError as difference:
                problems.append(f"{module} {label}: {difference}")
    if set(before.heatmaps) != set(after.heatmaps):
        problems.append("heat maps")
    for name, heatmap in before.heatmaps.items():
        frame, mine = (h.to_df(["read", "write"], interval_index=False) for h in (heatmap, after.heatmaps[name]))
        count += len(frame)
        if not frame.equals(mine):
            problems.append(f"heat map {name}")
    return count, problems


failed = False
pairs = list(zip(sys.argv[1::2], sys.argv[2::2]))
for original, copy in pairs:
    count, problems = compare(original, copy)
    print(f"{count} rows  {original}")
    for problem in problems:
        failed = True
        print(f"  {problem}")
print(f"{len(pairs)} pairs")
sys.exit(1 if failed else 0)
