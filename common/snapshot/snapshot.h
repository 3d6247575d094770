/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - the active policies as one deciding transaction sees them: loaded once per generation, never older than it; and
 * the holds that stand in it.
 */
#ifndef COUNTERSIGN_SNAPSHOT_H
#define COUNTERSIGN_SNAPSHOT_H

#include "common/policy/policy.h"
#include "common/service/service.h"

/*
 * Key of the advisory lock that stands between deciding and activating. Whoever decides takes it shared, whoever
 * activates a policy, adds a hold or lifts one takes it exclusively, before reading or raising the generation and until the end of
 * the transaction. The trigger of table hold names the same number.
 */
#define SNAPSHOT_LOCK INT64_C(4850181421)

/* An active policy. `policy` is NULL when its stored document does not load: then nothing of its tenants is allowed. */
struct snapshot_policy {
	const struct policy *policy;
	const char *policy_id, *digest;
	int64_t version;
	const char *const *tenants;
	size_t tenant_count;
};

struct snapshot;
struct snapshot *snapshot_open(const struct log *log, struct monitor *monitor);
void snapshot_close(struct snapshot *snapshot); /* NULL is fine */

/* Something that must not be granted now. */
struct snapshot_hold {
	int64_t hold_id;
	const char *class_id, *target, *agent,
	    *tenant; /* all of those that are not NULL match; two are patterns */
	bool refuses; /* what it matches is denied; else it waits until the hold is over, and is decided again */
	const char *reason;
	int64_t until; /* at this instant it is over; INT64_MAX: when it is lifted */
};

/*
 * Takes the lock for the rest of the transaction, reads the holds, compares the generation and, when another one has begun, loads every
 * active policy anew (the highest version of each). What it returned before is gone then. What does not load, or
 * overlaps another, is logged as an alarm; it closes, it does not fail. Errors: those of the store.
 */
bool snapshot_refresh(struct snapshot *snapshot, struct work *work, struct error *error) CS_MUST_CHECK;
/*
 * The same in two halves, in a round trip with others: the lock and the generation are queued, and taken after store_settle.
 * *changed: the policies were loaded anew, which took time.
 */
bool snapshot_ask(struct snapshot *snapshot, struct work *work, struct error *error) CS_MUST_CHECK;
bool snapshot_take(struct snapshot *snapshot, struct work *work, bool *changed,
		   struct error *error) CS_MUST_CHECK;

/* 0 before the first activation. */
int64_t snapshot_generation(const struct snapshot *snapshot);

/* Does any of them hold a limit? */
bool snapshot_has_limits(const struct snapshot *snapshot);

/*
 * What holds a request of these members that is decided so, at work->now: one that refuses before one that does not, then the
 * oldest. NULL: nothing does. Lives as long as the transaction in which the snapshot was taken, and is asked in no other.
 */
const struct snapshot_hold *snapshot_held(const struct snapshot *snapshot, const char *tenant,
					  const char *agent_id, const char *target,
					  const struct policy_decision *decision, int64_t now);
/* "Hold 3: Migration of the cluster." */
const char *snapshot_hold_text(const struct snapshot_hold *hold, struct arena *arena);

/* What decides for a tenant, the organisation's before the tenant's own. */
struct snapshot_layers {
	const struct snapshot_policy *items[POLICY_LAYERS_MAX];
	const struct policy *policies[POLICY_LAYERS_MAX]; /* of the same */
	size_t count;
};

/*
 * The active policies that cover the tenant: at most one that is an organisation's (for "*") and one that names the tenant. None when there
 * is none, when two are of the same kind, or when one of them does not load: then nothing of the tenant is allowed.
 */
struct snapshot_layers snapshot_find(const struct snapshot *snapshot, const char *tenant);

#define SNAPSHOT_SHADOWS_MAX 4 /* that are looked at for one tenant */

/* A policy in the shadow, and who would decide if it were active: it, and the other kind. Its `policy` may be NULL: it does not load. */
struct snapshot_shadow {
	const struct snapshot_policy *policy;
	struct snapshot_layers layers;
};

/* Those for this tenant, by name, the first SNAPSHOT_SHADOWS_MAX. They decide nothing. */
size_t snapshot_find_shadows(const struct snapshot *snapshot, const char *tenant,
			     struct snapshot_shadow shadows[SNAPSHOT_SHADOWS_MAX]);

#endif
