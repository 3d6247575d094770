# SPDX-License-Identifier: Apache-2.0
"""How every story ends."""
import os
import shutil

import history
import schemas


def finish(house, request):
    """All that was recorded is published, every message that was seen is as its schema says, the ledger
    verifies, and what was sent, stored and said is one history."""
    try:
        if not getattr(house, "no_quiet", False):
            house.quiet()
        schemas.check_all(house.observer.events)
        if not getattr(house, "forged", False):
            proof = house.cli("ledger", "verify", "--kafka", "--jwks", str(house.folder / "countersign.jwks"), check=False)
            assert proof.returncode == 0, proof.stdout + proof.stderr
        history.check(house)
    finally:
        house.close()
        keep = os.environ.get("COUNTERSIGN_KEEP_LOGS")
        failed = request.session.testsfailed
        if failed:
            for log in sorted(house.folder.glob("*.log")):
                print(f"---- {log.name}\n{log.read_text(errors='replace')[-4000:]}")
        if not failed and not keep:
            shutil.rmtree(house.folder, ignore_errors=True)
