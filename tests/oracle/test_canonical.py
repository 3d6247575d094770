# SPDX-License-Identifier: Apache-2.0
"""Our RFC 8785 form is the one of another implementation, byte for byte."""
import os
import random
import subprocess

DOCUMENTS = 20000


def test_random_documents_have_the_canonical_form_of_npm_canonicalize(program, oracle):
    seed = int(os.environ.get("SEED") or random.randrange(1 << 32))
    print(f"SEED={seed}")  # shown when it fails; set it to run the same documents again
    pairs = program("canonical_pairs", ["error", "memory", "value", "canonical"])
    lines = subprocess.run([pairs, str(seed), str(DOCUMENTS)], capture_output=True, check=True).stdout
    result = oracle("canonical.mjs", "canonicalize", lines)
    print(result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace"))
    assert result.returncode == 0
    assert result.stdout.decode().endswith(f"{DOCUMENTS} passed, 0 failed\n")
