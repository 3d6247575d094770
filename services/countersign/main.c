/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - finds the command, reads its options, runs it. No behaviour of any command lives here. */
#include "common/crypto/crypto.h"
#include "common/service/service.h"
#include "services/countersign/cli.h"
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct config_key cli_keys[] = {
    {"database.uri", CONFIG_SECRET, offsetof(struct cli_config, database_uri), "", 0, 0, NULL,
     "PostgreSQL as a libpq URI; what it leaves out comes from the PG* variables."},
    {"topics.prefix", CONFIG_STRING, offsetof(struct cli_config, topics_prefix), "countersign.", 0, 0, NULL,
     "Stands before the name of every topic."},
    {"topics.partitions", CONFIG_INTEGER, offsetof(struct cli_config, partitions), "6", 1, 10000, NULL,
     "Partitions of each topic that `topics apply` creates; a multiple of ledger.chains."},
    {"topics.replication", CONFIG_INTEGER, offsetof(struct cli_config, replication), "3", 1, 100, NULL,
     "Replication factor of each topic that `topics apply` creates."},
    {"ledger.chains", CONFIG_INTEGER, offsetof(struct cli_config, chains), "6", 1, 1024, NULL,
     "Ledger chains that the first `migrate` lays down, for ever."},
    {"tenant", CONFIG_STRING, offsetof(struct cli_config, tenant), "default", 0, 0, NULL,
     "Tenant that the commands speak for."},
    {"responder.name", CONFIG_STRING, offsetof(struct cli_config, responder), "", 0, 0, NULL,
     "Person who answers with approve and deny."},
    {"responder.key_file", CONFIG_STRING, offsetof(struct cli_config, key_file), "", 0, 0, NULL,
     "Private key (PKCS#8 PEM) that signs approve and deny."},
    {0}};
/* Only explained: what is given is handed through as it is. */
static const struct config_key cli_kafka_keys[] = {
    {"kafka.bootstrap.servers", CONFIG_LIST, 0, "", 0, 0, NULL,
     "Kafka brokers, each as host:port; the commands that send, wait or look at topics need them."},
    {0}};
static const struct config_key *const cli_key_lists[] = {cli_keys, NULL};
static struct config_pairs cli_kafka;
const struct config_table cli_table = {.key_lists = cli_key_lists,
				       .through_prefix = "kafka.",
				       .through = &cli_kafka,
				       .through_keys = cli_kafka_keys};

/* Options that every command takes; behind them come the command's own. */
static const struct cli_option common_options[] = {
    {"config", "FILE", "configuration file (default: $COUNTERSIGN_CONFIG, if set)"},
    {"set", "KEY=VALUE", "overrides one configuration key"},
    {"tenant", "TENANT", "tenant (default: the configuration's)"},
    {"output", "table|json", "form of the output (-o)"},
    {"verbose", NULL, "also say what goes on below"},
    {"help", NULL, "this text (-h)"},
    {0}};
enum { COMMON_CONFIG, COMMON_SET, COMMON_TENANT, COMMON_OUTPUT, COMMON_VERBOSE, COMMON_HELP, COMMON_COUNT };

struct invocation {
	const char *config_path, *tenant;
	const char *overrides[32];
	size_t override_count;
	bool help;
};

static void
print_options(const struct cli_option *options, FILE *out)
{
	for (; options && options->name; options++) {
		char left[48];
		snprintf(left, sizeof left, "--%s%s%s", options->name, options->value ? " " : "",
			 options->value ? options->value : "");
		fprintf(out, "  %-26s %s\n", left, options->help);
	}
}

static void
print_command_line(const struct cli_command *command, FILE *out)
{
	char left[48];
	snprintf(left, sizeof left, "%s %s", command->name, command->arguments);
	fprintf(out, "  %-30s %s\n", left, command->sentence);
}

static int
print_overview(FILE *out)
{
	fputs("Usage: countersign COMMAND [OPTIONS] [ARGUMENTS]\n\n"
	      "  countersign submit --agent coding-agent --action deployment.production --target "
	      "customer-api --wait\n"
	      "  countersign show ID\n"
	      "  countersign approve ID --as alice --key alice.pem\n\nCommands:\n",
	      out);
	for (const struct cli_command *command = cli_commands; command->name; command++)
		print_command_line(command, out);
	fputs("\nOptions of every command:\n", out);
	print_options(common_options, out);
	fputs("\nExit codes: 0 success, 1 failure, 2 wrong usage, 3 still pending, 5 refused, 124 nothing "
	      "came in time.\n"
	      "`countersign COMMAND --help` tells more; `countersign --print-config` prints a documented "
	      "sample.\n",
	      out);
	return CLI_OK;
}

