# SPDX-License-Identifier: Apache-2.0
"""What the history checker must find: people who were asked though they could not answer, and who were not though they could."""
from plants import breaks


def ghost(h, at):
    """Somebody in the group that is empty."""
    first = h.member("alice")
    row = {**first["new_row"], "group_name": "ghosts", "person": "gina"}
    h.add("directory_history", first, new_row=row, at=at, n=10**6)
    h.add("group_member", h.row("group_member"), group_name="ghosts", person="gina")


@breaks("nobody")
def a_denial_for_want_of_people_who_were_there(h):
    ghost(h, 0)


@breaks("nobody")
def a_question_to_people_who_came_later(h):
    for person in ("alice", "bob"):
        h.member(person)["at"] = h.history.now


@breaks("nobody")
def others_who_are_asked_instead_of_people_who_were_there(h):
    ghost(h, 0)
    h.as_if_never(h.town.stranded)


@breaks("requirements")
def others_who_are_asked_though_the_class_names_different_ones(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.rescued)["approval_id"])["quorum"] = 2


@breaks("requirements")
def others_who_are_asked_though_the_class_names_none(h):
    h.row("approval_requirement", approval_id=h.approval(h.town.open)["approval_id"])["fallback"] = True
