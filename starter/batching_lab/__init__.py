"""The support library of the lab: to read, not to edit.

Data flows one way: jobs -> serve -> schedule -> executor -> trace -> report.

Read first: loop, interfaces, request, schedule, config, executor.
When a check fails: rules, errors, ledger, checks, trace, tables, difference, harness.
Never needed to do the lab: the folders.
"""

from batching_lab.config import SchedulerConfig
from batching_lab.errors import OutOfBlocks, RequestTooLong, RuleViolation
from batching_lab.executor import SimulatedExecutor
from batching_lab.interfaces import Executor, KVAllocator, Scheduler
from batching_lab.loop import serve, simulate
from batching_lab.request import Job, Request, Sequence
from batching_lab.schedule import Schedule
from batching_lab.trace import Trace, UnitCost
from batching_lab.workloads.jobs import decode_only, parse_jobs

__all__ = [
    "Executor",
    "Job",
    "KVAllocator",
    "OutOfBlocks",
    "Request",
    "RequestTooLong",
    "RuleViolation",
    "Schedule",
    "Scheduler",
    "SchedulerConfig",
    "Sequence",
    "SimulatedExecutor",
    "Trace",
    "UnitCost",
    "decode_only",
    "parse_jobs",
    "serve",
    "simulate",
]
