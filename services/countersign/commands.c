/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the table of commands: names, options, help, examples. Behaviour lives in command_<name>.c. */
#include "services/countersign/cli.h"

static const struct cli_option migrate_options[] = {
    {"chains", "N", "number of ledger chains, fixed at the first run (default: ledger.chains, 6)"}, {0}};

static const struct cli_option generate_options[] = {
    {"out", "FILE", "new file for the private key (required)"}, {0}};

static const struct cli_option add_key_options[] = {
    {"owner", "NAME", "person, bot or agent that holds the private half (required)"},
    {"bot", NULL, "the owner is a bot that carries other people's answers"},
    {"speaks-for", "PERSONS", "with --bot: persons it may speak for, comma-separated, or *"},
    {"groups", "GROUPS", "with --bot: groups whose members it may speak for, comma-separated"},
    {"agent", NULL, "the owner is an agent: the key signs its requests and answers for nobody"},
    {"agents", "PATTERNS",
     "with --agent: other agent ids that it may sign for, comma-separated, like payments-*"},
    {0}};

static const struct cli_option revoke_key_options[] = {
    {"at", "TIME", "with effect from then, in RFC 3339, before or after now (default: now)"}, {0}};

static const struct cli_option apply_options[] = {{"dry-run", NULL, "print the difference and change nothing"},
						  {0}};

static const struct cli_option agent_options[] = {{"owner", "PERSON", "who answers for the agent (required)"},
						  {0}};

static const struct cli_option hold_options[] = {
    {"class", "CLASS", "what a policy puts into this class"},
    {"target", "PATTERN", "what is about such a target"},
    {"agent", "PATTERN", "what such an agent asks"},
    {"everything", NULL, "all there is, where neither of these nor --tenant is given"},
    {"refuse", NULL, "what it matches is denied"},
    {"queue", NULL, "what it matches waits, and is decided again once the hold is over"},
    {"reason", "TEXT", "why, for people and agents (required)"},
    {"until", "TIME", "when it is over by itself, in RFC 3339 (default: when it is lifted)"},
    {"by", "PERSON", "who wants it (default: the database role)"},
    {0}};
static const struct cli_option lift_options[] = {{"by", "PERSON", "who wants it (default: the database role)"},
						 {0}};
static const struct cli_option holds_options[] = {
    {"all", NULL, "also those that are over"}, {"limit", "N", "newest N (default 50)"}, {0}};

static const struct cli_option submit_options[] = {
    {"id", "ID", "request id (default: the file's, else a random one)"},
    {"agent", "ID", "agent_id"},
    {"action", "ACTION", "action, dotted"},
    {"target", "TARGET", "target"},
    {"context", "JSON", "context object"},
    {"reason", "TEXT", "one line for the approver"},
    {"deadline", "TIME", "RFC 3339 time after which nobody waits any more"},
    {"key", "FILE", "private key of the agent that signs it"},
    {"wait", NULL, "wait for the final word and exit as `wait` does"},
    {"timeout", "DURATION", "with --wait: how long (default 5m)"},
    {"jwks", "FILE", "with --wait: check the answer's signature against these keys"},
    {0}};

static const struct cli_option wait_options[] = {
    {"timeout", "DURATION", "how long to wait (default 5m)"},
    {"digest", "DIGEST", "the request_digest the answer must be bound to"},
    {"jwks", "FILE", "check the answer's signature against these keys"},
    {0}};

static const struct cli_option list_options[] = {
    {"state", "STATE", "pending, granted, denied, expired, cancelled, revoked or unfinished (default: all)"},
    {"limit", "N", "newest N (default 50)"},
    {0}};

static const struct cli_option show_options[] = {
    {"records", NULL, "and the records that it is told from, as tables"}, {0}};

static const struct cli_option answer_options[] = {
    {"key", "FILE", "private key that signs (default: responder.key_file)"},
    {"as", "NAME", "who answers: a person, or the agent that withdraws (default: responder.name)"},
    {"reason", "TEXT", "one line that is recorded and shown"},
    {"digest", "DIGEST", "what the person was shown (default: looked up in the database)"},
    {"response-id", "ID", "idempotency key (default: random)"},
    {"timeout", "DURATION", "how long to wait for the result (default 10s; 0s: do not wait)"},
    {0}};
