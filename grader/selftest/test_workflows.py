"""The workflows: their form, what they pin, who sees a token; and the steps of grade-class.yml, run with a false gh."""

import csv
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.classroom.collect import INDEX
from grader.classroom.comment import MARKER
from grader.classroom.unpack import BadArchive, unpack
from grader.classroom.unpack import main as unpack_all
from grader.export.markdown import markdown
from grader.grading.result import PartResult, Result, TestResult
from grader.paths import ROOT, SOLUTION
from grader.proving.fakes.fake_github import FakeGitHub, archive, error
from grader.proving.helpers import FILES
from grader.worker.isolation import Isolation

STUDENT_WORKFLOW = ROOT / "grader" / "release" / "files" / "classroom.yml"
STAFF_WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = [STUDENT_WORKFLOW, *STAFF_WORKFLOWS]
GRADE_CLASS = ROOT / ".github" / "workflows" / "grade-class.yml"


def jobs_of(path: Path) -> dict[str, Any]:
    jobs: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return jobs


def test_all_workflows_are_valid() -> None:
    """By the published schema of GitHub's workflows, in the copy that check-jsonschema carries."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, *map(str, WORKFLOWS)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_check_of_workflows_finds_faults(tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("on: push\njobs:\n  x:\n    runs-on: y\n    step: []\n", encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    assert subprocess.run([*command, str(tmp_path / "bad.yml")], capture_output=True, timeout=60).returncode == 1


def test_the_dev_container_is_json() -> None:
    data = json.loads((ROOT / "grader" / "release" / "files" / "devcontainer.json").read_text(encoding="utf-8"))
    assert data["postCreateCommand"] == "pip install -e ."


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_permissions_are_few(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    uses = re.findall(r"uses: (.*)", text)
    assert uses
    for action in uses:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+(\.\d+\.\d+)?", action), action
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    for job in jobs_of(path).values():
        assert job["timeout-minutes"] and "permissions" not in job
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            assert "${{" not in step.get("run", "").replace("${{ matrix.", "")  # no text of others in a shell


def test_no_token_where_students_code_runs() -> None:
    jobs = jobs_of(GRADE_CLASS)
    with_token = {
        (name, step.get("name"))
        for name, job in jobs.items()
        for step in job["steps"]
        if "secrets." in json.dumps(step) or "github.token" in json.dumps(step)
    }
    assert with_token == {("collect", "Collect"), ("comment", "Comment")}
    assert "environment" not in jobs["grade"] and "secrets" not in json.dumps(jobs["grade"])
    assert [step["name"] for step in jobs["grade"]["steps"] if "grader class" in step.get("run", "")] == ["Grade"]
    for name in ("collect", "comment"):
        assert not re.search("grader class|grader grade|pip install", json.dumps(jobs[name]))
    student = STUDENT_WORKFLOW.read_text(encoding="utf-8")
    assert "secrets." not in student and "github.token" not in student


def test_what_was_done_is_uploaded_when_the_time_is_up() -> None:
    """A job at its limit counts as cancelled, a step at its own does not: what uploads runs in both cases."""
    jobs = jobs_of(GRADE_CLASS)
    for name, limited in (("collect", "Collect"), ("grade", "Grade")):
        steps = jobs[name]["steps"]
        number = [step.get("name") for step in steps].index(limited)
        rest = jobs[name]["timeout-minutes"] - steps[number]["timeout-minutes"]
        assert rest >= 10 and not steps[number].get("if")
        assert all(step["if"] == "${{ always() }}" for step in steps[number + 1 :])
        assert steps[-1]["uses"].startswith("actions/upload-artifact@") and steps[-1]["id"] == "upload"
        assert {*jobs[name]["outputs"].values()} == {"${{ steps.upload.outputs.artifact-id }}"}
    for name, commands in (("Collect", "collect"), ("Grade", "class")):
        (step,) = [step for job in jobs.values() for step in job["steps"] if step.get("name") == name]
        assert step["run"].strip().splitlines()[-1].startswith(f"exec python -m grader {commands} ")


def test_a_failed_job_does_not_keep_the_others_from_what_it_has_done() -> None:
    """Without a status function in a job's `if` it would run only after success, and `always()` can't be cancelled."""
    jobs = jobs_of(GRADE_CLASS)
    assert jobs["grade"]["if"] == "${{ !cancelled() && needs.collect.outputs.archives != '' }}"
    assert jobs["comment"]["if"] == "${{ !cancelled() && inputs.comment && needs.grade.outputs.graded != '' }}"
    for name in ("grade", "comment"):
        needs = jobs[name]["needs"] if isinstance(jobs[name]["needs"], list) else [jobs[name]["needs"]]
        for needed, output in re.findall(r"needs\.(\w+)\.outputs\.(\w+)", jobs[name]["if"]):
            assert needed in needs and output in jobs[needed]["outputs"]


def test_ci_runs_the_commands_of_the_readme() -> None:
    jobs = jobs_of(ROOT / ".github" / "workflows" / "ci.yml")
    assert any(step.get("run", "").startswith("make test") for step in jobs["linux"]["steps"])
    assert jobs["others"]["strategy"]["matrix"]["os"] == ["macos-latest", "windows-latest"]
    for job in jobs.values():
        assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    commands = [step.get("run", "") for step in jobs["others"]["steps"]]
    assert [c for c in commands if c and not re.match("pytest |python -m pip ", c)] == lint_commands()


def lint_commands() -> list[str]:
    """What `make lint` runs, as it would be typed."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    values = {"BIN": "", **dict(re.findall(r"^(CODE|TEXTS) := (.*)$", makefile, re.MULTILINE))}
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    lines = [re.sub(r"\$\((\w+)\)/?", lambda name: values[name[1]], line) for line in recipe[1].splitlines()]
    return [line.strip() for line in lines]


