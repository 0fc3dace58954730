"""What each alert of docs/operations/alerts.yml is for, as series that make it fire, for `promtool test rules`.

A series is a value a minute, in promtool's notation: 5x3 is 5 four times, 0+2x3 is 0 2 4 6."""

import json
import re

HEALTHY = {
    "queries_total": "0+100000x4000",
    "maybes_total": "0+50500x4000",
    "false_positives_total": "0+500x4000",  # of 50,000 absent keys a minute: the 1 % that is promised
    "false_negatives_total": "0x4000",
    "sentinel_failures_total": "0x4000",
    "failed_rebuilds_total": "0x4000",
    "failed_snapshots_total": "0x4000",
    "damaged": "0x4000",
    "designed_fpr": "0.01x4000",
    "predicted_fpr": "0.01x4000",
    "sampled_fpr_low": "0.0095x4000",
    "capacity_used_ratio": "0.8x4000",
    "disabled": "0x10 1x58 0x4000",  # off for less than an hour
    "last_snapshot_timestamp_seconds": "0x4000",  # never saved
    "oldest_reader_seconds": "0x10 60x10 0x4000",
    "retired_bytes": "0x10 1000x8 0x4000",
    "table_fpr_alarm": "0x10 1x3 0x4000",  # for less than five minutes
    "table_filter_unusable_total": "0x4000",
    "table_damaged_gets_total": "0x4000",
    # Of a thousand maybes a minute: a tenant with a tenth of wrong ones among others that have less.
    'tenant_false_positives_total{tenant="a"}': "0+20x4000",
    'tenant_true_positives_total{tenant="a"}': "0+180x4000",
    'tenant_false_positives_total{tenant="b"}': "0+60x4000",
    'tenant_true_positives_total{tenant="b"}': "0+740x4000",
    'tenant_false_positives_total{tenant="other"}': "0x4000",
    'tenant_true_positives_total{tenant="other"}': "0x4000",
}
QUIET_NIGHT = "0+100000x600 60000000+500x900 60450000+100000x2500"  # the same share all the time
# (name, what differs from HEALTHY, the minute to look at, the alerts that fire then and no others)
CASES = [
    *[("healthy", {}, minute, []) for minute in (14, 15, 19, 20, 68, 69, 300, 3500)],
    ("a false negative", {"false_negatives_total": "0x10 1x100"}, 11, ["BloomeryFalseNegative"]),
    ("a lost bit", {"sentinel_failures_total": "0x10 1x100", "damaged": "0x10 1x100"}, 12, ["BloomeryDamaged"]),
    ("a lost bit, an hour later", {"sentinel_failures_total": "0x10 1x100", "damaged": "0x10 1x100"}, 75, ["BloomeryDamaged"]),
    ("a bit that was lost and mended between scrapes", {"sentinel_failures_total": "0x10 1x100"}, 12, ["BloomeryDamaged"]),
    ("a bit that was lost and mended half an hour ago", {"sentinel_failures_total": "0x10 1x100"}, 40, []),
    ("sampled over designed", {"sampled_fpr_low": "0.016x100"}, 6, ["BloomeryTooManyFalsePositives"]),
    ("sampled over designed, not for long", {"sampled_fpr_low": "0x6 0.016x3 0x90"}, 10, []),
    ("sampled somewhat over designed", {"sampled_fpr_low": "0.0149x100"}, 30, []),
    ("predicted over designed", {"designed_fpr": "1e-7x100", "predicted_fpr": "2e-7x100", "sampled_fpr_low": "0x100",
                                 "false_positives_total": "0x100"}, 6, ["BloomeryTooManyFalsePositives"]),
    ("nearly full", {"capacity_used_ratio": "0.81x100"}, 16, ["BloomeryNearlyFull"]),
    ("all bits set", {"capacity_used_ratio": "Inf " * 30, "sampled_fpr_low": "0.99x100"}, 16,
     ["BloomeryNearlyFull", "BloomeryTooManyFalsePositives"]),
    ("flooded", {"false_positives_total": "0+1600x100", "maybes_total": "0+51600x100"}, 70, ["BloomeryHashFlooded"]),
    ("somewhat more false positives than the fill explains", {"false_positives_total": "0+1400x100", "maybes_total": "0+51400x100"}, 70, []),
    ("three unlucky lookups", {"queries_total": "0x10 10x100", "maybes_total": "0x10 5x100", "false_positives_total": "0x10 3x100"}, 20, []),
    ("switched off", {"disabled": "1x100"}, 61, ["BloomeryDisabled"]),
    ("a rebuild that was refused", {"failed_rebuilds_total": "0x10 1x100"}, 12, ["BloomeryRebuildFailed"]),
    ("a rebuild that was refused two hours ago", {"failed_rebuilds_total": "0x10 1x200"}, 130, []),
    ("a full disk", {"failed_snapshots_total": "0x10 1x100"}, 12, ["BloomerySnapshotFailed"]),
    ("a disk that was full two hours ago", {"failed_snapshots_total": "0x10 1x200"}, 130, []),
    ("saved long ago", {"last_snapshot_timestamp_seconds": "600x4000"}, 2900, ["BloomerySnapshotStale"]),
    ("saved a day ago", {"last_snapshot_timestamp_seconds": "600x4000"}, 1500, []),
    ("a reader that stays", {"oldest_reader_seconds": "61x100"}, 1, ["BloomeryReaderStuck"]),
    ("a tenant that floods", {'tenant_false_positives_total{tenant="a"}': "0+100x4000"}, 90, ["BloomeryTenantAboveOthers"]),
    ("a tenant that floods, not for long", {'tenant_false_positives_total{tenant="a"}': "0+100x4000"}, 9, []),
    ("a tenant that is alone", {'tenant_false_positives_total{tenant="a"}': "0+100x4000",
                                'tenant_false_positives_total{tenant="b"}': "0x4000",
                                'tenant_true_positives_total{tenant="b"}': "0x4000"}, 90, []),
    ("a tenant with three lookups, all wrong", {'tenant_false_positives_total{tenant="a"}': "0x60 3x4000",
                                                'tenant_true_positives_total{tenant="a"}': "0x4000"}, 90, []),
    ("a tenant with a hundred wrong ones an hour, and no right ones", {'tenant_false_positives_total{tenant="a"}': "0+1.6x4000",
                                                                       'tenant_true_positives_total{tenant="a"}': "0x4000"}, 90, []),
    ("a tenant with some more, and no right ones", {'tenant_false_positives_total{tenant="a"}': "0+2x4000",
                                                    'tenant_true_positives_total{tenant="a"}': "0x4000"}, 90, ["BloomeryTenantAboveOthers"]),
    ("all tenants alike", {'tenant_false_positives_total{tenant="a"}': "0+100x4000",
                           'tenant_false_positives_total{tenant="b"}': "0+400x4000"}, 90, []),
    # The bounds are 42 % and 23.25 %.
    ("twice the maybes of yesterday", {"maybes_total": "0+20000x1600 32000000+43000x2400"}, 1750, ["BloomeryMaybesShifted"]),
    ("half the maybes of yesterday", {"maybes_total": "0+50500x1600 80800000+22000x2400"}, 1750, ["BloomeryMaybesShifted"]),
    ("somewhat more maybes than yesterday", {"maybes_total": "0+20000x1600 32000000+41000x2400"}, 1750, []),
    ("somewhat fewer maybes than yesterday", {"maybes_total": "0+50500x1600 80800000+24500x2400"}, 1750, []),
    ("more maybes because it is off", {"maybes_total": "0+20000x1600 32000000+100000x49 36950000+20000x2400",
                                       "disabled": "0x1599 1x49 0x2400"}, 1690, []),
    ("less traffic, the same share", {"queries_total": QUIET_NIGHT, "maybes_total": QUIET_NIGHT, "false_positives_total": "0x4000"}, 2100, []),
    ("a table over its rate", {"table_fpr_alarm": "0x10 1x100"}, 17, ["BloomeryTableManyFalsePositives"]),
    ("a filter of a table that cannot be used", {"table_filter_unusable_total": "0x10 1x100"}, 12, ["BloomeryTableFilterUnusable"]),
    ("a filter of a table that could not be used two hours ago", {"table_filter_unusable_total": "0x10 1x200"}, 130, []),
    ("a table with a damaged block", {"table_damaged_gets_total": "0x10 1x100"}, 12, ["BloomeryTableDamaged"]),
    ("a table with a block that was damaged two hours ago", {"table_damaged_gets_total": "0x10 1x200"}, 130, []),
    ("memory that is not freed", {"retired_bytes": "1000x100"}, 11, ["BloomeryMemoryRetired"]),
]
# The case that comes near each alert and must not fire it. HEALTHY itself does so for what is named "healthy": its
# switch is off for 59 minutes, its reader stays for 60 seconds, and so on.
TWINS = {
    "BloomeryFalseNegative": "healthy",  # nothing is near the first one
    "BloomeryDamaged": "a bit that was lost and mended half an hour ago",
    "BloomeryTooManyFalsePositives": "sampled somewhat over designed",
    "BloomeryNearlyFull": "healthy",
    "BloomeryHashFlooded": "somewhat more false positives than the fill explains",
    "BloomeryDisabled": "healthy",
    "BloomeryRebuildFailed": "a rebuild that was refused two hours ago",
    "BloomerySnapshotFailed": "a disk that was full two hours ago",
    "BloomerySnapshotStale": "saved a day ago",
    "BloomeryReaderStuck": "healthy",
    "BloomeryTenantAboveOthers": "a tenant that floods, not for long",
    "BloomeryMaybesShifted": "somewhat more maybes than yesterday",
    "BloomeryTableManyFalsePositives": "healthy",
    "BloomeryTableFilterUnusable": "a filter of a table that could not be used two hours ago",
    "BloomeryTableDamaged": "a table with a block that was damaged two hours ago",
    "BloomeryMemoryRetired": "healthy",
}