static const struct cli_option extend_options[] = {
    {"key", "FILE", "private key that signs (default: responder.key_file)"},
    {"as", "PERSON", "the person who answers (default: responder.name)"},
    {"reason", "TEXT", "one line that is recorded and shown"},
    {"digest", "DIGEST", "what the person was shown (default: looked up in the database)"},
    {"response-id", "ID", "idempotency key (default: random)"},
    {"timeout", "DURATION", "how long to wait for the result (default 10s; 0s: do not wait)"},
    {"until", "TIME", "the new deadline, RFC 3339"},
    {0}};

static const struct cli_option reviews_options[] = {{"all", NULL, "and those that are closed"}, {0}};

static const struct cli_option outcome_options[] = {
    {"status", "STATUS", "started, succeeded, failed or rolled_back (required)"},
    {"id", "ID", "outcome id (default: random)"},
    {"digest", "DIGEST", "digest of what was really run (default: looked up in the database)"},
    {"authorization", "TOKEN", "token or event id under which it ran"},
    {"reported-by", "NAME", "who reports (required)"},
    {"code", "CODE", "machine code"},
    {"detail", "TEXT", "one line"},
    {0}};

static const struct cli_option explain_options[] = {
    {"policy", "FILE", "by this document, without any server (default: the active one)"},
    {"with", "FILE", "and by this one: the organisation's, or the tenant's"},
    {"now", "TIME", "as if it were then, in RFC 3339 (default: now)"},
    {"verified", NULL, "as if it were signed by a key of the agent"},
    {0}};
static const struct cli_option test_options[] = {
    {"with", "FILE", "decide by this document as well: the organisation's, or the tenant's"},
    {"mutate", NULL, "also make small mistakes in the rules, one at a time, and say which of them no test sees"},
    {0}};

static const struct cli_option fmt_options[] = {
    {"write", NULL, "put it in the place of the file, unless comments would be lost"}, {0}};

static const struct cli_option lint_options[] = {
    {"error", "CODES", "warnings that are errors here: W04,W05 (countersign-policy(5))"},
    {"warn", "E03", "people who are not there are a warning here"},
    {0}};
static const struct cli_option shadow_options[] = {{"end", "ID", "end the shadow of this policy"}, {0}};
static const struct cli_option convert_options[] = {{"to", "FORM", "json or yaml (required)"}, {0}};

static const struct cli_option diff_options[] = {
    {"replay", "FILE",
     "which decisions change: requests or exported decisions, a line of JSON each (- for standard input)"},
    {0}};

static const struct cli_option replay_options[] = {{"last", "N", "the last N decisions (default 1000)"}, {0}};

static const struct cli_option verify_options[] = {
    {"kafka", NULL, "also compare with the topics and the published checkpoints"},
    {"jwks", "FILE", "check the checkpoints' signatures against these keys"},
    {0}};

static const struct cli_option deliveries_options[] = {
    {"state", "STATE", "pending, sent or dead (default: all)"}, {"limit", "N", "newest N (default 50)"}, {0}};

static const struct cli_option cel_options[] = {
    {"bind", "FILE", "variables: the members of a JSON object (- for standard input)"},
    {"batch", NULL, "expressions as lines of JSON on standard input, a line of JSON in answer to each"},
    {"source-max", "N", "code points of a source (default 2048)"},
    {"node-max", "N", "nodes of its tree (default 512)"},
    {"depth-max", "N", "levels of nesting (default 32)"},
    {"item-max", "N", "items of a literal (default 256)"},
    {"loop-max", "N", "comprehensions within each other (default 2)"},
    {"cost-max", "N", "units of an evaluation (default 10000)"},
    {"memory-max", "N", "bytes of an evaluation (default 262144)"},
    {0}};

static const struct cli_option quarantine_options[] = {{"limit", "N", "newest N (default 50)"}, {0}};

