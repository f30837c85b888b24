"""Attacks: each tries to pass bad work, to lose data or to hang, and is named after what it tries."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
from test_ledger import doc_id, framework, load, write

LEASE = b"The tenant shall not assign this Agreement without consent.\n"
DEED = b"The landlord may enter on notice.\n"


@pytest.fixture
def honest(run, tmp_path):
    """A run through all stages: one quote stands in its document, the other was rejected."""
    folder = tmp_path / "run"
    (folder / "room").mkdir(parents=True)
    entries, findings = [], []
    for name, data, quote in (
        ("a.txt", LEASE, "shall not assign this Agreement"),
        ("b.txt", DEED, "may enter at any time"),
    ):
        (folder / "room" / name).write_bytes(data)
        identity = doc_id(data)
        entries.append({"id": identity, "path": name, "readability": "native"})
        findings.append(
            {
                "finding_id": f"coc/{identity}",
                "issue_id": "coc",
                "lens_id": "control",
                "unit_id": identity,
                "doc_id": identity,
                "status": "present",
                "section": "1",
                "quote": quote,
                "characterization": "It does.",
            }
        )
    write(folder / "manifest.json", {"documents": entries, "counts": {"files": 2, "native": 2}})
    write(folder / "framework.json", framework())
    write(folder / "findings.json", {"framework_version": 2, "findings": findings, "parked": []})
    run(
        *[
            "ledger",
            "quotes",
            "--findings",
            "findings.json",
            "--manifest",
            "manifest.json",
            "--room-root",
            "room",
        ],
        *("--out", "quoted.json"),
        cwd=folder,
    )
    derive(run, folder, "quoted.json")
    return folder


def derive(run, folder, source):
    """Plan, results and merged ledger from ``source``."""
    done = run(
        *f"ledger plan --findings {source} --framework framework.json --out plan.json".split(),
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout
    results(folder)
    done = run(
        *f"ledger merge --findings {source} --checker-plan plan.json --results-dir results".split(),
        *("--out", "checked.json"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout


def results(folder):
    shutil.rmtree(folder / "results", ignore_errors=True)
    (folder / "results").mkdir()
    plan = load(folder / "plan.json")
    for job in plan["jobs"]:
        result = {
            "checker_plan_id": plan["plan_id"],
            "finding_id": job["finding_id"],
            "objection": "",
            "verdict": "confirmed",
        }
        write(folder / "results" / job["result_file"], result)


def forged(folder, source="findings.json"):
    ledger = load(folder / source)
    for finding in ledger["findings"]:
        finding["status"] = "present"
        finding["quote_verification"] = {
            "checker": "deterministic-text-match",
            "status": "confirmed",
        }
        finding["verification"] = {
            "checker": "independent",
            "objection": "",
            "status": "confirmed",
        }
    return ledger


def codes(run, folder, *arguments):
    done = run("ledger", *arguments, "--format", "json", cwd=folder)
    assert done.stdout, done.stderr
    (outcome,) = json.loads(done.stdout)["outcomes"]
    return done.returncode, [finding["code"] for finding in outcome["findings"]]


def test_the_honest_run_passes_with_and_without_receipt_files(run, honest):
    assert codes(run, honest, "check", ".") == (0, [])
    assert codes(run, honest, "verify", ".") == (0, [])
    for receipt in honest.glob("*.receipt.json"):
        receipt.unlink()
    assert codes(run, honest, "check", ".") == (0, [])
    assert "derived from the files alone" in run("ledger", "check", ".", cwd=honest).stdout


def unlinked(run, folder):
    ledger = forged(folder)
    for finding in ledger["findings"]:
        del finding["verification"]
    write(folder / "quoted2.json", ledger)
    derive(run, folder, "quoted2.json")


def deleted(run, folder):
    write(folder / "checked.json", forged(folder))
    (folder / "checked.receipt.json").unlink()


def exchanged(run, folder):
    shutil.copy(folder / "checked.json", folder / "honest.json")
    write(folder / "checked.json", forged(folder))
    receipt = load(folder / "checked.receipt.json")
    receipt["output"]["name"] = "honest.json"
    write(folder / "checked.receipt.json", receipt)


def linked(run, folder):
    write(folder / "checked.json", forged(folder))
    (folder / "checked.receipt.json").rename(folder / "r.txt")
    (folder / "checked.receipt.json").symlink_to("r.txt")


def nested(run, folder):
    write(folder / "checked.json", forged(folder))
    deep = folder / "1/2/3/4/5/6/7/8/9"
    deep.mkdir(parents=True)
    (folder / "checked.receipt.json").rename(deep / "checked.receipt.json")


def renamed(run, folder):
    write(folder / "checked.json", forged(folder))
    (folder / "checked.receipt.json").rename(folder / "checked.Receipt.json")


def edited_with_its_receipt(run, folder):
    write(folder / "checked.json", forged(folder))
    data = (folder / "checked.json").read_bytes()
    receipt = load(folder / "checked.receipt.json")
    receipt["output"].update(sha256=hashlib.sha256(data).hexdigest(), len_bytes=len(data))
    write(folder / "checked.receipt.json", receipt)


def all_receipts_deleted(run, folder):
    write(folder / "checked.json", forged(folder))
    for receipt in folder.glob("*.receipt.json"):
        receipt.unlink()


def another_final_ledger(run, folder):
    write(folder / "zz-final.json", forged(folder))


def one_more_document_said_to_be_read(run, folder):
    ledger = load(folder / "checked.json")
    ledger["findings"][1].update(forged(folder)["findings"][1])
    write(folder / "checked.json", ledger)


@pytest.mark.parametrize(
    "attack",
    [
        unlinked,
        deleted,
        exchanged,
        linked,
        nested,
        renamed,
        edited_with_its_receipt,
        another_final_ledger,
        one_more_document_said_to_be_read,
        all_receipts_deleted,
    ],
    ids=lambda attack: attack.__name__,
)
def test_a_forged_chain_passes_nothing(run, honest, attack):
    attack(run, honest)
    status, found = codes(run, honest, "check", ".")
    assert status == 1
    assert "GWL101" in found
    if attack is not unlinked:
        assert "GWL109" in found
    # Whether it is told as a broken chain, or that there is nothing to follow.
    assert run("ledger", "verify", ".", cwd=honest).returncode in (1, 2)


def test_a_result_changed_after_the_merge(run, honest):
    (path,) = (honest / "results").iterdir()
    write(path, {**load(path), "verdict": "refuted", "objection": "it does not"})
    assert codes(run, honest, "check", ".")[0] == 1
    for receipt in honest.glob("*.receipt.json"):
        receipt.unlink()
    assert codes(run, honest, "check", ".") == (1, ["GWL109"])


def test_results_deleted(run, honest):
    shutil.rmtree(honest / "results")
    assert "GWL109" in codes(run, honest, "check", ".")[1]


def test_a_framework_changed_after_the_plan(run, honest):
    write(honest / "framework.json", framework(hit_rule="Anything at all."))
    for receipt in honest.glob("*.receipt.json"):
        receipt.unlink()
    done = run("ledger", "check", ".", cwd=honest)
    assert done.returncode == 1
    assert "was made for another framework" in done.stdout


def test_a_framework_that_nobody_approved(run, honest):
    write(honest / "framework.json", {**framework(), "approved": False})
    assert "GWL123" in codes(run, honest, "check", ".")[1]


def test_a_document_exchanged_after_the_review(run, honest):
    (honest / "room/a.txt").write_bytes(LEASE + b"Or so it seems.\n")
    assert "GWL102" in codes(run, honest, "check", ".")[1]


def test_a_document_called_encrypted_that_can_be_read(run, honest):
    manifest = load(honest / "manifest.json")
    manifest["documents"][1]["readability"] = "encrypted"
    manifest["counts"] = {"files": 2, "native": 1, "encrypted": 1}
    write(honest / "manifest.json", manifest)
    assert "GWL110" in codes(run, honest, "check", ".")[1]


def declared(run, folder, ledger, **readability):
    manifest = load(folder / "manifest.json")
    for document in manifest["documents"]:
        document.update(readability)
    if readability:
        manifest["counts"] = {}
    write(folder / "manifest.json", manifest)
    write(folder / "final.json", {"framework_version": 2, "findings": [], **ledger})
    arguments = "--manifest manifest.json --findings final.json --framework framework.json"
    return codes(run, folder, "reconcile", *arguments.split())


def test_everything_parked_without_a_reason(run, honest):
    ids = [document["id"] for document in load(honest / "manifest.json")["documents"]]
    parked = [{"doc_id": identity} for identity in ids]
    assert declared(run, honest, {"parked": parked}) == (1, ["GWL118", "GWL118", "GWL119"])
    parked = [{"doc_id": identity, "reason": "superseded"} for identity in ids]
    assert declared(run, honest, {"parked": parked}) == (0, [])


def test_everything_called_encrypted(run, honest):
    assert declared(run, honest, {"parked": []}, readability="encrypted") == (1, ["GWL119"])


def test_counts_of_a_manifest_that_was_shortened(run, honest):
    manifest = load(honest / "manifest.json")
    del manifest["documents"][1]
    write(honest / "manifest.json", manifest)
    found = codes(run, honest, "check", ".")[1]
    assert found.count("GWL120") == 2
    assert "GWL122" in found


def test_two_documents_of_one_id(run, honest):
    # The full digest tells them apart where the manifest gives it.
    manifest = load(honest / "manifest.json")
    manifest["documents"][0]["sha256"] = hashlib.sha256(b"the one that was reviewed").hexdigest()
    write(honest / "manifest.json", manifest)
    assert "GWL121" in codes(run, honest, "check", ".")[1]
    arguments = "--findings findings.json --manifest manifest.json --room-root room --out q.json"
    assert codes(run, honest, "quotes", *arguments.split()) == (1, ["GWL121"])
    assert not (honest / "q.json").exists()


def test_status_never_calls_claims_complete_and_an_empty_folder_fails(run, honest, tmp_path):
    write(honest / "checked.json", forged(honest))
    done = run("ledger", "status", ".", cwd=honest)
    assert "complete" not in done.stdout
    (tmp_path / "empty").mkdir()
    for command in ("status", "verify", "check"):
        assert run("ledger", command, "empty").returncode in (1, 2), command


def test_reconcile_says_what_it_took_on_trust(run, honest):
    write(honest / "final.json", forged(honest))
    arguments = "--manifest manifest.json --findings final.json --framework framework.json"
    done = run("ledger", "reconcile", *arguments.split(), cwd=honest)
    assert "on trust: 2 quote receipts and 2 checker receipts" in done.stdout


def test_more_quotes_than_are_compared_are_told(run, tmp_path):
    from test_ledger import item

    owned = item("other")
    value = framework(overlap_owner="term")
    value["lenses"].append({"lens_id": "term", "name": "Term", "items": [owned]})
    write(tmp_path / "framework.json", value)
    write(tmp_path / "manifest.json", {"documents": [], "counts": {}})
    findings = [
        {
            "finding_id": f"{issue}/{number}",
            "issue_id": issue,
            "lens_id": lens,
            "unit_id": "u",
            "doc_id": "d",
            "status": "present",
            "quote": f"quote {issue} {number}",
        }
        for issue, lens, count in (("other", "term", 201), ("coc", "control", 1))
        for number in range(count)
    ]
    write(tmp_path / "f.json", {"framework_version": 2, "findings": findings, "parked": []})
    arguments = "--manifest manifest.json --findings f.json --framework framework.json"
    assert "GWL124" in codes(run, tmp_path, "reconcile", *arguments.split())[1]


def test_a_framework_that_the_gate_refuses_is_not_frozen(run, honest):
    value = load(honest / "framework.json")
    value["lenses"][0]["items"][0]["answer_shape"]["statuses"] = ["present"] * 3
    write(honest / "framework.json", value)
    assert (
        run("framework", "check", "--allow-approved", "framework.json", cwd=honest).returncode == 1
    )
    done = run("framework", "freeze", "framework.json", cwd=honest)
    assert done.returncode == 1
    assert "GWD007" in done.stdout
    assert not list(honest.glob("framework.v*.json"))


def test_a_framework_that_says_two_things_is_not_frozen(run, honest):
    text = (honest / "framework.json").read_text()
    (honest / "framework.json").write_text(text.replace("{", '{"approved": true, ', 1))
    assert run("framework", "freeze", "framework.json", cwd=honest).returncode == 1
    assert not list(honest.glob("framework.v*.json"))


def test_no_quote_at_all_passes_nothing(run, honest):
    write(honest / "quotes.json", [])
    done = run("evidence", "find", "--source", "room/a.txt", "--quotes", "quotes.json", cwd=honest)
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no quote" in done.stderr


def test_init_lists_the_check_of_a_run_whose_documents_lie_there(run, honest):
    assert run("init", cwd=honest).returncode == 0
    listed = run("run", "--list", cwd=honest).stdout
    assert "ledger check -- ." in listed
    done = run("run", cwd=honest)
    assert "ledger check" in done.stdout
    # A forged quote fails what init wrote.
    write(honest / "checked.json", forged(honest, "checked.json"))
    for receipt in honest.glob("*.receipt.json"):
        receipt.unlink()
    assert run("run", "--only", "ledger check", cwd=honest).returncode == 1


def test_init_tells_a_framework_that_is_no_json(run, honest):
    (honest / "framework.json").write_text('{"lenses": [')
    done = run("init", cwd=honest)
    assert "not listed: framework.json is no JSON" in done.stdout


OUTPUTS = [
    ("quotes", "findings.json"),
    ("quotes", "manifest.json"),
    ("quotes", "room/new.json"),
    ("plan", "framework.json"),
    ("merge", "plan.json"),
    ("merge", "results/new.json"),
]


@pytest.mark.parametrize(("stage", "out"), OUTPUTS)
def test_an_output_over_an_input_or_into_the_room(run, honest, stage, out):
    words = {
        "quotes": "--findings findings.json --manifest manifest.json --room-root room",
        "plan": "--findings quoted.json --framework framework.json",
        "merge": "--findings quoted.json --checker-plan plan.json --results-dir results",
    }[stage]
    before = {path: path.read_bytes() for path in honest.rglob("*") if path.is_file()}
    done = run("ledger", stage, *words.split(), "--out", out, cwd=honest)
    assert done.returncode == 2
    assert out in done.stderr
    after = {path: path.read_bytes() for path in honest.rglob("*") if path.is_file()}
    assert after == before


def test_many_equal_members_take_no_time_of_their_own(run, tmp_path):
    (tmp_path / "framework.json").write_text("{" + '"k":0,' * 80_000 + '"k":1}')
    done = run("framework", "check", "framework.json", timeout=100)
    assert done.returncode == 1
    assert "GWF020" in done.stdout


@pytest.mark.parametrize("text", ["rgb(", "rgba( ", "r", "color-mix(", "#", "(", "url("])
def test_a_text_of_many_openings_is_read_once(run, tmp_path, text):
    blueprint = {"screens": [{"color": text * 200_000}], "design_tokens": {"palette": []}}
    write(tmp_path / "blueprint.json", blueprint)
    assert run("blueprint", "recount", "blueprint.json", timeout=60).returncode in (0, 1)


def test_findings_by_the_ten_thousand_are_written_whole_in_every_format(run, tmp_path):
    ids = [doc_id(str(number).encode()) for number in range(100)]
    write(
        tmp_path / "m.json",
        {
            "documents": [
                {"id": one, "path": f"{number}.txt", "readability": "native"}
                for number, one in enumerate(ids)
            ],
            "counts": {},
        },
    )
    write(tmp_path / "fw.json", framework())
    findings = [
        {"finding_id": f"x{number}", "issue_id": "no", "lens_id": "l", "unit_id": one,
         "doc_id": one, "status": "present", "quote": "", "section": ""}
        for number in range(30) for one in ids
    ]  # fmt: skip
    write(tmp_path / "f.json", {"framework_version": 1, "findings": findings, "parked": []})
    words = [
        "ledger",
        "reconcile",
        "--manifest",
        "m.json",
        "--findings",
        "f.json",
        "--framework",
        "fw.json",
    ]
    counts = set()
    for form in ("json", "sarif"):
        done = run(*words, "--format", form)
        assert done.returncode == 1
        report = json.loads(done.stdout)
        (results,) = (
            [outcome["findings"] for outcome in report["outcomes"]]
            if form == "json"
            else [one["results"] for one in report["runs"]]
        )
        counts.add(len(results))
    assert len(counts) == 1
    assert counts.pop() > 10_000
