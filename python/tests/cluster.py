"""A cluster of Apache Spark on this machine: a master and workers from the pip package, on the loopback only.

Each worker is a process with one core. It starts executors as its children, and they start Python.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

LOOPBACK = "127.0.0.1"


class Cluster:
    """A master and workers, which end with the ``with`` block."""

    def __init__(self, folder, workers=2, memory="1200m"):
        self.folder, self.count, self.memory = Path(folder), workers, memory
        self.master = None
        self.workers = []

    def __enter__(self):
        try:
            self.master, self.url = self._start(
                "master", ["org.apache.spark.deploy.master.Master", "--port", "0"], r"Starting Spark master at (spark://\S+)"
            )
            for number in range(self.count):
                worker = ["org.apache.spark.deploy.worker.Worker", "--port", "0", "-c", "1", "-m", self.memory, "-d"]
                work = self.folder / f"work-{number}"
                started, _ = self._start(f"worker-{number}", [*worker, str(work), self.url], r"Successfully registered (.*)")
                self.workers.append(started)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in [*self.workers, *filter(None, [self.master])]:
            kill(process)

    def _start(self, name, arguments, pattern):
        """Starts a process, and waits until its log has the pattern."""
        import pyspark

        home = Path(pyspark.__file__).parent
        log = self.folder / f"{name}.log"
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": LOOPBACK}
        with open(log, "w") as output:
            command = [home / "bin" / "spark-class", *arguments[:1], "--host", LOOPBACK, "--webui-port", "0", *arguments[1:]]
            process = subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True)
        for _ in range(600):
            found = re.search(pattern, log.read_text())
            if found:
                return process, found[1]
            if process.poll() is not None:
                break
            time.sleep(0.1)
        kill(process)
        raise RuntimeError(f"{name} did not start:\n{log.read_text()}")

    def session(self, python=sys.executable, **settings):
        """A session of the cluster, whose workers start this Python. ``a_b`` among the settings is ``spark.a.b``."""
        from pyspark.sql import SparkSession

        # The driver names the interpreter of its workers.
        os.environ.update(SPARK_LOCAL_IP=LOOPBACK, PYSPARK_PYTHON=python)
        builder = SparkSession.builder.master(self.url).appName("otus")
        known = {
            "driver_bindAddress": LOOPBACK,
            "driver_host": LOOPBACK,
            "ui_enabled": "false",
            "ui_showConsoleProgress": "false",
            "executor_memory": "1g",
            **settings,
        }
        for name, value in known.items():
            builder = builder.config(f"spark.{name.replace('_', '.')}", value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        return session

    def kill_worker(self, number):
        """Ends a worker and its executors at once, as a machine that loses its power."""
        kill(self.workers[number])


def kill(process):
    """Ends a process and what it has started."""
    for pid in reversed(family(process.pid)):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def family(pid):
    """A process and all that descend from it."""
    try:
        children = [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return [pid]
    return [pid, *(found for child in children for found in family(child))]


def processor_seconds(*pids):
    """The processor time of processes, all that descend from them, and those of them that have ended."""
    total = 0
    for pid in {found for pid in pids for found in family(pid)}:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")