const struct cli_command cli_commands[] = {
    {"submit", "[FILE|-]", "Sends a request and prints its id and digest.",
     "countersign submit --agent coding-agent --action deployment.production --target customer-api \\\n"
     "    --context '{\"tests_passed\": true}' --wait",
     submit_options, 0, 1, command_submit},
    {"wait", "ID",
     "Waits for the final word on a request: exit 0 granted, 5 refused, 3 still pending, 124 nothing came.",
     "countersign wait deploy-4711 --timeout 10m", wait_options, 1, 1, command_wait},
    {"show", "ID", "Tells the whole life of one request.", "countersign show deploy-4711", show_options, 1, 1,
     command_show},
    {"list", "", "Lists requests and where they stand.", "countersign list --state pending", list_options, 0,
     0, command_list},
    {"approve", "ID...", "Answers yes, signed.", "countersign approve deploy-4711 --as alice --key alice.pem",
     answer_options, 1, -1, command_approve},
    {"deny", "ID...", "Answers no, signed; it can't be taken back.",
     "countersign deny deploy-4711 --as alice --key alice.pem --reason 'not on a Friday'", answer_options, 1,
     -1, command_deny},
    {"recuse", "ID...", "Steps aside, signed: no answer of that person counts any more.",
     "countersign recuse deploy-4711 --as alice --key alice.pem", answer_options, 1, -1, command_recuse},
    {"comment", "ID...", "Adds a remark that is shown to all who are asked, signed.",
     "countersign comment deploy-4711 --as alice --key alice.pem --reason 'waiting for QA'", answer_options,
     1, -1, command_comment},
    {"extend", "ID...", "Gives people until a later deadline to answer, signed, where the policy lets it.",
     "countersign extend deploy-4711 --as alice --key alice.pem --until 2026-12-01T09:00:00Z", extend_options,
     1, -1, command_extend},
    {"withdraw", "ID...", "Takes back what an agent asks, signed by a key of the agent.",
     "countersign withdraw deploy-4711 --as coding-agent --key coding-agent.pem", answer_options, 1, -1,
     command_withdraw},
    {"revoke", "ID...", "Takes back what was granted, signed: for who approved it, and for operators.",
     "countersign revoke deploy-4711 --as alice --key alice.pem --reason 'wrong branch'", answer_options, 1,
     -1, command_revoke},
    {"override", "ID...",
     "Lets a request through alone, signed, past everybody who is asked, where the policy lets it.",
     "countersign override deploy-4711 --as carol --key carol.pem --reason 'the shop is down'",
     answer_options, 1, -1, command_override},
    {"review", "ID...", "Says what somebody else found who looked at an override, signed; this closes it.",
     "countersign review deploy-4711 --as bob --key bob.pem --reason 'it was needed'", answer_options, 1, -1,
     command_review},
    {"reviews list", "", "Lists overrides that nobody has looked at.", NULL, reviews_options, 0, 0,
     command_reviews_list},
    {"outcome", "ID", "Reports what happened downstream.",
     "countersign outcome deploy-4711 --status failed --reported-by deployer --detail 'health check'",
     outcome_options, 1, 1, command_outcome},
    {"hold add", "", "Stops the line: what it matches is not granted any more once this has returned.",
     "countersign hold add --class deployment --queue --reason 'cluster migration' --until "
     "2026-12-01T09:00:00Z",
     hold_options, 0, 0, command_hold_add},
    {"hold list", "", "Lists holds, and how many items wait for each.", NULL, holds_options, 0, 0,
     command_hold_list},
    {"hold lift", "HOLD...", "Ends holds; what waits for them is decided again.", "countersign hold lift 3",
     lift_options, 1, -1, command_hold_lift},
    {"people list", "[PERSON]", "Lists everybody whom the directory names, with groups, keys and agents.",
     NULL, NULL, 0, 1, command_people_list},
    {"people remove", "PERSON", "Takes a person out of every group and revokes all keys of that person.",
     "countersign people remove bob", NULL, 1, 1, command_people_remove},
    {"directory apply", "FILE|-", "Makes groups, agents and keys what the file says, whole or not at all.",
     "countersign directory apply people.yaml --dry-run", apply_options, 1, 1, command_directory_apply},
    {"directory export", "", "Prints the directory as `directory apply` takes it.",
     "countersign directory export > people.yaml", NULL, 0, 0, command_directory_export},
    {"groups add", "GROUP PERSON...", "Lets people approve for a group.",
     "countersign groups add release-managers alice bob", NULL, 2, -1, command_groups_add},
    {"groups remove", "GROUP PERSON...", "Takes that back.", "countersign groups remove release-managers bob",
     NULL, 2, -1, command_groups_remove},
    {"groups list", "[GROUP]", "Lists groups and their members.", NULL, NULL, 0, 1, command_groups_list},
    {"agents add", "AGENT", "Registers an agent and the person who answers for it.",
     "countersign agents add coding-agent --owner carol", agent_options, 1, 1, command_agents_add},
    {"agents remove", "AGENT", "Takes the registration back.", NULL, NULL, 1, 1, command_agents_remove},
    {"agents list", "", "Lists agents and owners.", NULL, NULL, 0, 0, command_agents_list},
    {"keys generate", "", "Makes an Ed25519 key; prints its public half as a JWK.",
     "countersign keys generate --out alice.pem > alice.jwk", generate_options, 0, 0, command_keys_generate},
    {"keys add", "FILE|-", "Registers a public key (JWK or PEM) of a person, a bot or an agent.",
     "countersign keys add --owner alice alice.jwk", add_key_options, 1, 1, command_keys_add},
    {"keys revoke", "KID", "From now or another moment on the key counts for nothing.",
     "countersign keys revoke KID --at 2026-03-04T10:00:00Z", revoke_key_options, 1, 1, command_keys_revoke},
    {"keys list", "", "Lists registered keys.", NULL, NULL, 0, 0, command_keys_list},
    {"keys jwks", "FILE...",
     "Prints the public halves of private key files as a JWKS, to pin with agents and auditors.",
     "countersign keys jwks signing.pem > countersign.jwks", NULL, 1, -1, command_keys_jwks},
    {"policy check", "FILE|-", "Checks a policy document without a server.", NULL, NULL, 1, 1,
     command_policy_check},
    {"policy lint", "FILE|-", "Says what is wrong or doubtful about a policy, and tries its invariants.",
     "countersign policy lint delivery.yaml --error W01,W06", lint_options, 1, 1, command_policy_lint},
    {"policy test", "FILE [TESTS]", "Runs a policy against the tests beside it, without a server.",
     "countersign policy test delivery.yaml", test_options, 1, 2, command_policy_test},
    {"policy explain", "REQUEST|-", "Says what a policy decides about a request, and why. Nothing is written.",
     "countersign policy explain request.json --policy delivery.yaml", explain_options, 1, 1,
     command_policy_explain},
    {"policy fmt", "FILE|-", "Prints a policy in its one layout; the data stay the same.",
     "countersign policy fmt delivery.json --write", fmt_options, 1, 1, command_policy_fmt},
    {"policy convert", "FILE|-", "Prints a policy in the other form; the digest stays the same.",
     "countersign policy convert delivery.yaml --to json > delivery.json", convert_options, 1, 1,
     command_policy_convert},
    {"policy diff", "OLD NEW", "Says what differs between two policies, or which decisions would.",
     "countersign policy diff delivery.yaml new.yaml --replay requests.jsonl", diff_options, 2, 2,
     command_policy_diff},
    {"policy replay", "FILE|-", "Says which of the last stored decisions would be others by this policy.",
     "countersign policy replay new.yaml --last 10000", replay_options, 1, 1, command_policy_replay},
    {"policy activate", "FILE|-", "Makes a policy the active one, for every evaluator at once.",
     "countersign policy activate policy.json", lint_options, 1, 1, command_policy_activate},
    {"policy shadow", "[FILE|-]",
     "Puts a policy into the shadow: what it would decide is recorded and changes nothing. Without one: what "
     "they would have decided.",
     "countersign policy shadow next.yaml\ncountersign policy shadow\ncountersign policy shadow --end acme",
     shadow_options, 0, 1, command_policy_shadow},
    {"policy rollback", "ID VERSION",
     "Makes what was active before the active policy again, under a new version.",
     "countersign policy rollback delivery 3", NULL, 2, 2, command_policy_rollback},
    {"policy show", "[ID]", "Prints the active document.", NULL, NULL, 0, 1, command_policy_show},
    {"policy list", "", "Lists every policy that was ever activated.", NULL, NULL, 0, 0, command_policy_list},
    {"cel", "[EXPRESSION]", "Tries an expression of the policy language; prints its value and its type.",
     "countersign cel 'context.amount <= 5000 && context.currency == \"EUR\"' --bind request.json",
     cel_options, 0, 1, command_cel},
    {"topics apply", "", "Creates the topics, or brings their settings in line.", NULL, NULL, 0, 0,
     command_topics_apply},
    {"topics check", "", "Says what differs; exit 1 when something does.", NULL, NULL, 0, 0,
     command_topics_check},
    {"migrate", "", "Creates the database schema, or brings it up to this version.", NULL, migrate_options, 0,
     0, command_migrate},
    {"ledger verify", "", "Walks the hash chains and says whether they hold.",
     "countersign ledger verify --kafka", verify_options, 0, 0, command_ledger_verify},
    {"deliveries list", "", "Lists what the notifier sent or could not send.", NULL, deliveries_options, 0, 0,
     command_deliveries_list},
    {"deliveries replay", "ID...", "Sends a dead delivery again.", NULL, NULL, 1, -1, command_deliveries_replay},
    {"quarantine list", "", "Lists records that could not be taken.", NULL, quarantine_options, 0, 0,
     command_quarantine_list},
    {"quarantine show", "ID", "Shows one, with its raw bytes where the role may read them.", NULL, NULL, 1, 1,
     command_quarantine_show},
    {0}};
