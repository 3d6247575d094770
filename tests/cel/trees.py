# SPDX-License-Identifier: Apache-2.0
"""Syntax trees as cel-go's debug output has them, without white space: what the suites' `ast` is compared with."""
import re

ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"'}
SCALARS = {"null": "Null", "bool": "Bool", "int": "Int64", "uint": "Uint64", "double": "Double", "string": "String", "bytes": "Bytes"}


def quoted(text):
    """Go's strconv.Quote; lone surrogates stand for bytes that are no UTF-8."""

    def one(character):
        point = ord(character)
        if character in ESCAPES:
            return ESCAPES[character]
        if 0xDC80 <= point <= 0xDCFF:
            return f"\\x{point - 0xDC00:02x}"
        if character.isprintable():
            return character
        return f"\\x{point:02x}" if point < 0x80 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"

    return '"' + "".join(map(one, text)) + '"'


def scalar(value):
    (kind, inner), = value.items()
    if kind == "string":
        text = quoted(inner)
    elif kind == "bytes":
        text = "b" + quoted(bytes.fromhex(inner).decode(errors="surrogateescape"))
    elif kind == "uint":
        text = inner + "u"
    elif kind == "double":
        text = repr(float(inner))
    else:
        text = {True: "true", False: "false", None: "null"}[inner] if kind in ("bool", "null") else inner
    return f"{text}^#*expr.Constant_{SCALARS[kind]}Value#"


def entry(text, optional):
    return f"{'?' if optional else ''}{text}^#*expr.Expr_CreateStruct_Entry#"


def text(node):
    kind = node["kind"]
    optional = node.get("optional", [])
    if kind == "literal":
        return scalar(node["value"])
    if kind == "ident":
        return f"{node['name']}^#*expr.Expr_IdentExpr#"
    if kind == "select":
        return f"{text(node['operand'])}.{node['name']}{'~test-only~' if node.get('test') else ''}^#*expr.Expr_SelectExpr#"
    if kind == "call":
        receiver = f"{text(node['operand'])}." if "operand" in node else ""
        return f"{receiver}{node['name']}({','.join(map(text, node['arguments']))})^#*expr.Expr_CallExpr#"
    if kind == "list":
        items = [("?" if index in optional else "") + text(item) for index, item in enumerate(node["items"])]
        return f"[{','.join(items)}]^#*expr.Expr_ListExpr#"
    if kind == "map":
        pairs = list(zip(node["items"][::2], node["items"][1::2]))
        entries = [entry(f"{text(key)}:{text(item)}", index in optional) for index, (key, item) in enumerate(pairs)]
        return f"{{{','.join(entries)}}}^#*expr.Expr_StructExpr#"
    if kind == "struct":
        pairs = zip(node["fields"], node["values"])
        entries = [entry(f"{field}:{text(item)}", index in optional) for index, (field, item) in enumerate(pairs)]
        return f"{node['name']}{{{','.join(entries)}}}^#*expr.Expr_StructExpr#"
    names = node["iterator"] + ("," + node["second"] if "second" in node else "")
    parts = [names, text(node["range"]), node["accumulator"]] + [text(node[part]) for part in ("init", "condition", "step", "result")]
    return f"__comprehension__({','.join(parts)})^#*expr.Expr_ComprehensionExpr#"


def normal(dump):
    """Either side: no white space, no remarks, numbers as Python writes them."""
    dump = re.sub(r"^\s*//.*$", "", dump, flags=re.M)
    dump = re.sub(r"([-+\w.]+)(?=\^#\*expr\.Constant_DoubleValue#)", lambda m: repr(float(m[1])), dump)
    return re.sub(r"\s", "", dump)