static int
print_command(const struct cli_command *command)
{
	printf("Usage: countersign %s [OPTIONS]%s%s\n\n%s\n", command->name, *command->arguments ? " " : "",
	       command->arguments, command->sentence);
	if (command->example)
		printf("\nExample:\n  %s\n", command->example);
	if (command->options) {
		puts("\nOptions:");
		print_options(command->options, stdout);
	}
	puts("\nOptions of every command:");
	print_options(common_options, stdout);
	return CLI_OK;
}

/* Longest match first: "policy activate" before "policy". *used counts the words of the name. */
static const struct cli_command *
find_command(char **words, int count, int *used)
{
	for (int length = 2; length >= 1; length--) {
		char name[64];
		if (count < length)
			continue;
		snprintf(name, sizeof name, "%s%s%s", words[0], length == 2 ? " " : "",
			 length == 2 ? words[1] : "");
		for (const struct cli_command *command = cli_commands; command->name; command++)
			if (!strcmp(command->name, name)) {
				*used = length;
				return command;
			}
	}
	return NULL;
}

static bool
in_group(const struct cli_command *command, const char *word)
{
	size_t length = strlen(word);
	return !strncmp(command->name, word, length) && command->name[length] == ' ';
}

static bool
is_group(const char *word)
{
	for (const struct cli_command *command = cli_commands; command->name; command++)
		if (in_group(command, word))
			return true;
	return false;
}

/* "policy" begins commands, and is none: they are listed. */
static bool
print_group(const char *word, FILE *out)
{
	if (!is_group(word))
		return false;
	fprintf(out, "Usage: countersign %s COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands:\n", word);
	for (const struct cli_command *command = cli_commands; command->name; command++)
		if (in_group(command, word))
			print_command_line(command, out);
	return true;
}

static int
unknown_command(char **words, int count, bool help)
{
	const char *word = count ? words[0] : "";
	size_t length = strlen(word);

	if (help && print_group(word, stdout))
		return CLI_OK;
	if (is_group(word) && count == 1)
		cli_say("\"%s\" is not the whole command", word);
	else if (count > 1 && is_group(word))
		cli_say("there is no command \"%s %s\"", word, words[1]);
	else
		cli_say("there is no command \"%s\"", word);
	if (print_group(word, stderr))
		return CLI_USAGE;
	for (const struct cli_command *command = cli_commands; command->name; command++)
		if (length >= 2 && !strncmp(command->name, word, length < 3 ? length : 3))
			fprintf(stderr, "  did you mean: countersign %s\n", command->name);
	fputs("countersign --help lists all commands\n", stderr);
	return CLI_USAGE;
}

static void
build_options(const struct cli_command *command, struct option *options)
{
	int n = 0;
	for (int i = 0; common_options[i].name; i++)
		options[n++] =
		    (struct option){common_options[i].name, common_options[i].value ? 1 : 0, NULL, 256 + i};
	for (int i = 0; command && command->options && command->options[i].name; i++)
		options[n++] = (struct option){command->options[i].name, command->options[i].value ? 1 : 0,
					       NULL, 256 + COMMON_COUNT + i};
	options[n] = (struct option){0};
}

static bool
take_common(struct cli *cli, struct invocation *invocation, int which)
{
	switch (which) {
	case COMMON_CONFIG:
		invocation->config_path = optarg;
		return true;
	case COMMON_SET:
		if (invocation->override_count == 32)
			return false;
		invocation->overrides[invocation->override_count++] = optarg;
		return true;
	case COMMON_TENANT:
		invocation->tenant = optarg;
		return true;
	case COMMON_OUTPUT:
		cli->json = !strcmp(optarg, "json");
		return cli->json || !strcmp(optarg, "table");
	case COMMON_VERBOSE:
		cli->log.level = LOG_DEBUG;
		return true;
	default:
		invocation->help = true;
		return true;
	}
}

/* Reads the options; what is left of argv are the arguments. */
static bool
read_options(struct cli *cli, struct invocation *invocation, int argc, char **argv)
{
	struct option options[COMMON_COUNT + CLI_OPTIONS_MAX + 1];
	int found;

	build_options(cli->command, options);
	optind = 1;
	while ((found = getopt_long(argc, argv, "ho:", options, NULL)) != -1) {
		int which = found == 'h' ? COMMON_HELP : found == 'o' ? COMMON_OUTPUT : found - 256;
		if (found == '?')
			return false;
		if (which < COMMON_COUNT) {
			if (!take_common(cli, invocation, which)) {
				cli_say("bad value for --%s", common_options[which].name);
				return false;
			}
		} else if (cli->given_count < CLI_OPTIONS_MAX) {
			cli->given[cli->given_count].name = cli->command->options[which - COMMON_COUNT].name;
			cli->given[cli->given_count++].value = optarg ? optarg : "";
		}
	}
	cli->arguments = argv + optind;
	cli->argument_count = argc - optind;
	return true;
}

