# SPDX-License-Identifier: Apache-2.0
"""What the history's rules compute anew, by the public contract and not by the services' code."""
import base64
import functools
import hashlib
import json
import re
import struct
import uuid
from datetime import datetime, timedelta

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

NAMESPACE = uuid.UUID("0f1ed41c-9ff2-4726-9bf0-02f925c72e78").bytes
SECOND = 1_000_000
ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
TENANT = re.compile(r"[a-z0-9_-]{1,64}")
REAL = re.compile(r"\d[.e]")
OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
EPOCH, MICROSECOND = datetime(1970, 1, 1), timedelta(microseconds=1)
_plain = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def derived(*parts):
    """UUIDv5 over length-prefixed parts."""
    name = b"".join(struct.pack(">I", len(raw)) + raw for raw in (str(part).encode() for part in parts))
    return str(uuid.UUID(bytes=hashlib.sha1(NAMESPACE + name).digest()[:16], version=5))


def key_of(tenant, request_id):
    return request_id if tenant == "default" else f"{tenant}/{request_id}"


@functools.lru_cache(maxsize=100_000)
def murmur2(key):
    """As Kafka's Java client does it, without the sign."""
    raw, mask = key.encode(), 0xFFFFFFFF
    whole = len(raw) // 4 * 4
    h = 0x9747B28C ^ len(raw)
    for (k,) in struct.iter_unpack("<I", raw[:whole]):
        k = k * 0x5BD1E995 & mask
        h = (h * 0x5BD1E995 & mask) ^ ((k ^ k >> 24) * 0x5BD1E995 & mask)
    if rest := raw[whole:]:
        h = (h ^ int.from_bytes(rest, "little")) * 0x5BD1E995 & mask
    h = (h ^ h >> 13) * 0x5BD1E995 & mask
    return (h ^ h >> 15) & 0x7FFFFFFF


# ---------------------------------------------------------------- JSON

def _real(text):
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 1e21 else value


def _refuse(text):
    raise ValueError(text)


def parse(raw):
    """ValueError for what is no JSON at all."""
    try:
        return json.loads(raw, parse_float=_real, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("too deep for anybody") from None


def _number(value):
    """ECMAScript's form of what is no integer below 1e21."""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    digits, point = (whole + part.rstrip("0") if part != "0" else whole), len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if 0 < point <= 21:
        text = digits[:point].ljust(point, "0") + ("." + digits[point:] if digits[point:] else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1:+d}"
    return ("-" if value < 0 else "") + text


def canonical(value):
    """RFC 8785. What is ASCII without a real number is plain JSON, sorted."""
    text = _plain(value)
    return text if text.isascii() and not REAL.search(text) else _canonical(value)


def _canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + _canonical(value[n]) for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def sha256(raw):
    return hashlib.sha256(raw).digest()


def digest_text(raw):
    return "sha-256:" + hashlib.sha256(raw).hexdigest()


def request_digest(body, tenant):
    parts = {"tenant": tenant, "agent_id": body["agent_id"], "action": body["action"], "target": body["target"],
             "context": body.get("context", {})}
    if "execution" in body:
        parts["execution"] = body["execution"]
    return digest_text(canonical(parts).encode())


def microseconds(text):
    """Of an RFC 3339 instant; None for what is none."""
    if OURS.fullmatch(text):
        return (datetime.fromisoformat(text[:-1]) - EPOCH) // MICROSECOND
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", text)
    if not match:
        return None
    day, minute, second, part, sign, hours, minutes = match.groups()
    shift = (int(hours) * 60 + int(minutes)) * (-60 if sign == "-" else 60) if sign else 0
    whole = (datetime.fromisoformat(f"{day}T{minute}") - EPOCH) // MICROSECOND
    return whole + (int(second) - shift) * SECOND + int(((part or "") + "000000")[:6])


# ---------------------------------------------------------------- signatures

def b64url_decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@functools.lru_cache(maxsize=1000)
def _public(raw):
    return Ed25519PublicKey.from_public_bytes(raw)


@functools.lru_cache(maxsize=1000)
def _header(text):
    """The protected header of a JWS; empty when it can't be read."""
    try:
        head = json.loads(b64url_decode(text))
    except ValueError:
        return {}
    return head if isinstance(head, dict) else {}


def verifies(public, header, payload, signature, typ):
    """A compact JWS in its three parts, by this raw public key."""
    try:
        if _header(header).get("typ") != typ or _header(header).get("alg") not in ("EdDSA", "Ed25519"):
            return False
        _public(public).verify(b64url_decode(signature), f"{header}.{payload}".encode())
        return True
    except (InvalidSignature, ValueError):
        return False


def kid_of(header):
    return _header(header).get("kid")


def claims_of(token, keys, typ):
    """What a token of ours says; None unless it is by one of these keys (kid: raw public key)."""
    parts = (token or "").split(".")
    if len(parts) != 3 or kid_of(parts[0]) not in keys:
        return None
    return json.loads(b64url_decode(parts[1])) if verifies(keys[kid_of(parts[0])], *parts, typ) else None


def b64url(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
