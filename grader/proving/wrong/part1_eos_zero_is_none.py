"""`if eos_token_id` asks whether the request has one."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("eos_token_ids",),
    file="scheduler.py",
    changes=(
        (
            """\
                if sequence.is_finished:
""",
            """\
                eos = sequence.request.eos_token_id
                if (eos and sampled[request_id] == eos) or (
                    len(sequence.output_token_ids) >= sequence.request.max_tokens
                ):
""",
        ),
    ),
)