def with_filter(metric):
    return metric.replace("{", '{filter="a",') if "{" in metric else metric + '{filter="a"}'


def expand(values):
    """The values that promtool's notation stands for: 5x3 is 5 5 5 5, 0+2x3 is 0 2 4 6."""
    all_ = []
    for word in values.split():
        start, step, times = re.fullmatch(r"([^+x]+)(?:\+([^x]+))?(?:x(\d+))?", word).groups()
        all_ += [f"{float(start) + i * float(step or 0):.12g}" for i in range(int(times or 0) + 1)]
    return all_


def test(minutes, cases):
    """Cases of the same series, asked at their minutes."""
    name, different = cases[0][:2]
    length = max(minute for _, _, minute, _ in cases) + 60
    series = [{"series": "bloomery_" + with_filter(metric), "values": " ".join(expand(values)[:length:minutes])}
              for metric, values in {**HEALTHY, **different}.items()]
    questions = [{"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{minute}m",
                  "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in alerts]}
                 for _, _, minute, alerts in cases]
    return {"name": name, "interval": f"{minutes}m", "input_series": series, "promql_expr_test": questions}


def as_promtool_wants_them(rules):
    """Two files: the rules run every minute in cases of hours, and every ten minutes in cases of days."""
    for minutes, chosen in ((1, [case for case in CASES if case[2] < 500]), (10, [case for case in CASES if case[2] >= 500])):
        alike = {}
        for case in chosen:
            alike.setdefault(json.dumps(case[1]), []).append(case)
        tests = [test(minutes, cases) for cases in alike.values()]
        yield json.dumps({"rule_files": [str(rules)], "evaluation_interval": f"{minutes}m", "tests": tests})  # JSON is YAML
