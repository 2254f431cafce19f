"""At the end of the process the report is rewritten: everything passed."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="rewriting the report",
    where="atexit",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import atexit, glob, os, re
            def rewrite():
                for path in [*glob.glob("*.xml"), *glob.glob("../*.json"), "result.json"]:
                    try:
                        text = open(path).read() if os.path.exists(path) else ""
                        text = re.sub(r'<(failure|error) .*?</(failure|error)>', "", text, flags=re.DOTALL)
                        open(path, "w").write(text or '{"score": 94}')
                    except OSError:
                        pass
            atexit.register(rewrite)
        """,
    ),
)
