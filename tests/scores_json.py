"""JSON of `celab score` by system and metric, as tests look at it, and files made from that."""


def systems_of(data):
    """Return an object for each system: its name, metrics with segments, and kinds of outputs."""
    systems = {}
    for row in data["system"]:
        system = systems.setdefault(row["system"], {"name": row["system"], "metrics": {}})
        metric = {name: value for name, value in row.items() if name not in ("metric", "system")}
        system["length_ratio"] = metric.pop("length_ratio", None)
        if "low" in metric:
            metric["interval"] = [metric.pop("low"), metric.pop("high")]
        system["metrics"][row["metric"]] = metric
    for level in ("segment", "document"):
        for row in data.get(level, ()):
            metric = systems[row["system"]]["metrics"][row["metric"]]
            metric.setdefault(f"{level}s", []).append(row)
    if "output" in data:
        for system in systems.values():
            system["outputs"] = {}
        for row in data["output"]:
            kinds = systems[row["system"]]["outputs"]
            kinds.setdefault(row["kind"], []).append(row["segment"])
    for row in data.get("unwrapped", ()):
        systems[row["system"]].setdefault("unwrapped", {})[row["form"]] = row["outputs"]
    return [*systems.values()]


def file_of(report):
    """Return the content of a file, from a dict whose `systems` have a name and metrics."""
    facts = {key: value for key, value in report.items() if key != "systems"}
    data = {**facts, "format": 2, "system": [], "segment": []}
    for system in report["systems"]:
        for metric, values in system["metrics"].items():
            about = {"metric": metric, "system": system["name"]}
            own = {key: values[key] for key in ("score", "signature")}
            if "interval" in values:
                own |= dict(zip(("low", "high"), values["interval"], strict=True))
            data["system"].append(about | own)
            for number, row in enumerate(values.get("segments", ()), 1):
                data["segment"].append(about | {"segment": number, **row})
            if "statistics" in values:
                statistics = data.setdefault("statistics", {}).setdefault(metric, {})
                statistics[system["name"]] = values["statistics"]
    return data