@pytest.mark.parametrize("command", lint_commands(), ids=lambda command: " ".join(command.split()[:2]))
def test_code_types_and_texts_are_as_lint_wants_them(command: str) -> None:
    """Beside the other tests, since the type checker takes half a minute."""
    tool, *arguments = command.split()
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run([sys.executable, "-m", tool, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_lint_has_one_list_of_commands() -> None:
    """The hook of pre-commit calls make."""
    assert [command.split()[0] for command in lint_commands()] == ["ruff", "ruff", "mypy", "mdformat"]
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (repository,) = config["repos"]
    (hook,) = repository["hooks"]
    assert repository["repo"] == "local" and hook["language"] == "system" and hook["entry"] == "make lint"
    assert hook["pass_filenames"] is False and hook["always_run"] is True


def test_lint_looks_at_every_text() -> None:
    """But for those that a program writes."""
    places = lint_commands()[-1].split()[2:]
    assert all((ROOT / place).exists() for place in places)
    folders = [ROOT / name for name in (".github", "grader", "solution", "starter", "tests")]
    paths = [*ROOT.glob("*.md"), *(path for folder in folders for path in folder.rglob("*.md"))]
    texts = {path.relative_to(ROOT).as_posix() for path in paths if ".pytest_cache" not in path.parts}
    unseen = {name for name in texts if not any(name == place or name.startswith(f"{place}/") for place in places)}
    generated = {"grader/proving/REPORT.md", "grader/proving/GPU_RESULTS.md"}
    assert unseen <= {*generated, "starter/batching_lab/model/micro/MODEL_CARD.md"}


# grade-class.yml, with a program `gh` of our own


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGitHub:
    """A class of five, and the lab's template."""
    if sys.platform == "win32" or shutil.which("bash") is None:
        pytest.skip("needs bash and a program made of a script")
    fake = FakeGitHub(tmp_path / "github")
    path = [str(fake.bin), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    names = ["lab-ada", "lab-bad", "lab-cut", "lab-gone", "lab-empty", "lab-template", "other"]
    listing = [{"full_name": f"course/{name}", "is_template": name == "lab-template"} for name in names]
    fake.say("orgs/course/repos?per_page=100&page=1", {"body": json.dumps(listing)})
    solution = {f"course-lab-ada-abc/starter/{name}": (SOLUTION / name).read_bytes() for name in FILES}
    ada = archive({**solution, "course-lab-ada-abc/starter/conftest.py": b"raise SystemExit"})
    fake.has("course/lab-ada", ada, ref="/v1")
    fake.has("course/lab-cut", ada, ref="/v1")
    bad = archive({"x/starter/scheduler.py": b"def f(:\n", "x/starter/answers.toml": b"x ="})
    fake.has("course/lab-bad", bad, ref="/v1")
    fake.say("repos/course/lab-empty/tarball/v1", {"status": 400, "error": "HTTP 400"})
    fake.say("repos/course/lab-empty/commits?per_page=1", error(409, "Git Repository is empty."))
    for name in names[1:5]:
        no_pull_request = f"repos/course/{name}/pulls?state=open&sort=created&direction=asc&per_page=1"
        fake.say(no_pull_request, {"body": "[]"})
    return fake


def run_step(name: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    step = next(step for job in jobs_of(GRADE_CLASS).values() for step in job["steps"] if step.get("name") == name)
    assert set(environment) == {key for key in step.get("env", {}) if not key.endswith("TOKEN")}
    path = os.pathsep.join([str(ROOT), str(ROOT / "starter")])
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, "GH_TOKEN": "secret-token", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=150,
    )


def test_the_class_is_graded_with_isolation() -> None:
    """Without the packages of the extra every student would be a grader_error."""
    text = (ROOT / ".github" / "workflows" / "grade-class.yml").read_text(encoding="utf-8")
    assert re.findall(r"pip install .*", text) == [
        'pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[grader]"'
    ]


def test_the_steps_of_grade_class(github: FakeGitHub, tmp_path: Path) -> None:
    """Complete, broken, with an archive cut off afterwards, gone, empty: each gets a line, two of them a score."""
    done = run_step("Collect", tmp_path, ORG="course", PREFIX="lab-", LIST="", REF="v1")
    assert done.returncode == 1 and "Collected 3 of 5 repositories." in done.stdout, done.stderr
    assert "Left out: course/lab-template" in done.stdout and "Not collected: course/lab-gone" in done.stderr
    assert sum("tarball" in endpoint for endpoint in github.asked()) == 5
    cut = tmp_path / "archives" / "lab-cut.tar.gz"
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    done = run_step("Grade", tmp_path, OPTIONS="--allow-weak-isolation")
    assert done.returncode == 1, done.stderr
    done = run_step("Export", tmp_path)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "graded" / "class.csv").read_text(encoding="utf-8-sig")
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table))}
    assert rows.pop("lab-empty")["score"] == ""
    assert {name: (row["status"], row["score"]) for name, row in rows.items()} == {
        "lab-ada": ("graded", "94" if importlib.util.find_spec("torch") else "90"),
        "lab-bad": ("graded", "0"),
        "lab-cut": ("grader_error", ""),
        "lab-gone": ("grader_error", ""),
    }
    assert "404" in rows["lab-gone"]["remark"] and "can't be read" in rows["lab-cut"]["remark"]
    feedback = tmp_path / "graded" / "feedback"
    assert {path.name for path in feedback.glob("*.md")} == {f"{name}.md" for name in [*rows, "lab-empty"]}
    assert "No score yet" in (feedback / "lab-gone.md").read_text(encoding="utf-8")
    assert "secret-token" not in "".join(path.read_text("utf-8") for path in (tmp_path / "graded").rglob("*.*"))
    kept = github.has_pull_request("course/lab-ada")
    for word in ("posted", "edited"):
        done = run_step("Comment", tmp_path)
        assert done.returncode == 1 and f"lab-ada: {word}" in done.stdout, done.stderr
        assert "lab-bad: it has no open pull request" in done.stdout
        assert "lab-gone: not collected" in done.stdout
        (posted,) = json.loads(kept.read_text(encoding="utf-8"))
        assert posted["body"] == f"{MARKER}\n{(feedback / 'lab-ada.md').read_text(encoding='utf-8')}"


