#!/usr/bin/env python3
"""Fails when a layer includes one below it, or a kind another kind that it is not made of.

The list below is the order of HACKING.md: each layer may include itself and those above it. Files of src/LAYER/ and the
public headers named here are held to it; fronts (cli, server, bench) may include everything, and no layer may include
them. The C interface (capi/) is a front over the public headers alone, and its own headers include no other; so is the
Python package (python/).

usage: check_layers.py [ROOT]            check the tree
       check_layers.py --self-test       prove that a wrong include is noticed
"""
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
from kinds import kinds  # noqa: E402

LAYERS = ["core/base", "core/metrics", "core/hash", "core/mem", "core/io", "geometry", "kernel", "kinds", "any", "format", "table", "leveldb", "live", "replica", "streams", "capi"]
FRONTS = ["cli", "server", "bench", "fuzz", "tests", "python"]
# A kind may use these of others: it has the same cells or indexes, or is a chain of them.
MADE_OF = {"counting": ["classic"], "scalable": ["block"], "partitioned": ["classic"], "stable": ["block"]}
KINDS = [*kinds(), "iblt"]

PUBLIC = {
    "core/base": ["result.h", "log.h", "environment.h", "export.h", "version.h", "detail/bits.h", "detail/wide.h",
                  "detail/remainder.h", "detail/rank_select.h", "detail/check.h", "detail/cache_line.h",
                  "detail/compiled_for.h"],
    "core/metrics": ["figures.h", "metrics.h"],
    "core/hash": ["hash.h", "keys.h", "string_column.h", "detail/fnv.h", "detail/integer_hash.h", "detail/xxh3_short.h", "detail/batch.h"],
    "core/mem": ["memory.h", "filter_options.h", "detail/buffer.h"],
    # Numbers that fix a filter, which kernels know of; their formulas are in src/kinds/.
    "geometry": ["kind.h", "rate.h", "growth.h", *(f"geometry/{kind}.h" for kind in KINDS)],
    "kernel": ["detail/blocked_probe.h", "detail/shared_probe.h", "detail/avx2_probe.h", "detail/salts.h", "detail/ribbon_probe.h", "detail/ribbon_layer.h"],
    "kinds": ["layout.h", "view.h", "filter.h", "mutable_view.h", "detail/bulk_add.h", "detail/key_count.h", *(f"{kind}.h" for kind in KINDS)],  # and detail/KIND_*.h
    "any": ["any.h", "any_mutable_view.h", "choose.h", "overlap.h", "rate_spread.h"],
    "format": ["file.h", "records.h", "iblt_file.h", "inspect.h", "label.h", "bloomery.h"],
    "table": ["table/table.h", "table/compact.h"],
    "leveldb": ["leveldb.h"],
    "live": ["live/shared.h", "live/shared_counting.h", "live/shared_cuckoo.h", "live/live.h", "live/rotating.h", "live/watched.h",
             "live/per_node.h", "detail/numa.h", "detail/atomic_bits.h", "detail/atomic_counters.h", "detail/epochs.h", "detail/published.h"],
    "replica": [f"replica/{part}.h" for part in ("lineage_change", "log", "message", "quorum", "replica", "rotating")],
    "streams": ["replica_streams.h"],
    "capi": ["c.h", *(f"c/{part}.h" for part in ("base", "batch", "file", "filter", "iblt", "live", "rotating", "table"))],
}
LAYER_OF_HEADER = {f"bloomery/{header}": layer for layer, headers in PUBLIC.items() for header in headers}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(include):
    """The layer an include belongs to, None for one outside the project, '?' for a header nobody has placed."""
    if include.startswith("bloomery/"):
        of_kind = re.match(r"bloomery/detail/([a-z]+)_\w+\.h$", include)
        return LAYER_OF_HEADER.get(include, "kinds" if of_kind and of_kind[1] in KINDS else "?")
    return next((layer for layer in LAYERS + FRONTS if include.startswith(layer + "/")), None)


def kind_of(path):
    """The kind whose folder under kinds/ the path is in, or None."""
    found = re.match(r"(?:src/)?kinds/([a-z]+)/", str(path))
    return found[1] if found and found[1] != "common" else None


