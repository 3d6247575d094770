# SPDX-License-Identifier: Apache-2.0
"""Our signatures are good for another implementation, and its are for us; nothing else is."""
import subprocess

SIGNATURES = 200
ROOMS = ["error", "memory", "crypto", "jws"]


def test_npm_jose_verifies_what_we_sign(program, oracle, tmp_path):
    pairs = program("jws_pairs", ROOMS)
    lines = subprocess.run(
        [pairs, "sign", tmp_path / "key.pem", str(SIGNATURES)], capture_output=True, check=True
    ).stdout
    result = oracle("jws_verify.mjs", "jose", lines)
    print(result.stdout.decode(), result.stderr.decode())
    assert result.returncode == 0
    assert result.stdout.decode().endswith(f"{SIGNATURES} passed, 0 failed\n")


def test_we_verify_what_npm_jose_signs_and_nothing_near_to_it(program, oracle):
    pairs = program("jws_pairs", ROOMS)
    lines = oracle("jws_sign.mjs", "jose", str(SIGNATURES).encode())
    assert lines.returncode == 0, lines.stderr.decode()
    answers = subprocess.run([pairs, "verify"], input=lines.stdout, capture_output=True, check=True).stdout.decode()
    assert answers.split() == ["yes", "no", "no", "no"] * SIGNATURES