def test_archives_give_up_plain_files_of_starter_only(tmp_path: Path) -> None:
    names = ["x/starter/a.py", "x/starter/answers.toml", "x/b.py", "x/starter/sub/c.py", "x/tests/d.py"]
    names += ["../starter/e.py", "x/starter/..", "/x/starter/f.py", "x/starter/notes.txt", "x/starter/g\\h.py"]
    made = archive(dict.fromkeys(names, b"1"), {"x/starter/link.py": "/etc/passwd"})
    (tmp_path / "a.tar.gz").write_bytes(made)
    unpack(tmp_path / "a.tar.gz", tmp_path / "out" / "s")
    found = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert found <= {"s/a.py", "s/answers.toml", "s/e.py"} and {"s/a.py", "s/answers.toml"} <= found
    assert not list(tmp_path.rglob("link.py"))


def test_an_archive_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.classroom.unpack.MAX_ARCHIVE_BYTES", 1000)
    (tmp_path / "a.tar.gz").write_bytes(archive({"x/big.bin": b"0" * 2000, "x/starter/a.py": b""}))
    with pytest.raises(BadArchive, match="is larger than"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "out")


def test_comments_mention_nobody() -> None:
    message = "@staff <img> https://evil.example `x` | [a](b)\n# big"
    tests = [TestResult("t", 0.0, 1.0, "failed", message, 0.0)]
    parts = [PartResult("1", "Title", 0.0, 1.0, tests)]
    text = markdown(Result("graded", "s", "k", Isolation("full", []), 0.0, 1.0, [], parts))
    assert "@staff" not in text and "<img" not in text and "://" not in text and "\n#" not in text
    assert len(markdown(Result("graded", "s", "k", Isolation("full", []), 0.0, 1.0, [], parts * 2000))) < 65_000


