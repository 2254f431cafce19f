"""A run as JSON, for other programs."""

import json
from dataclasses import asdict
from typing import Any

from batching_lab.trace import Trace


def trace_json(trace: Trace) -> str:
    """The whole trace as JSON text: ticks, requests, limits, totals."""
    data: dict[str, Any] = {
        "schema": "batching-lab/trace/v1",
        "limits": None if trace.limits is None else asdict(trace.limits),
        "num_blocks": trace.num_blocks,
        "block_size": trace.block_size,
        "num_ticks": trace.num_ticks,
        "num_preemptions": trace.num_preemptions,
        "num_recomputed_tokens": trace.num_recomputed_tokens,
        "slot_utilization": trace.slot_utilization,
        "kv_utilization": trace.kv_utilization,
        "violation": None if trace.violation is None else str(trace.violation),
        "ticks": [vars(tick) for tick in trace.ticks],
        "requests": [
            {
                "request_id": r.request_id,
                "arrival": r.arrival,
                "num_prompt_tokens": r.num_prompt_tokens,
                "status": r.status,
                "token_ticks": r.token_ticks,
                "finish_tick": r.finish_tick,
                "ttft": r.ttft,
                "latency": r.latency,
                "num_preemptions": r.num_preemptions,
                "num_recomputed_tokens": r.num_recomputed_tokens,
            }
            for r in trace.requests.values()
        ],
    }
    return json.dumps(data, indent=1)
