"""Where a library of others is ahead of ours: by how much, in the same run, given the same input."""

OPS = [("add", "add"), ("contains_present", "present"), ("contains_absent", "absent")]


def of_size(rows):
    """A line for each of the others and each of our kinds in its language that takes the same: factors above 1."""
    others = [row for row in rows if not row["library"].startswith("bloomery ")]
    ours = [row for row in rows if row["library"].startswith("bloomery ")]
    for other in others:
        for mine in ours:
            if (other["language"], other["takes"]) != (mine["language"], mine["takes"]):
                continue
            faster = [(name, mine["ns"][op] / other["ns"][op]) for op, name in OPS]
            faster = [f"{name} {factor:.2f}" for name, factor in faster if factor > 1]
            batch = max(mine["ns"].get("contains_many_absent", 0), mine["ns"].get("contains_many_present", 0))
            one = min(other["ns"]["contains_present"], other["ns"]["contains_absent"])
            against = f"; its lookups take {one / batch:.2f} times as long as our batches" if batch else ""
            yield f"{other['library']} ({other['takes']}) beside {mine['library']}: ahead in {', '.join(faster) or 'nothing'}{against}"
