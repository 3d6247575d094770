# SPDX-License-Identifier: Apache-2.0
"""Where other implementations are wrong, each with an expression that shows it. test_differential.py sees that each still is."""
import dataclasses
import typing


@dataclasses.dataclass
class Known:
    oracle: str
    name: str
    why: str
    example: str  # an expression without variables, on which the two differ
    fits: typing.Callable[[typing.Any], bool]  # is this case of the kind?


KNOWN = []
