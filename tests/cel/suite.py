# SPDX-License-Identifier: Apache-2.0
"""The suites of npm's @bufbuild/cel-spec, turned into lines for `countersign cel --batch`."""
import base64
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRIMITIVES = {"BOOL": "bool", "INT64": "int", "UINT64": "uint", "DOUBLE": "double", "STRING": "string", "BYTES": "bytes"}
TIMES = {"google.protobuf.Timestamp": "timestamp", "google.protobuf.Duration": "duration"}
MESSAGES = re.compile(
    r"TestAllTypes|Proto2|NestedEnum|GlobalEnum|NullValue|NestedTestAllTypes|(?:^|[^\w.])(?:google\.protobuf\.)?"
    r"(?:Any|Value|Struct|ListValue|FieldMask|Empty|(?:Bool|Bytes|Double|Float|Int32|Int64|String|UInt32|UInt64)Value)\s*\{"
    r"|proto\.(?:has|get)Ext"
)


class Message(Exception):
    """The test has to do with a protobuf message, an enum, a wrapper or an extension."""


def load(name):
    text = subprocess.run(
        ["node", "tests/cel/suite.mjs", name], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    return json.loads(text)


def type_text(kind):
    """A cel.expr.Type as `types` wants it."""
    name, inner = next(iter(kind.items()))
    if name == "primitive":
        return PRIMITIVES[inner]
    if name == "wellKnown" and inner in ("TIMESTAMP", "DURATION"):
        return inner.lower()
    if name in ("dyn", "null"):
        return {"dyn": "dyn", "null": "null_type"}[name]
    if name == "messageType" and inner in TIMES:
        return TIMES[inner]
    if name == "listType":
        return f"list<{type_text(inner.get('elemType', {'dyn': {}}))}>"
    if name == "mapType":
        return f"map<{type_text(inner.get('keyType', {'dyn': {}}))}, {type_text(inner.get('valueType', {'dyn': {}}))}>"
    if name == "typeParam":
        return inner
    if name == "type":
        return f"type<{type_text(inner)}>" if inner else "type"
    if name == "abstractType":
        parameters = ", ".join(type_text(parameter) for parameter in inner.get("parameterTypes", []))
        head = {"optional_type": "optional"}.get(inner["name"], inner["name"])
        return f"{head}<{parameters}>" if parameters else head
    raise Message(name)


def time_value(value):
    if value.get("@type", "").endswith("google.protobuf.Timestamp"):
        return {"timestamp": value["value"]}
    if value.get("@type", "").endswith("google.protobuf.Duration"):
        return {"duration": value["value"]}
    raise Message("objectValue")


def double_text(number):
    return number if isinstance(number, str) else repr(float(number))


def typed(value):
    """A cel.expr.Value in our form."""
    name, inner = next(iter(value.items()))
    simple = {"int64Value": "int", "uint64Value": "uint", "stringValue": "string", "boolValue": "bool", "typeValue": "type"}
    if name in simple:
        return {simple[name]: inner}
    if name == "nullValue":
        return {"null": None}
    if name == "doubleValue":
        return {"double": double_text(inner)}
    if name == "bytesValue":
        return {"bytes": base64.b64decode(inner).hex()}
    if name == "listValue":
        return {"list": [typed(item) for item in inner.get("values", [])]}
    if name == "mapValue":
        return {"map": [[typed(entry["key"]), typed(entry["value"])] for entry in inner.get("entries", [])]}
    if name == "objectValue":
        return time_value(inner)
    raise Message(name)


def signature(overload):
    parameters = [type_text(parameter) for parameter in overload.get("params", [])]
    receiver = f"{parameters.pop(0)}." if overload.get("isInstanceFunction") else ""
    return f"{receiver}({', '.join(parameters)}):{type_text(overload['resultType'])}"


def environment(test):
    """types and functions of a test's type environment."""
    types, functions = {}, {}
    for declaration in test.get("typeEnv", []):
        if "ident" in declaration:
            types[declaration["name"]] = type_text(declaration["ident"]["type"])
        else:
            functions[declaration["name"]] = [signature(overload) for overload in declaration["function"]["overloads"]]
    return {"types": types, "functions": functions}


def line(test):
    """What `countersign cel --batch` is asked; raises Message."""
    if MESSAGES.search(test["expr"]) or "protobuf" in test.get("container", "") or "proto" in test.get("container", ""):
        raise Message("expr")
    asked = {"expr": test["expr"], "check": not test.get("disableCheck", False)}
    asked |= {key: value for key, value in environment(test).items() if value}
    if test.get("bindings"):
        asked["bindings"] = {name: typed(bound["value"]) for name, bound in test["bindings"].items()}
    if test.get("container"):
        asked["container"] = test["container"]
    if test.get("disableMacros"):
        asked["macros"] = False
    if test.get("checkOnly"):
        asked["stop"] = "check"
    return asked


def expectation(test):
    """{"value": …}, {"type": …} (both where both are given) or {"error": True}; no word of it means true."""
    if "evalError" in test or "anyEvalErrors" in test:
        return {"error": True}
    expected = {}
    result = test.get("value", test.get("typedResult", {}).get("result"))
    if result is not None:
        expected["value"] = typed(result)
    if "deducedType" in test.get("typedResult", {}):
        expected["type"] = type_text(test["typedResult"]["deducedType"])
    return expected or {"value": {"bool": True}}


def same(left, right):
    """Two typed values: numbers by what they are (NaN is NaN, -0 is not 0), maps without regard to order."""
    (kind, one), (other_kind, other) = next(iter(left.items())), next(iter(right.items()))
    if kind != other_kind:
        return False
    if kind == "double":
        return repr(float(one)) == repr(float(other))
    if kind in ("list", "map") and len(one) != len(other):
        return False
    if kind == "list":
        return all(same(*pair) for pair in zip(one, other))
    if kind == "map":
        return all(any(same(key, k) and same(value, v) for k, v in other) for key, value in one)
    if kind == "optional" and one and other:
        return same(one, other)
    if kind == "timestamp":
        return re.sub(r"\.?0*Z$", "Z", one) == re.sub(r"\.?0*Z$", "Z", other)
    return one == other


def met(expected, answer):
    if expected.get("error"):
        return "error" in answer
    if "error" in answer or ("type" in expected and expected["type"] != answer.get("type")):
        return False
    return "value" not in expected or same(expected["value"], answer["value"])
