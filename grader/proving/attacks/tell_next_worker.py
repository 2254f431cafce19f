"""A hidden value is left as the name of a folder, and told by the next test's import."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="telling hidden values",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="there are no workers in the plain grader",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            import os
            found = [name for name in os.listdir('.') if name.startswith('told')]
            if found:
                raise RuntimeError(found[0])
        """,
        add_request="""
            try:
                os.mkdir('told%d' % request.prompt_token_ids[0])
            except OSError:
                pass
        """,
    ),
)
