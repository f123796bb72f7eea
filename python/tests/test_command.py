"""The command ``otus`` that the package installs behaves as the binary does."""

import os
import re
import signal
import subprocess
import sysconfig
import time
from pathlib import Path

import otus
import pytest

OTUS = str(Path(sysconfig.get_path("scripts")) / "otus")
"""The command of this environment."""

BOTH = [OTUS, *filter(None, [os.environ.get("OTUS_BINARY")])]
"""The command, and the binary to compare it with if there is one."""

FLOW = "sequenceDiagram\n  client->>server: request\n  server-->>client: response\n"
RIGHT = "{[client] client!request.client?response; [server] server?request.server!response}\n"
WRONG = "{[client] client!request.client?response; [server] server?request}\n"


def run(*arguments, program=OTUS, **options):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "flow.mmd").write_text(FLOW)
    (tmp_path / "right.htf").write_text(RIGHT)
    (tmp_path / "wrong.htf").write_text(WRONG)
    return tmp_path


def test_the_version_is_that_of_the_package():
    done = run("--version")
    assert (done.stdout, done.returncode) == (f"otus {otus.__version__}\n", 0)


@pytest.mark.parametrize("program", BOTH)
def test_exit_statuses(folder, program):
    def status(*arguments):
        return run(*arguments, program=program, cwd=folder).returncode

    assert status("analyze", "flow.mmd", "right.htf") == 0
    assert status("analyze", "flow.mmd", "wrong.htf") == 1
    assert status("analyze", "flow.mmd", "missing.htf") == 2
    assert status("analyse") == 2
    assert status("analyze", "flow.mmd", "right.htf", "--max-states", "0") == 3


@pytest.mark.parametrize("program", BOTH)
def test_standard_input_and_output(folder, program):
    done = run("analyze", "flow.mmd", "-", program=program, cwd=folder, input=WRONG)
    assert done.returncode == 1 and "missing-counterpart" in done.stdout
    done = run("draw", "flow.mmd", "-o", "-", program=program, cwd=folder)
    assert done.stdout.startswith("<svg") and done.stdout.rstrip().endswith("</svg>")
    # A reader that stops early is no error.
    done = subprocess.run(f"'{program}' draw flow.mmd -o - | head -c 10", shell=True, cwd=folder, capture_output=True)
    assert done.stdout == b"<svg xmlns" and done.stderr == b""


@pytest.mark.parametrize("program", BOTH)
def test_it_starts_itself_again(tmp_path, program):
    done = run("demo", "mqtt", program=program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "$ otus analyze" in done.stdout and "1 fail" in done.stderr


def test_what_it_prints_is_what_the_binary_prints(folder):
    if len(BOTH) == 1:
        pytest.skip("OTUS_BINARY names no binary")

    def told(program, *arguments):
        done = run(*arguments, program=program, cwd=folder)
        text = re.sub(r"[0-9.]+ ms", "… ms", done.stdout + done.stderr)
        return text.replace(program, "otus"), done.returncode

    for arguments in (["--version"], ["--help"], ["analyze", "--help"], ["analyze", "flow.mmd", "wrong.htf"], ["lint", "no.mmd"], ["x"]):
        assert told(OTUS, *arguments) == told(BOTH[1], *arguments)


@pytest.mark.parametrize("program", BOTH)
def test_ctrl_c_ends_it(folder, program):
    # It waits for standard input.
    work = subprocess.Popen(
        [program, "analyze", "flow.mmd", "-"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # Until its watchdog is there: a thread of the process.
    tasks = Path(f"/proc/{work.pid}/task")
    for _ in range(600):
        if not tasks.exists() or "watchdog" in {(task / "comm").read_text().strip() for task in tasks.iterdir()}:
            break
        time.sleep(0.05)
    work.send_signal(signal.SIGINT)
    # Its input stays open.
    assert work.wait(timeout=60) == 3
    assert b"Traceback" not in work.stderr.read()
    work.stdin.close()