def files_of_layers(root):
    for layer in LAYERS:
        for path in sorted((root / "src" / layer).rglob("*")):
            if path.suffix in (".h", ".cc") and not path.name.endswith("_test.cc") and path.name != "fuzz.cc":
                yield layer, path
    for path in sorted([*(root / "capi").glob("*.h"), *(root / "capi").glob("*.cc")]):
        yield "capi", path
    for path in sorted((root / "include" / "bloomery").rglob("*.h")):
        yield layer_of(str(path.relative_to(root / "include"))), path


def problem_of(layer, name, include):
    """What is wrong with an include of that file, or None."""
    other, of, from_kind = layer_of(include), kind_of(name), kind_of(include)
    if other == "?":
        return f"{name}: includes {include}, which is in no layer"
    if other in FRONTS:
        return f"{name}: the layer {layer} includes {include} of the front {other}"
    if other is not None and LAYERS.index(other) > LAYERS.index(layer):
        return f"{name}: the layer {layer} includes {include} of {other}, which is below it"
    if layer == "capi" and not include.startswith(("bloomery/c/",) if str(name).startswith("include/") else ("bloomery/", "capi/")):
        return f"{name}: includes {include}; the C interface stands on public headers alone, and its own on each other"
    if layer == "kinds" and from_kind not in (None, of, *MADE_OF.get(of, [])):
        return f"{name}: includes {include} of another kind; what kinds share stands in src/kinds/common"
    return None


def problems_of_package(root):
    """Includes of the Python package that no user of the library could write."""
    for path in sorted((root / "python" / "ext").glob("*")):
        for include in INCLUDE.findall(path.read_text()):
            inner = include.startswith("bloomery/detail/") or not include.startswith("bloomery/") and layer_of(include)
            if inner:
                yield f"python/ext/{path.name}: includes {include}, which users of the library do not have"


def problems(root):
    yield from problems_of_package(root)
    for layer, path in files_of_layers(root):
        name = path.relative_to(root)
        if layer == "?":
            yield f"{name}: in no layer; add it to PUBLIC in tools/check_layers.py"
            continue
        for include in INCLUDE.findall(path.read_text()):
            if found := problem_of(layer, name, include):
                yield found
    for path in sorted((root / "src").rglob("*.cc")):
        folder = str(path.parent.relative_to(root / "src"))
        if folder not in LAYERS and folder not in [f"kinds/{kind}" for kind in [*KINDS, "common"]]:
            yield f"src/{folder}: no such layer or kind"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for layer in ("core/base", "format", "kinds/block"):
            (root / "src" / layer).mkdir(parents=True)
        (root / "include/bloomery").mkdir(parents=True)
        (root / "src/format/good.cc").write_text('#include "core/base/error.h"\n')
        (root / "src/kinds/block/good.cc").write_text('#include "kinds/common/target.h"\n#include "kinds/block/own.h"\n')
        assert list(problems(root)) == [], "a right include is reported"
        wrong = [("core/base", text) for text in ('#include "format/header.h"\n', '  # include "bloomery/file.h"\n',
                                                  '#include "cli/cli.h"\n', '#include "bloomery/new.h"\n')]
        (root / "capi").mkdir()
        (root / "capi/good.cc").write_text('#include "bloomery/file.h"\n#include "capi/handles.h"\n')
        assert list(problems(root)) == [], "a right include of the C interface is reported"
        for text in ('#include "core/base/error.h"\n', '#include "cli/json.h"\n'):
            (root / "capi/bad.cc").write_text(text)
            assert len(list(problems(root))) == 1, f"not noticed: {text}"
            (root / "capi/bad.cc").unlink()
        (root / "python/ext").mkdir(parents=True)
        for text in ('#include "bloomery/detail/bits.h"\n', '#include "any/size.h"\n'):
            (root / "python/ext/bad.cc").write_text('#include "bloomery/any.h"\n' + text)
            assert len(list(problems(root))) == 1, f"not noticed: {text}"
        (root / "python/ext/bad.cc").unlink()
        for place, text in [*wrong, ("core/base", '#include "bloomery/c.h"\n'), ("kinds/block", '#include "kinds/ribbon/solve.h"\n'), ("kinds/nothing", "")]:
            (root / "src" / place).mkdir(exist_ok=True)
            bad = root / "src" / place / "bad.cc"
            bad.write_text(text)
            assert len(list(problems(root))) == 1, f"not noticed: {text}"
            bad.unlink()
    print("self-test: wrong includes are noticed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    found = list(problems(root))
    print("\n".join(found) or "layers: every include points up")
    return 1 if found else 0


sys.exit(main())
