/* SPDX-License-Identifier: Apache-2.0 */
/* approval_guard.h - between the files of this room: the conditions of the table's rows, by their names there. */
#ifndef COUNTERSIGN_APPROVAL_GUARD_H
#define COUNTERSIGN_APPROVAL_GUARD_H

#include "common/approval/approval.h"

#define APPROVAL_GUARD(name)                                                                                 \
	bool approval_when_##name(const struct approval *approval, const struct approval_event *event)

APPROVAL_GUARD(well_formed);
APPROVAL_GUARD(overdue);
APPROVAL_GUARD(other_digest);
APPROVAL_GUARD(overdue_other_digest);
APPROVAL_GUARD(all_met);
APPROVAL_GUARD(reminder_due);
APPROVAL_GUARD(requester);
APPROVAL_GUARD(not_a_member);
APPROVAL_GUARD(excluded);
APPROVAL_GUARD(recused);
APPROVAL_GUARD(denied_before);
APPROVAL_GUARD(approved_before);
APPROVAL_GUARD(stage_not_open);
APPROVAL_GUARD(too_many_voters);
APPROVAL_GUARD(no_reason);
APPROVAL_GUARD(reason_missing);
APPROVAL_GUARD(last_approve);
APPROVAL_GUARD(deny_quorum);
APPROVAL_GUARD(not_about_him);
APPROVAL_GUARD(not_about_him_excluded);
APPROVAL_GUARD(no_operator_excluded);
APPROVAL_GUARD(no_operator_not_a_member);
APPROVAL_GUARD(no_operator_recused);
APPROVAL_GUARD(no_operator_stage_not_open);
APPROVAL_GUARD(not_extendable);
APPROVAL_GUARD(not_later);
APPROVAL_GUARD(beyond_maximum);
APPROVAL_GUARD(not_the_agent);
APPROVAL_GUARD(not_an_approver);
APPROVAL_GUARD(authorization_over);
APPROVAL_GUARD(not_overridable);
APPROVAL_GUARD(may_not_override);
APPROVAL_GUARD(override_excluded);
APPROVAL_GUARD(not_overridden);
APPROVAL_GUARD(overrider);
APPROVAL_GUARD(reviewed);

#undef APPROVAL_GUARD

#endif
