"""verify, merge, convert, overlap and plan: what the C++ command has beyond its siblings."""

import json
import re
import resource
import subprocess

from harness import numbered
from kit import PATIENCE, Skipped, cpp_promise, expect, expect_equal, popen, promise

FIRST, SECOND = numbered(b"key", 1000)[:500], numbered(b"key", 1000)[500:]


@promise
def verify_exits_0_on_a_good_file(kit):
    kit.build("raw")
    kit.build("envelope", None, "--envelope", "--hash", "xxh3")
    kit.run("verify", "raw", status=0)
    kit.run("verify", "envelope", status=0)


@promise
def verify_exits_1_on_a_damaged_or_foreign_file(kit):
    data = kit.build("f", None, "--envelope")
    damaged = {"flipped": data[:-1] + bytes([data[-1] ^ 1]), "longer": data + b"\0", "shorter": data[:-1], "empty": b"",
               "text": b"no filter\n", "zeros": bytes(4096)}  # fmt: skip
    for name, content in damaged.items():
        kit.run("verify", kit.write(name, content), status=1)


@promise
def verify_exits_2_when_there_is_no_file(kit):
    kit.refused("verify", "no-such-file", names=["no-such-file"])


@cpp_promise
def a_merge_is_the_filter_of_all_the_keys(kit):
    for options in ([], ["--envelope", "--hash", "xxh3", "--seed", "9"]):
        kit.build("a", FIRST, "-n", "1000", *options)
        kit.build("b", SECOND, "-n", "1000", *options)
        both = kit.build("both", None, "-n", "1000", *options)
        kit.output("merge", "a", "b", "-o", "c")
        expect_equal(kit.output("query", "c", kit.keys).count(b"maybe\t"), 1000, "keys found")
        expect_equal(kit.read("c")[128 if options else 0 :], both[128 if options else 0 :], "bits")


@cpp_promise
def merging_different_geometries_is_refused_and_names_both(kit):
    kit.build("a", FIRST, "-m", "5000", "-k", "7")
    kit.build("b", SECOND, "-m", "6000", "-k", "7")
    kit.build("old")
    kit.refused("merge", "a", "b", "-o", "c", names=["5000", "6000"])
    kit.refused("merge", "a", "b", "-o", "old", names=["5000", "6000"])


@cpp_promise
def merging_different_hashes_is_refused(kit):
    shape = ["-m", "5000", "-k", "7", "--envelope", "--hash"]
    kit.build("a", FIRST, *shape, "xxh3")
    kit.build("b", SECOND, *shape, "xxh64")
    kit.build("c", SECOND, *shape, "xxh3", "--seed", "1")
    kit.refused("merge", "a", "b", "-o", "d", names=["xxh3", "xxh64"])
    kit.refused("merge", "a", "c", "-o", "d")
    kit.refused("merge", "a", "no-such-file", "-o", "d", names=["no-such-file"])


@cpp_promise
def converting_to_an_envelope_and_back_gives_the_same_bytes(kit):
    raw = kit.build("raw")
    kit.output("convert", "--to", "envelope", "raw", "-o", "envelope")
    expect_equal(kit.read("envelope")[:8].hex(), "89424c4d0d0a1a0a", "magic")
    expect_equal(json.loads(kit.output("inspect", "--json", "envelope"))["key_count"], None, "key count, which raw files lack")
    kit.output("convert", "--to", "raw", "envelope", "-o", "back")
    expect(kit.read("back") == raw, "the bytes came back")
    expect_equal(kit.output("query", "envelope", kit.keys).count(b"maybe\t"), 1000, "keys found")


@cpp_promise
def what_a_raw_file_cannot_hold_is_not_converted(kit):
    kit.build("f", None, "--envelope", "--hash", "xxh3")
    kit.refused("convert", "--to", "raw", "f", "-o", "g", names=["xxh3"])
    kit.refused("convert", "--to", "bogus", "f", "-o", "g", names=["bogus"])
    kit.refused("convert", "--to", "raw", "no-such-file", "-o", "g", names=["no-such-file"])


