"""What an attestation must be: the shape that in-toto's pages give, and the digests of the files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema

SCHEMA = Path(__file__).resolve().parent.parent / "schemas/in-toto-test-result.json"


def read(path):
    """The statement at ``path``, whose shape is valid and whose subjects have names of their own."""
    statement = json.loads(path.read_bytes())
    schema = json.loads(SCHEMA.read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(statement, schema, cls=jsonschema.Draft202012Validator)
    names = [item["name"] for item in statement["subject"]]
    assert len(names) == len(set(names))
    assert path.read_bytes().endswith(b"}\n")
    return statement


def digests(items):
    """``sha256`` by name of the items that have one."""
    return {item["name"]: item["digest"]["sha256"] for item in items if "digest" in item}


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
