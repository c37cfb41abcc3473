"""Prints what PyDarshan reads of each of many logs, one line of JSON per log.

Standard input has the paths, one per line. Zeros are left out, except in traces.
"""

import json
import sys

import darshan


FILES = ["POSIX", "STDIO", "MPI-IO"]
OBJECTS = ["H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR"]


def records(report, module):
    """Counters of every record. Ids are text because JSON's numbers lose digits."""
    if module not in report.records:
        return
    names = report.counters[module]
    for record in report.records[module].to_numpy():
        yield {
            "module": module,
            "name": report.name_records.get(record["id"], ""),
            "id": str(record["id"]),
            "rank": record["rank"],
            "counters": {k: int(v) for k, v in zip(names["counters"], record["counters"]) if v != 0},
            "times": {k: float(v) for k, v in zip(names["fcounters"], record["fcounters"]) if v != 0},
        }


def traces(report, module):
    if module not in report.records:
        return
    for record in report.records[module].to_df():
        yield {
            "name": report.name_records.get(record["id"], ""),
            "rank": record["rank"],
            "writes": record["write_segments"].values.tolist(),
            "reads": record["read_segments"].values.tolist(),
        }


def heat(report):
    """Bytes in all bins of each module and rank."""
    for module, heatmap in report.heatmaps.items():
        for direction in ["read", "write"]:
            frame = heatmap.to_df([direction], interval_index=False)
            for rank, total in frame.sum(axis=1).items():
                yield {"module": module, "rank": rank, "write": direction == "write", "bytes": int(total)}


for path in sys.stdin.read().splitlines():
    try:
        open(path).close()
        report = darshan.DarshanReport(path, read_all=True)
        found = {
            "run_time": report.metadata["job"]["run_time"],
            "nprocs": report.metadata["job"]["nprocs"],
            "partial": [name for name, module in report.modules.items() if module["partial_flag"]],
            "records": [record for module in FILES for record in records(report, module)],
            "objects": [record for module in OBJECTS for record in records(report, module)],
            "traces": list(traces(report, "DXT_POSIX")),
            "mpi_traces": list(traces(report, "DXT_MPIIO")),
            "heat": list(heat(report)),
        }
    except Exception as problem:
        found = {"problem": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(found), flush=True)