@cpp_promise
def overlap_tells_sizes_with_intervals_that_hold_the_truth(kit):
    keys = numbered(b"key", 30000)
    for kind in ("classic", "split", "block", "partitioned", "counting"):
        kit.build("a", keys[:20000], "--kind", kind, "-n", "20k")
        kit.build("b", keys[15000:], "--kind", kind, "-n", "20k")
        value = json.loads(kit.output("overlap", "--json", "a", "b"))
        for name, truth in {"a": 20000, "b": 15000, "union": 30000, "intersection": 5000, "jaccard": 1 / 6}.items():
            found = value[name]
            wide = 1.5 * (found["high"] - found["low"])  # these keys are no random draw of many: once wrong, always wrong
            expect(found["low"] - wide < truth < found["high"] + wide, f"{kind}, {name}: {found}")
            expect(found["low"] <= found["value"] <= found["high"] < 1.2 * truth, f"{kind}, {name}: {found}")
    lines = kit.output("overlap", "a", "b").decode().splitlines()
    expect_equal([line[:16].strip() for line in lines], ["keys of a", "keys of b", "union", "intersection", "jaccard"], "lines")
    expect(lines[0].endswith("  a") and "95 % interval" in lines[4], f"{lines}")


@cpp_promise
def overlap_refuses_what_cannot_tell(kit):
    kit.build("block", None, "--kind", "block")
    kit.build("other", None, "--kind", "block", "-n", "5000")
    kit.build("full", numbered(b"key", 20000), "--kind", "block", "-n", "1000")
    for kind in ("cuckoo", "quotient", "scalable", "stable"):
        kit.build(kind, None, "--kind", kind)
        kit.refused("overlap", kind, kind, names=[kind, "block"])
    kit.refused("overlap", "block", "cuckoo", names=["block", "cuckoo"])
    kit.refused("overlap", "block", "other", names=["the same n and fpr"])
    kit.refused("overlap", "full", "full", names=["full"])
    kit.refused("overlap", "block", "no-such-file", names=["no-such-file"])
    kit.refused("overlap", "block")


@cpp_promise
def plan_tells_how_far_rates_of_few_keys_lie_apart(kit):
    few, many = (" ".join(kit.output("plan", "-n", n).decode().split()) for n in ("100", "1M"))
    spread = re.search(r"predicted fpr (\S+) on average; of so few keys one filter in 20 has less than (\S+), one more than (\S+) ", few)
    expect(spread is not None, f"no spread in {few}")
    mean, low, high = map(float, spread.groups())
    expect(0 < low < mean < high < 5 * mean, f"{low} to {high} around {mean}")
    expect("one filter in 20" not in many, f"a spread in {many}")


@cpp_promise
def plan_says_which_kind_for_which_need(kit):
    value = json.loads(kit.output("plan", "-n", "1M", "--fpr", "0.01", "--json"))
    rows, chosen = {row["kind"]: row for row in value["kinds"]}, {choice["need"]: choice for choice in value["choices"]}
    expect(abs(value["least_bits_per_key"] - 6.6438) < 1e-3, "the limit")
    for need, kind in {"adding": "block", "removing": "cuckoo", "counted": "quotient", "unknown": "scalable", "stream": "stable",
                       "table": "block", "languages": "classic", "exact": "partitioned"}.items():  # fmt: skip
        expect_equal((chosen[need]["kind"], chosen[need]["bytes"]), (kind, rows[kind]["bytes"]), need)
    expect_equal(chosen["parquet"]["bytes"], 2**21, "bytes in Parquet")
    low = {choice["need"]: choice["kind"] for choice in json.loads(kit.output("plan", "-n", "1M", "--fpr", "1e-7", "--json"))["choices"]}
    expect_equal((low["removing"], low["unknown"], low["table"]), ("quotient", "none", "block"), "kinds at a rate that few can do")
    expect(b"Which one, at these numbers:" in kit.output("plan", "-n", "1M", "--all"), "the words")


