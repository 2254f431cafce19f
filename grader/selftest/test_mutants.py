"""`make mutants` on a small sample, and the list of equivalent mutants."""

from pathlib import Path

import pytest

from grader.grading.rubric import load_rubric
from grader.paths import SOLUTION
from grader.proving import mutants
from grader.proving.mutants import (
    Explanation,
    Mutant,
    Verdict,
    judge,
    load_explanations,
    make_mutants,
    mutant_of,
    try_mutants,
)

PART_OF = {test.id: part.id for part in load_rubric().values() for test in part.tests}
EQUIVALENT = (
    "scheduler.py",
    "while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:",
    "while self.waiting and len(self.running) < self.config.max_num_seqs and budget != 0:",
)
ENDLESS = (
    "scheduler.py",
    "            if not self.worst_case_fits(sequence.request):\n                break",
    "            if not self.worst_case_fits(sequence.request):\n                continue",
)
KILLED = {
    "1": ("scheduler.py", "        if not self.running:\n", "        if self.running:\n"),
    "2": ("kv_allocator.py", "num_tokens) <= self.num_free_blocks", "num_tokens) < self.num_free_blocks"),
    "3": ("scheduler.py", "self.worst_case_blocks(request) <= self", "self.worst_case_blocks(request) < self"),
    "5": ("scheduler.py", "last=False", "last=True"),
}
BEFORE, AFTER = "x = 1\n\n\nclass A:\n    def f(self):\n        return 2 < 3\n", "2 <= 3"
SMALL = mutant_of("a.py", BEFORE, BEFORE.replace("2 < 3", AFTER))


def mutant(file: str, old: str, new: str) -> Mutant:
    text = (SOLUTION / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    return mutant_of(file, text, text.replace(old, new))


def explanation(*mutated: str) -> Explanation:
    return Explanation("a.py", "A.f", "return 2 < 3", mutated, "Both are true.")


def test_sample() -> None:
    sample = {part: mutant(*change) for part, change in KILLED.items()}
    equivalent, endless = mutant(*EQUIVALENT), mutant(*ENDLESS)
    verdicts = {v.mutant: v for v in try_mutants([endless, equivalent, *sample.values()], jobs=2, cpu_seconds=4)}
    assert verdicts[equivalent].status == "survived" and verdicts[endless].status == "timed_out"
    for part, killed in sample.items():
        assert verdicts[killed].status == "killed" and PART_OF[str(verdicts[killed].killed_by)] == part
    assert [e.reason for e in load_explanations() if equivalent.key in e.keys] != []


def test_explanations_fit_the_solution() -> None:
    keys = [key for entry in load_explanations() for key in entry.keys]
    assert keys and len(set(keys)) == len(keys)
    for entry in load_explanations():
        assert entry.reason.endswith(".") and entry.original not in entry.mutated
        lines = [line.strip() for line in (SOLUTION / entry.file).read_text(encoding="utf-8").splitlines()]
        assert entry.original in lines, entry


def test_mutant_names_its_place() -> None:
    assert SMALL.key == ("a.py", "A.f", "return 2 < 3", "return 2 <= 3") and SMALL.line == 6
    assert str(SMALL) == "solution/a.py:6, A.f\n  - return 2 < 3\n  + return 2 <= 3"


def test_survivor_needs_an_explanation() -> None:
    outcome = judge([Verdict(SMALL, "survived")], [])
    assert (outcome.survived, outcome.equivalent) == (1, 0)
    assert outcome.complaints == [f"No hidden test notices {SMALL}"]
    outcome = judge([Verdict(SMALL, "survived")], [explanation("return 2 <= 3")])
    assert (outcome.survived, outcome.equivalent, outcome.complaints) == (0, 1, [])


@pytest.mark.parametrize(
    ("verdict", "what"),
    [(Verdict(SMALL, "killed", "early_eos"), "early_eos fails"), (Verdict(SMALL, "timed_out"), "do not end")],
)
def test_explanation_of_a_killed_mutant_is_wrong(verdict: Verdict, what: str) -> None:
    [complaint] = judge([verdict], [explanation("return 2 <= 3")]).complaints
    assert what in complaint


def test_stale_explanation_is_found() -> None:
    [complaint] = judge([Verdict(SMALL, "survived")], [explanation("return 2 <= 3", "return 2 > 3")]).complaints
    assert "a mutant that there is not" in complaint and "return 2 > 3" in complaint


def test_exit_status_tells_of_complaints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mutants.json"
    monkeypatch.setattr(mutants, "run", lambda jobs: judge([Verdict(SMALL, "survived")], []))
    assert mutants.main(["--json", str(file)]) == 1
    assert "1 mutants: 0 killed, 0 timed out, 0 equivalent, 1 survived" in capsys.readouterr().out
    assert '"status": "survived"' in file.read_text(encoding="utf-8")
    monkeypatch.setattr(mutants, "run", lambda jobs: judge([Verdict(SMALL, "killed", "early_eos")], []))
    assert mutants.main([]) == 0


def test_mutants_of_the_tool() -> None:
    """No annotations, nothing twice, and the keys are those of the list."""
    pytest.importorskip("cosmic_ray")
    text = "x: int | None = 1\n\n\ndef f(a: int | None) -> int | None:\n    return a\n"
    assert [m.mutated for m in make_mutants("a.py", text)] == ["x: int | None = 2", "x: int | None = 0"][::-1]
    solution = (SOLUTION / "scheduler.py").read_text(encoding="utf-8")
    made = {m.key for m in make_mutants("scheduler.py", solution, ["core/ReplaceBreakWithContinue"])}
    explained = {key for entry in load_explanations() for key in entry.keys if key[3].startswith("continue")}
    assert explained and explained <= made
