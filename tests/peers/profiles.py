"""Loads exported profiles with the tools that they are for: profiles.py TOOL FOLDER.

The folder has the exports of two runs of one program, `before` and `after`, and of one with hostile
names, `hostile`. What the tools see is printed as JSON.
"""

import json
import sys

tool, folder = sys.argv[1:]


def path(run, ending):
    return f"{folder}/{run}.{ending}"


def load(run, kind):
    import hatchet as ht

    if kind == "hatchet":
        return ht.GraphFrame.from_json(open(path(run, "hatchet")).read())
    if kind == "literal":
        return ht.GraphFrame.from_literal(json.load(open(path(run, "literal"))))
    return ht.GraphFrame.from_caliper(path(run, "split.json"), node_ordering=False)


def names(frame):
    return sorted(set(frame.dataframe["name"].dropna()))


def hatchet():
    seen = {}
    for kind in ["hatchet", "literal", "caliper"]:
        frame = load("before", kind)
        tree = frame.tree()
        own = {"regions": len(frame.graph), "is_tree": "write_fields" in tree}
        own["inclusive"] = float(frame.dataframe["time (inc)"].max())
        if kind != "literal":
            frame.tree(rank=1)
            frame.drop_index_levels()
        own["all"] = float(frame.dataframe["time"].sum())
        large = lambda row: row["time"] > 20.0
        filtered = load("before", kind).filter(large, num_procs=1, squash=False)
        own["filtered"] = names(filtered)
        own["squashed"] = len(filtered.squash().graph)
        before, after = load("before", kind), load("after", kind)
        before.drop_index_levels()
        after.drop_index_levels()
        difference = before - after
        difference.tree()
        frame = difference.dataframe
        own["saved"] = float(frame.loc[frame["name"] == "write_fields", "time"].sum())
        seen[kind] = own
        hostile = load("hostile", kind)
        hostile.tree()
        own["names"] = names(hostile)
    return seen


def cali():
    import caliperreader as cr

    seen = {}
    for run in ["before", "hostile"]:
        records, _ = cr.read_caliper_contents(path(run, "cali"))
        rows = [record for record in records if "path" in record]
        seen[run] = {
            "paths": [r["path"] if isinstance(r["path"], list) else [r["path"]] for r in rows],
            "columns": sorted({key for row in rows for key in row}),
        }
    return seen


def speedscope():
    import jsonschema

    schema = json.load(open(f"{folder}/schema.json"))
    seen = {}
    for run in ["before", "hostile"]:
        document = json.load(open(path(run, "speedscope")))
        jsonschema.validate(document, schema)
        seen[run] = [frame["name"] for frame in document["shared"]["frames"]]
    return seen


print(json.dumps({"hatchet": hatchet, "cali": cali, "speedscope": speedscope}[tool]()))
