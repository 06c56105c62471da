"""Model files as an attacker makes them: any part changed, and all checksums right."""

import json
from hashlib import sha256
from zipfile import ZIP_STORED

from lopsided.store.container import read_archive, write_archive

MODEL = "model.skops"


def read(path):
    """Return the members of a model file, the manifest among them."""
    return read_archive(path.read_bytes(), 2**31)


def sign(members):
    """Return a model file of the members, checksums made anew."""
    manifest = json.loads(members["manifest.json"])
    rest = {name: data for name, data in members.items() if name != "manifest.json"}
    manifest["members"] = {
        name: {"sha256": sha256(data).hexdigest(), "size": len(data)}
        for name, data in rest.items()
    }
    return write_archive({"manifest.json": json.dumps(manifest).encode(), **rest})


def forge(path, change):
    """Let `change` edit the schema and the arrays of a model, and sign it again."""
    members = read(path)
    inner = read_archive(members[MODEL], 2**31)
    schema = json.loads(inner["schema.json"])
    schema = change(schema, inner) or schema
    inner["schema.json"] = json.dumps(schema).encode()
    members[MODEL] = write_archive(inner, ZIP_STORED)
    path.write_bytes(sign(members))


def node(kind, loader, content=None, **more):
    """Return a node of a schema for a type such as "os.system"."""
    module, _, name = kind.rpartition(".")
    own = {"__class__": name, "__module__": module, "__loader__": loader}
    return own | ({} if content is None else {"content": content}) | more


def text(value):
    """Return a node for what JSON holds."""
    return node("builtins.str", "JsonNode", json.dumps(value), is_json=True)


def items(kind, *nodes):
    """Return a node for a list or a tuple."""
    return node(f"builtins.{kind}", f"{kind.title()}Node", list(nodes))


def mapping(**nodes):
    """Return a node for a dict."""
    keys = items("list", *(node("builtins.str", "TypeNode") for _ in nodes))
    return node("builtins.dict", "DictNode", nodes, key_types=keys)
