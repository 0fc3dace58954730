"""A real Prometheus that scrapes a service every second with our alerts, and what it answers."""

import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # noqa: E402


def find(source):
    """Where it is, or None; see tools/promtool.sh."""
    return shutil.which("prometheus") or shutil.which("prometheus", path=str(source / "build" / "tools"))


class Prometheus:
    def __init__(self, program, folder, service_port, rules):
        self.program, self.folder = program, folder
        config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(rules)],
                  "scrape_configs": [{"job_name": "bloomery", "static_configs": [{"targets": [f"127.0.0.1:{service_port}"]}]}]}
        (folder / "prometheus.json.yml").write_text(json.dumps(config))  # JSON is YAML
        self.log = folder / "prometheus.log"
        self.start()

    def start(self):
        self.port = free_port()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [self.program, f"--config.file={self.folder}/prometheus.json.yml", f"--storage.tsdb.path={self.folder}/tsdb",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def get(self, path, **parameters):
        """The data of the answer."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refusal:
            raise AssertionError(f"{parameters}: {refusal.read().decode()}") from None

    def query(self, expression):
        """Its series now."""
        return self.get("query", query=expression)["result"]

    def range(self, expression, start, end, step):
        return self.get("query_range", query=expression, start=start, end=end, step=step)["result"]

    def wait_until_it_scrapes(self, patience=120):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if self.process.poll() is not None and "address already in use" in self.log.read_text():
                self.start()  # somebody was faster
            with contextlib.suppress(OSError, AssertionError):
                if self.query("bloomery_queries_total"):
                    return
            time.sleep(0.2)
        raise AssertionError(f"Prometheus has scraped nothing: {self.log.read_text()[-2000:]}")


@contextlib.contextmanager
def prometheus(program, folder, service_port, rules):
    server = Prometheus(program, folder, service_port, rules)
    try:
        server.wait_until_it_scrapes()
        yield server
    finally:
        server.process.terminate()
        server.process.wait()


def expressions(panel, rate_interval="5m"):
    """[(expression, legend)] of a panel of dashboard.json, its variables filled in."""
    for target in panel["targets"]:
        text = target["expr"].replace("$__rate_interval", rate_interval).replace("$instance", ".*").replace("$filter", ".*")
        yield text, target.get("legendFormat", "")
