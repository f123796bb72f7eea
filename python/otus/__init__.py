"""Checks what a distributed system did against its sequence diagrams.

>>> import otus
>>> spec = otus.Spec.from_mermaid('''sequenceDiagram
...     client->>server: request
...     server-->>client: response
... ''')
>>> run = otus.Run()
>>> _ = run.log("client").sent("request").received("response")
>>> _ = run.log("server").received("request").sent("response")
>>> otus.assert_conforms(spec, run).verdict
'Pass'
"""

from ._assert import Nonconformance, assert_conforms
from ._case import Case, Drawing
from ._errors import Finding, OtusError, SpecError, Stopped, TableError
from ._options import Checks, Parts, Rows
from ._findings import Findings, Table
from ._otus import __version__
from ._project import Answer, Checked, Learnt, Order, Project, check, check_logs, ctl, draw, explain, learn
from ._run import Log, Run
from ._spec import Spec
from ._table import Checker, Verdicts, check_stream, check_table

__all__ = [
    "Answer",
    "Case",
    "Checked",
    "Checker",
    "Checks",
    "Drawing",
    "Finding",
    "Findings",
    "Learnt",
    "Log",
    "Nonconformance",
    "Order",
    "OtusError",
    "Parts",
    "Project",
    "Rows",
    "Run",
    "Spec",
    "SpecError",
    "Stopped",
    "Table",
    "TableError",
    "Verdicts",
    "__version__",
    "assert_conforms",
    "check",
    "check_logs",
    "check_stream",
    "check_table",
    "ctl",
    "draw",
    "explain",
    "learn",
]
