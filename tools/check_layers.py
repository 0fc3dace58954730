#!/usr/bin/env python3
"""Fails when a layer includes one below it.

The list below is the order of HACKING.md: each layer may include itself and those above it. Files of src/LAYER/ and the
public headers named here are held to it; fronts (cli, bench) may include everything, and no layer may include them.

usage: check_layers.py [ROOT]            check the tree
       check_layers.py --self-test       prove that a wrong include is noticed
"""
import pathlib
import re
import sys
import tempfile

LAYERS = ["base", "metrics", "hash", "sizing", "mem", "io", "kernel", "filter", "wire", "table", "leveldb", "live"]
FRONTS = ["cli", "bench", "fuzz", "tests"]

PUBLIC = {
    "base": ["result.h", "log.h", "export.h", "version.h", "detail/bits.h", "detail/check.h",
             "detail/remainder.h", "detail/rank_select.h"],
    "metrics": ["figures.h", "metrics.h"],
    "hash": ["hash.h", "detail/fnv.h", "detail/batch.h"],
    "sizing": ["kind.h", "sizing.h", "growth.h", "detail/counting_geometry.h", "detail/partitioned_geometry.h",
               "detail/scalable_geometry.h", "detail/stable_geometry.h", "detail/cuckoo_geometry.h",
               "detail/quotient_geometry.h", "detail/fuse_geometry.h", "detail/ribbon_geometry.h", "detail/ribbon_layer.h", "detail/iblt_geometry.h"],
    "mem": ["detail/buffer.h", "detail/numa.h"],
    "kernel": ["detail/blocked_probe.h", "detail/ribbon_probe.h"],
    "filter": ["classic.h", "split.h", "block.h", "counting.h", "partitioned.h", "scalable.h", "stable.h", "cuckoo.h",
               "quotient.h", "fuse.h", "ribbon.h", "iblt.h", "detail/layout.h", "detail/basic_filter.h", "detail/bulk_add.h", "detail/classic_probe.h",
               "detail/counting_probe.h", "detail/cuckoo_probe.h", "detail/fuse_probe.h", "detail/quotient_slots.h", "detail/quotient_walk.h"],
    "wire": ["any.h", "file.h", "iblt_file.h", "overlap.h", "bloomery.h"],
    "table": ["table.h", "compact.h"],
    "leveldb": ["leveldb.h"],
    "live": ["shared.h", "shared_counting.h", "shared_cuckoo.h", "live.h", "rotating.h", "replicated.h",
             "detail/atomic_bits.h", "detail/atomic_counters.h", "detail/epochs.h", "detail/published.h"],
}
LAYER_OF_HEADER = {f"bloomery/{header}": layer for layer, headers in PUBLIC.items() for header in headers}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(include):
    """The layer an include belongs to, None for one outside the project, '?' for a header nobody has placed."""
    if include.startswith("bloomery/"):
        return LAYER_OF_HEADER.get(include, "?")
    first = include.split("/")[0]
    return first if first in LAYERS + FRONTS else None


def files_of_layers(root):
    for layer in LAYERS:
        for path in sorted((root / "src" / layer).glob("*")):
            if path.suffix in (".h", ".cc") and not path.name.endswith("_test.cc"):
                yield layer, path
    for path in sorted((root / "include" / "bloomery").rglob("*.h")):
        yield layer_of(str(path.relative_to(root / "include"))), path


def problems(root):
    for layer, path in files_of_layers(root):
        name = path.relative_to(root)
        if layer == "?":
            yield f"{name}: in no layer; add it to PUBLIC in tools/check_layers.py"
            continue
        for include in INCLUDE.findall(path.read_text()):
            other = layer_of(include)
            if other == "?":
                yield f"{name}: includes {include}, which is in no layer"
            elif other in FRONTS:
                yield f"{name}: the layer {layer} includes {include} of the front {other}"
            elif other is not None and LAYERS.index(other) > LAYERS.index(layer):
                yield f"{name}: the layer {layer} includes {include} of {other}, which is below it"
    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir() and p.name not in LAYERS):
        yield f"src/{folder.name}: no such layer"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for layer in ("base", "wire"):
            (root / "src" / layer).mkdir(parents=True)
        (root / "include/bloomery").mkdir(parents=True)
        (root / "src/wire/good.cc").write_text('#include "base/error.h"\n')
        assert list(problems(root)) == [], "a right include is reported"
        for text in ('#include "wire/header.h"\n', '  # include "bloomery/file.h"\n', '#include "cli/cli.h"\n', '#include "bloomery/new.h"\n'):
            (root / "src/base/bad.cc").write_text(text)
            assert len(list(problems(root))) == 1, f"not noticed: {text}"
    print("self-test: wrong includes are noticed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    found = list(problems(root))
    print("\n".join(found) or "layers: every include points up")
    return 1 if found else 0


sys.exit(main())
