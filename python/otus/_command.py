"""The command ``otus``, which is the same as that of the binary."""

import os
import signal
import sys

from . import _otus


def main() -> int:
    """Runs the command with the arguments of the process, and gives its exit status."""
    # Python would keep Ctrl-C to itself until the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _otus.command_line(os.path.abspath(sys.argv[0]), sys.argv[1:])