def rows_of(value):
    """Every object inside a JSON value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from rows_of(item)


@cpp_promise
def plan_has_a_row_for_classic(kit):
    text = kit.output("plan", "-n", "1M", "--fpr", "0.01", "--json")
    rows = [row for row in rows_of(json.loads(text)["kinds"]) if row.get("kind") == "classic"]
    expect_equal(len(rows), 1, "classic rows")
    expect(b"classic" in kit.output("plan", "-n", "1M", "--fpr", "0.01", "--all"), "the table names classic")


@cpp_promise
def plan_refuses_what_build_refuses(kit):
    for options in ("-n 0 --fpr 0.01", "-n 1M --fpr 0", "-n 1M --fpr nan", "-n 1M --fpr 2"):
        kit.refused("plan", *options.split())


@cpp_promise
def plan_for_a_fixed_number_has_nothing_of_growth(kit):
    lines = kit.output("plan", "-n", "10M", "--all").decode().splitlines()
    expect_equal(lines[:3], ["For 10000000 keys at a false-positive rate of 0.01:", "",
                             "kind                   bytes  bits/key  predicted fpr  pick it for"], "header")  # fmt: skip
    expect_equal(lines[3][:55], "classic             11981323     9.585        0.01004  ", "classic")
    value = json.loads(kit.output("plan", "-n", "10M", "--json"))
    expect_equal(list(value), ["n", "fpr", "kinds", "least_bits_per_key", "choices"], "fields")
    expect_equal(list(value["kinds"][0]), "kind possible m k bytes bits_per_key predicted_fpr problem when".split(), "fields of a kind")


@cpp_promise
def plan_answers_first_in_ten_lines_that_fit(kit):
    for n, fpr, kind in (("1M", "0.01", "block"), ("10k", "1e-6", "block"), ("1G", "1e-9", "partitioned")):
        lines = kit.output("plan", "-n", n, "--fpr", fpr).decode().splitlines()
        expect(len(lines) <= 10 and max(map(len, lines)) <= 80, f"{lines}")
        row = {row["kind"]: row for row in json.loads(kit.output("plan", "-n", n, "--fpr", fpr, "--json"))["kinds"]}[kind]
        labels = {line[:16].strip(): line[16:] for line in lines[2:]}
        expect(labels["kind"].startswith(kind + ": "), f"{lines}")
        expect(labels["bytes"].startswith(f"{row['bytes']} ("), f"{lines}")
        expect_equal(labels["build with"], f"bloomery build --kind {kind} -n {n} --fpr {fpr} -o FILE KEYS", "command")
    command = labels["build with"].replace("-n 1G --fpr 1e-9", "-n 1000").replace("FILE KEYS", f"f {kit.keys}").split()[1:]
    kit.output(*command)  # what it says can be typed


@cpp_promise
def plan_of_one_kind_says_what_build_then_makes(kit):
    for kind in ("classic", "ribbon", "fuse", "counting", "quotient"):
        text = kit.output("plan", "-n", "1k", "--fpr", "1e-3", "--kind", kind).decode()
        labels = {line[:16].strip(): line[16:] for line in text.splitlines()[2:]}
        kit.output(*labels["build with"].replace("FILE KEYS", f"f {kit.keys}").split()[1:])
        inspected = kit.output("inspect", "f").decode()
        if kind not in ("ribbon", "fuse"):  # of these the keys decide
            expect(f"\ngeometry        {labels['geometry']}\n" in inspected, f"{kind}: {labels['geometry']!r} in {inspected}")
        row = json.loads(kit.output("plan", "-n", "1k", "--fpr", "1e-3", "--kind", kind, "--json"))["kinds"]
        expect_equal([one["kind"] for one in row], [kind], "rows")
        expect(labels["bytes"].startswith(f"{row[0]['bytes']} "), f"{kind}: {labels}")


@cpp_promise
def plan_of_a_geometry_tells_its_rate(kit):
    value = json.loads(kit.output("plan", "-n", "1000", "--kind", "classic", "--geometry", "m=10k,k=7", "--json"))
    expect(abs(value["fpr"] - (1 - 2.718281828459045 ** (-7000 / 10000)) ** 7) < 3e-4, f"{value['fpr']}")
    expect_equal((value["kinds"][0]["m"], value["kinds"][0]["k"], value["kinds"][0]["bytes"]), (10000, 7, 1250), "the row")
    text = kit.output("plan", "-n", "1000", "--kind", "classic", "--geometry", "m=10k,k=7").decode()
    expect("\ngeometry        m 10000, k 7\n" in text and "predicted fpr   0.008" in text, text)
    command = text.split("build with")[1].replace("FILE", "f").replace("KEYS", str(kit.keys))  # it may go on in the next line
    kit.output(*command.split()[1:])
    expect_equal(json.loads(kit.output("inspect", "--json", "f"))["geometry"], {"m": 10000, "k": 7}, "what it builds")
    kit.refused("plan", "-n", "1k", "--geometry", "m=10k,k=7", names=["--kind"])
    kit.refused("plan", "-n", "1k", "--kind", "block", "--geometry", "m=10k,k=7", names=["blocks"])
    kit.refused("plan", "-n", "1k", "--kind", "classic", "--geometry", "m=10k,k=7", "--fpr", "0.1", names=["--fpr"])
    kit.refused("plan", "--current", "1k", "--kind", "classic", "--geometry", "m=10k,k=7", names=["--current"])
    kit.refused("plan", "-n", "1k", "--kind", "clasic", names=["'classic'"])


GROWS = ["plan", "--current", "10M", "--growth", "30%/y", "--fpr", "0.001"]


def growth_plan(kit, *options):
    """The JSON of a growth plan, and its classic row."""
    value = json.loads(kit.output(*options, "--json"))
    return value, value["kinds"][0]


@cpp_promise
def plan_for_keys_that_grow_has_the_known_figures(kit):
    value, classic = growth_plan(kit, *GROWS, "--rebuild", "1mo", "--headroom", "2")
    expect_equal((value["n"], value["n_at_rebuild"], value["next_n"]), (20442089, 10221045, 20893950), "keys")
    expect_equal((classic["kind"], classic["bytes"], classic["peak_bytes"]), ("classic", 36738491, 74289066), "classic")
    expect(classic["fpr_at_rebuild"] < 1e-5 < classic["predicted_fpr"] < 0.00101, f"rates: {classic}")
    table = kit.output(*GROWS, "--rebuild", "1mo", "--headroom", "2", "--all").decode()
    for text in ("(20.4M)", "full after 2 years 8 months", "36738491   36.7 MB        74289066   74.3 MB", "4.783e-06          0.001"):
        expect(text in table, f"no {text!r} in {table}")
    value, classic = growth_plan(kit, *GROWS, "--rebuild", "3y")
    expect_equal((value["n"], classic["bytes"]), (43940000, 78968900), "rebuilt every 3 years")
    expect(b"79.0 MB" in kit.output(*GROWS, "--rebuild", "3y", "--all"), "79.0 MB")


@cpp_promise
def plan_reads_every_unit_and_has_defaults(kit):
    plain = growth_plan(kit, "plan", "--current", "10M")[0]
    expect_equal(plain, growth_plan(kit, *"plan --current 10M --growth 0 --rebuild 1mo --headroom 2 --volatility 0 --fpr 0.01".split())[0], "defaults")
    for growth in ("30%/y", "2%/mo", "0.5%/w", "1%/d"):  # a time of one unit: growth as it stands
        percent, unit = growth.split("%/")
        value = growth_plan(kit, "plan", "--current", "1M", "--growth", growth, "--rebuild", "1" + unit, "--headroom", "1")[0]
        expect_equal(value["n"], round(1e6 * (1 + float(percent) / 100)), growth)
    expect_equal(growth_plan(kit, "plan", "--current", "10M", "--volatility", "20%")[0]["n"], 24000000, "volatility")
    for growth in ("-5%/y", "0", "0%/w"):
        value = growth_plan(kit, "plan", "--current", "10M", "--growth", growth)[0]
        expect_equal((value["n"], value["years_until_full"]), (20000000, None), growth)
        expect(b"never full" in kit.output("plan", "--current", "10M", "--growth", growth), f"{growth} is never full")


@cpp_promise
def plan_says_in_words_when_the_filter_is_full(kit):
    # Headroom 1: it is full at the rebuild itself.
    for rebuild, words in (("1mo", "1 month"), ("3y", "3 years"), ("1y", "1 year"), ("11mo", "11 months"), ("13mo", "1 year 1 month"),
                           ("2w", "14 days"), ("1d", "1 day"), ("0.5d", "less than a day"), ("45d", "1 month 14 days"),
                           ("2000y", "more than 1000 years")):  # fmt: skip
        text = kit.output("plan", "--current", "1k", "--growth", "0.1%/y", "--headroom", "1", "--rebuild", rebuild).decode()
        expect(f"full after {words}\n" in text, f"{rebuild}: no {words!r} in {text}")


@cpp_promise
def plan_tells_when_a_kind_will_not_do_at_the_next_rebuild(kit):
    value, classic = growth_plan(kit, *"plan --current 100M --growth 100%/y --rebuild 2y".split())
    expect_equal((classic["possible"], classic["peak_bytes"]), (True, None), "classic")
    expect(str(value["next_n"]) in classic["problem"] and "at the next rebuild" in classic["problem"], f"problem: {classic['problem']}")


@cpp_promise
def plan_refuses_growth_that_makes_no_sense(kit):
    for options in ("--growth 30", "--growth 30%", "--growth 30%/x", "--growth %/y", "--growth -100%/y", "--growth nan%/y", "--growth inf%/y",
                    "--rebuild 3", "--rebuild 1x", "--rebuild y", "--rebuild 0d", "--rebuild -1y", "--rebuild nany", "--rebuild infy",
                    "--headroom 0.9", "--headroom nan", "--headroom inf", "--headroom x", "--headroom 2x", "--volatility -1%",
                    "--volatility 0.2", "--volatility nan%", "--volatility x"):  # fmt: skip
        kit.refused("plan", "--current", "10M", *options.split(), names=[options.split()[0][2:]])
    for name, spaced in (("growth", " 30%/y"), ("rebuild", "\n1y"), ("headroom", " 2"), ("volatility", " 2%")):
        kit.refused("plan", "--current", "10M", "--" + name, "", names=[name])
        kit.refused("plan", "--current", "10M", "--" + name, spaced, names=[name])
    for current in ("0", "x", "1.5", "-1", "nan", ""):
        kit.refused("plan", "--current", current)
    kit.refused(*"plan --current 10M --growth 1%/d --rebuild 20y".split(), names=["2^63"])
    kit.refused("plan", "--current", "9223372036854775807", names=["2^63"])
    kit.refused("plan", "--current", "10M", "--fpr", "2", names=["false-positive rate"])


@cpp_promise
def plan_says_what_goes_with_current(kit):
    kit.refused("plan", names=["-n N", "--current N"])
    kit.refused("plan", "-n", "1M", "--current", "1M", names=["-n", "--current", "exclude"])
    for option in ("--growth 30%/y", "--rebuild 1mo", "--headroom 2", "--volatility 20%"):
        kit.refused("plan", *option.split(), names=[option.split()[0], "--current N"])
        kit.refused("plan", "-n", "1M", *option.split(), names=[option.split()[0], "--current N", "in place of -n"])


@cpp_promise
def the_version_tells_more_when_asked(kit):
    first = kit.output("--version")
    expect(first.startswith(b"bloomery ") and first.count(b"\n") == 1, f"{first!r}")
    text = kit.output("--version", "--verbose").decode()
    expect(text.startswith(first.decode()) and text.count("(in use)") == 1, text)
    for label in ("kernels", "kinds", "hashes", "formats", "tables", "limits", "compiler"):
        expect(f"\n{label} " in text, f"no {label} in {text}")


def with_memory(kit, limit, *args):
    """Runs it in an address space of `limit` bytes, in which a build with sanitizers cannot begin."""
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with popen(kit, *args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=set_limit) as process:
        out, err = process.communicate(timeout=PATIENCE)
    if b"Sanitizer" in err:
        raise Skipped("a build with sanitizers needs more memory than the test gives")
    return subprocess.CompletedProcess([], process.returncode, out, err)


@promise
def a_filter_that_memory_cannot_hold_is_named_with_its_size(kit):
    args = ["build", "--kind", "block", "-n", "4G", "-o", "f", kit.keys]
    kit.check_refusal(with_memory(kit, 2**30, *args), f"{args}", ["out of memory", "a block filter of 4000000000 keys", "5.0 GB", "-n", "--fpr"])


@cpp_promise
def out_of_memory_names_what_it_was_for_and_how_much(kit):
    kit.write("many", b"k\n" * 2**24)
    kit.output("build", "--kind", "block", "-n", "110M", "-q", "-o", "large", kit.keys)
    large = kit.folder.joinpath("large").stat().st_size
    for args, names in ((["build", "--kind", "block", "-n", "4G", "-o", "f", kit.keys], ["a block filter of 4000000000 keys", "5.0 GB", "-n", "--fpr"]),
                        (["build", "--kind", "ribbon", "-o", "f", "many"], ["the hashes of all keys", " MB)", "such as block"]),
                        (["set-diff", "many", "many"], ["the digests of more than", " MB)", "iblts"]),
                        (["query", "large", kit.keys], ["large: ", f"the filter, which takes {large} bytes", "--no-verify"]),
                        (["inspect", "large"], ["large: ", f"the filter, which takes {large} bytes"]),
                        (["merge", "large", "large", "-o", "f"], ["large: ", f"the filter, which takes {large} bytes"]),
                        (["demo", "-n", "4G"], ["a block filter of 4000000000 keys", "-n"])):  # fmt: skip
        kit.check_refusal(with_memory(kit, 2**27, *args), f"{args}", ["out of memory", *names])
    done = with_memory(kit, 2**28, "verify", "large")
    expect(done.returncode == 0 and b"sound" in done.stdout, f"what has no room in memory is verified in place: {done.stderr!r}")