static bool
load_config(struct cli *cli, const struct invocation *invocation, struct error *error)
{
	const char *path = invocation->config_path ? invocation->config_path : getenv("COUNTERSIGN_CONFIG");
	if (!config_load(&cli_table, &cli->config, path, invocation->overrides, invocation->override_count,
			 error))
		return false;
	cli->config.kafka = cli_kafka;
	cli->tenant_given = invocation->tenant != NULL;
	if (invocation->tenant) {
		free(cli->config.tenant);
		cli->config.tenant = memory_string(invocation->tenant);
	}
	return true;
}

static int
run_command(struct cli *cli, const struct invocation *invocation)
{
	struct error error = {0};
	int code;

	if (cli->argument_count < cli->command->least
	    || (cli->command->most >= 0 && cli->argument_count > cli->command->most))
		return cli_usage(cli, "wrong number of arguments");
	cli->arena = arena_open();
	code = load_config(cli, invocation, &error) ? cli->command->run(cli) : cli_fail(&error);
	store_close(cli->store);
	config_free(&cli_table, &cli->config);
	arena_close(cli->arena);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_say("could not write to standard output");
		return CLI_FAILED;
	}
	return code;
}

static bool
given(int argc, char **argv, const char *option)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], option))
			return true;
	return false;
}

/* The id of a key is 43 characters of base64url; one in 64 begins with a dash and is no option all the same. */
static bool
is_key_id(const char *word)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	return *word == '-' && strlen(word) == CRYPTO_THUMBPRINT_SIZE - 1
	       && strspn(word, alphabet) == CRYPTO_THUMBPRINT_SIZE - 1;
}

/* Copies what follows the command's name; ids of keys go behind a "--" at the end. Returns the new count. */
static int
copy_words(int first, int argc, char **argv)
{
	static char end_of_options[] = "--";
	char **ids = memory_take((size_t)argc * sizeof *ids);
	int kept = 1, count = 0;

	for (int i = first; i < argc; i++)
		*(is_key_id(argv[i]) ? &ids[count++] : &argv[kept++]) = argv[i];
	if (count)
		argv[kept++] = end_of_options;
	for (int i = 0; i < count; i++)
		argv[kept++] = ids[i];
	argv[kept] = NULL;
	free(ids);
	return kept;
}

/* Puts the words of the command's name out of the way: options may stand before, between and behind them. */
static int
run(int argc, char **argv)
{
	struct cli cli = {.log = {.level = LOG_ERROR, .service = "countersign"}};
	struct invocation invocation = {0};
	char *words[2];
	int word_count = 0, used = 0, kept;

	for (int i = 1; i < argc && word_count < 2 && argv[i][0] != '-'; i++)
		words[word_count++] = argv[i];
	cli.command = find_command(words, word_count, &used);
	if (!cli.command)
		return unknown_command(words, word_count,
				       given(argc, argv, "--help") || given(argc, argv, "-h"));
	kept = copy_words(1 + used, argc, argv);
	if (!read_options(&cli, &invocation, kept, argv))
		return cli_usage(&cli, "see countersign %s --help", cli.command->name);
	return invocation.help ? print_command(cli.command) : run_command(&cli, &invocation);
}

/* "--config FILE" and "--set KEY=VALUE" may stand before the command too: they are moved behind it. */
static void
move_leading_options(int argc, char **argv)
{
	int command = 1;
	while (command < argc && argv[command][0] == '-')
		command += strchr(argv[command], '=')
				   || (strcmp(argv[command], "--config") && strcmp(argv[command], "--set")
				       && strcmp(argv[command], "--tenant") && strcmp(argv[command], "-o")
				       && strcmp(argv[command], "--output"))
			       ? 1
			       : 2;
	if (command >= argc || command == 1)
		return;
	for (int round = 1; round < command; round++) {
		char *first = argv[1];
		memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof *argv);
		argv[argc - 1] = first;
	}
}

/* Options alone. */
static int
run_no_command(int argc, char **argv)
{
	if (given(argc, argv, "--help") || given(argc, argv, "-h"))
		return print_overview(stdout);
	if (given(argc, argv, "--version"))
		return printf("countersign %s\n", CS_VERSION) < 0;
	if (given(argc, argv, "--print-config")) {
		config_print_sample(&cli_table, stdout);
		return CLI_OK;
	}
	cli_say("which command?");
	print_overview(stderr);
	return CLI_USAGE;
}

int
main(int argc, char **argv)
{
	move_leading_options(argc, argv);
	if (argc < 2 || argv[1][0] == '-')
		return run_no_command(argc, argv);
	if (!strcmp(argv[1], "version"))
		return printf("countersign %s\n", CS_VERSION) < 0;
	if (!strcmp(argv[1], "help")) {
		int used = 0;
		const struct cli_command *command = find_command(argv + 2, argc - 2, &used);
		if (argc == 2)
			return print_overview(stdout);
		return command ? print_command(command) : unknown_command(argv + 2, argc - 2, true);
	}
	return run(argc, argv);
}
