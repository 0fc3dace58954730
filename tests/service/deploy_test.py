"""The unit of systemd and the files of compose.yml, as far as their own tools can tell."""

import re
import shutil
import subprocess

from kit import PATIENCE, SERVICE, SOURCE, Skipped, expect, promise, promtool

DEPLOY = SOURCE / "docs/operations/deploy"
ANALYZE = shutil.which("systemd-analyze")


def unit(scratch):
    """The unit with a program that is there."""
    if ANALYZE is None:
        raise Skipped("systemd-analyze is not there (Debian: systemd)")
    path = scratch / "bloomery.service"
    path.write_text((DEPLOY / "bloomery.service").read_text().replace("/usr/local/bin/bloomery-service", str(SERVICE)))
    return path


def analyze(*args):
    return subprocess.run([ANALYZE, *args], capture_output=True, text=True, timeout=PATIENCE)


@promise
def systemd_finds_nothing_to_complain_about_in_the_unit(scratch):
    done = analyze("verify", unit(scratch))
    expect(done.returncode == 0 and not done.stdout + done.stderr, done.stdout + done.stderr)


@promise
def the_unit_has_hardly_a_right_that_it_does_not_need(scratch):
    done = analyze("security", "--offline=true", "--no-pager", unit(scratch))
    if "unrecognized option" in done.stderr:
        raise Skipped("this systemd-analyze judges no files (it does from version 250 on)")
    level = re.search(r"Overall exposure level.*: ([\d.]+) ", done.stdout)
    expect(level and float(level[1]) <= 1.5, done.stdout[-300:] + done.stderr)


@promise
def the_options_of_unit_and_containers_exist(scratch):
    shown = subprocess.run([SERVICE, "--help"], capture_output=True, text=True, timeout=PATIENCE).stdout
    texts = {"bloomery.service": r"^ExecStart=.*$", "compose.yml": r"^ *command:.*$", "Dockerfile": r"^ENTRYPOINT.*$"}
    for name, line in texts.items():
        used = re.findall(r"--[a-z-]+", re.search(line, (DEPLOY / name).read_text(), re.MULTILINE)[0])
        expect(used and all(f"  {option} " in shown or f" {option} " in shown for option in used), f"{name}: {used}")


@promise
def every_file_that_a_container_mounts_is_there(scratch):
    compose = (DEPLOY / "compose.yml").read_text()
    mounted = re.findall(r"^ *- (\.[^:]*):", compose, re.MULTILINE)
    expect(len(mounted) == 5 and all((DEPLOY / path).is_file() for path in mounted), mounted)
    context = (DEPLOY / re.search(r"context: (\S+)", compose)[1]).resolve()
    expect((context / re.search(r"dockerfile: (\S+)", compose)[1]).is_file(), "no Dockerfile")
    copied = re.findall(r"examples/\w+\.cc", (DEPLOY / "Dockerfile").read_text())
    expect(copied and all((context / path).is_file() for path in copied), copied)


@promise
def every_file_of_the_containers_is_yaml(scratch):
    try:
        import yaml
    except ImportError:
        raise Skipped("PyYAML is not there (Debian: python3-yaml)") from None
    files = {path.name: yaml.safe_load(path.read_text()) for path in DEPLOY.glob("*.yml")}
    compose = files["compose.yml"]
    expect(set(compose["services"]) == {"filter", "prometheus", "grafana"} and len(files) == 4, sorted(files))
    named = {volume.split(":")[0] for service in compose["services"].values() for volume in service["volumes"]}
    expect({name for name in named if not name.startswith(".")} == set(compose["volumes"]), "volumes that are used and not declared")


@promise
def promtool_reads_the_configuration_of_prometheus(scratch):
    for name in ("deploy/prometheus.yml", "alerts.yml"):
        path = SOURCE / "docs/operations" / name
        (scratch / path.name).write_text(path.read_text())
    promtool("check", "config", scratch / "prometheus.yml")