def test_archives_are_unpacked_for_the_gpu_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder each; a broken archive is named, leaves nothing behind, and is tried again the next time."""
    archives, out = tmp_path / "archives", tmp_path / "submissions"
    archives.mkdir()
    with tarfile.open(archives / "ann lee.tar.gz", "w:gz") as tar:
        tar.add(SOLUTION, "ann-lee-1a2b/starter")
    (archives / "bob.tar.gz").write_bytes(b"no archive")
    for _ in range(2):
        assert unpack_all([str(archives), "--out", str(out)]) == 1
        assert capsys.readouterr().err.startswith("bob.tar.gz: the repository's archive can't be read")
        assert [path.name for path in out.iterdir()] == ["ann lee"]
    assert (out / "ann lee" / "scheduler.py").read_bytes() == (SOLUTION / "scheduler.py").read_bytes()


def test_unpacking_after_another_collecting_renews(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the GPU stage would time what is not handed in any more."""
    for number in ("1", "1", "2"):
        (tmp_path / "ann.tar.gz").write_bytes(archive({"ann-1a2b/starter/scheduler.py": number.encode()}))
        assert unpack_all([str(tmp_path), "--out", str(tmp_path / "out")]) == 0
        assert (tmp_path / "out" / "ann" / "scheduler.py").read_text(encoding="utf-8") == number
    former = tmp_path / "out" / ".former" / "ann"
    assert capsys.readouterr().out.splitlines() == [f"ann: renewed; the older one is {former}"]
    assert (former / "scheduler.py").read_text(encoding="utf-8") == "1"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".former", "ann"]


def test_a_folder_that_can_not_be_unpacked_to_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ann.tar.gz").write_bytes(archive({"ann-1a2b/starter/scheduler.py": b""}))
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    assert unpack_all([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == f"unpack: can't write {tmp_path / 'out'}: File exists\n"


def test_an_archive_that_could_not_be_fetched_anew_is_not_unpacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The GPU stage would time what class grading does not grade."""
    entries = {"ann": {"repository": "c/ann", "error": ""}, "bob": {"repository": "c/bob", "error": "gh: HTTP 502"}}
    for student in entries:
        with tarfile.open(tmp_path / f"{student}.tar.gz", "w:gz") as tar:
            tar.add(SOLUTION, f"{student}-1a2b/starter")
    (tmp_path / INDEX).write_text(json.dumps(entries), encoding="utf-8")
    assert unpack_all([str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["ann"]
    assert capsys.readouterr().err == "bob.tar.gz: not unpacked: gh: HTTP 502\n"
    (tmp_path / INDEX).write_text("{", encoding="utf-8")
    assert unpack_all([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("unpack: ")
