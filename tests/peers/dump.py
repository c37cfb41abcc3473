"""Prints what PyDarshan reads of one log as JSON: modules, counters, trace and heat map."""

import json
import sys

import darshan

report = darshan.DarshanReport(sys.argv[1], read_all=True)
result = {
    "nprocs": report.metadata["job"]["nprocs"],
    "exe": report.metadata["exe"],
    "log_ver": report.metadata["job"]["log_ver"],
    "run_time": report.metadata["job"]["run_time"],
    "modules": {
        name: {"version": module["ver"], "partial": bool(module["partial_flag"])}
        for name, module in report.modules.items()
    },
    "names": {str(id): name for id, name in report.name_records.items()},
    "counters": {},
    "segments": {},
    "heatmaps": {},
}
for module, records in report.records.items():
    if module.startswith("DXT_"):
        result["segments"][module] = [
            {
                "id": str(record["id"]),
                "rank": record["rank"],
                "hostname": record["hostname"],
                "write": record["write_segments"].values.tolist(),
                "read": record["read_segments"].values.tolist(),
            }
            for record in records.to_df()
        ]
    elif module not in ("LUSTRE", "APMPI", "APXC"):
        frames = records.to_df()
        rows = []
        for i in range(len(frames["counters"])):
            row = {}
            for frame in frames.values():
                # By column: a row of mixed types would turn ids into floats.
                row.update({name: frame[name].tolist()[i] for name in frame.columns})
            row["id"] = str(row["id"])
            rows.append(row)
        result["counters"][module] = rows
for name, heatmap in report.heatmaps.items():
    frame = heatmap.to_df(["read", "write"], interval_index=False)
    result["heatmaps"][name] = frame.values.tolist()
json.dump(result, sys.stdout)
