/* SPDX-License-Identifier: Apache-2.0 */
/* service_options.c - the command line that all services share. Reads argv and says what is meant; does nothing yet. */
#include "common/service/service_private.h"

#include <getopt.h>

enum { OPTION_CONFIG = 256, OPTION_SET, OPTION_CHECK, OPTION_PRINT, OPTION_EFFECTIVE, OPTION_VERSION };

static const struct option long_options[] = {
    {"config", required_argument, NULL, OPTION_CONFIG},
    {"set", required_argument, NULL, OPTION_SET},
    {"check-config", no_argument, NULL, OPTION_CHECK},
    {"print-config", no_argument, NULL, OPTION_PRINT},
    {"print-effective-config", no_argument, NULL, OPTION_EFFECTIVE},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Two modes at once is a mistake, the same one twice is not. */
static bool
choose(struct service_options *options, enum service_mode mode, struct error *error)
{
	if (options->mode != SERVICE_RUN && options->mode != mode)
		return error_set(error, ERROR_INVALID, "usage",
				 "only one of the options that print something can be given");
	options->mode = mode;
	return true;
}

static bool
take_option(struct service_options *options, int letter, const char *argument, struct error *error)
{
	switch (letter) {
	case OPTION_CONFIG:
		options->config_path = argument;
		return true;
	case OPTION_SET:
		options->overrides[options->override_count++] = argument;
		return true;
	case OPTION_CHECK:
		return choose(options, SERVICE_CHECK_CONFIG, error);
	case OPTION_PRINT:
		return choose(options, SERVICE_PRINT_CONFIG, error);
	case OPTION_EFFECTIVE:
		return choose(options, SERVICE_PRINT_EFFECTIVE_CONFIG, error);
	case OPTION_VERSION:
		return choose(options, SERVICE_VERSION, error);
	case 'h':
		return choose(options, SERVICE_HELP, error);
	default:
		return error_set(error, ERROR_INVALID, "usage", "unknown option, or its value is missing");
	}
}

bool
service_options_parse(int argc, char **argv, struct service_options *options, struct error *error)
{
	bool ok = true;
	int letter;

	*options = (struct service_options){.mode = SERVICE_RUN};
	options->overrides = memory_take((size_t)argc * sizeof *options->overrides);
	opterr = 0;
	optind = 0; /* begin anew: glibc's way */
	while (ok && (letter = getopt_long(argc, argv, "+h", long_options, NULL)) != -1)
		ok = take_option(options, letter, optarg, error);
	if (ok && optind < argc)
		ok = error_set(error, ERROR_INVALID, "usage", "there are no arguments, only options");
	return ok;
}

void
service_help(const struct service *service, FILE *out)
{
	fprintf(out, "%s %s - %s\n\n", service->name, CS_VERSION, service->purpose);
	fprintf(out,
		"Usage:\n"
		"  %s [--config FILE] [--set KEY=VALUE]...\n\n"
		"Options:\n"
		"  --config FILE             keys and values, one per line\n"
		"  --set KEY=VALUE           sets a key; goes before the environment and the file\n"
		"  --check-config            says whether the configuration can be used, and ends\n"
		"  --print-config            prints every key with its default and what it means\n"
		"  --print-effective-config  prints what is in force; secrets are hidden\n"
		"  --version                 prints the version\n"
		"  -h, --help                prints this\n\n",
		service->name);
	fprintf(
	    out,
	    "A key can be set by the environment too: COUNTERSIGN_DATABASE_URI is database.uri, and\n"
	    "COUNTERSIGN_DATABASE_URI_FILE names a file that holds it. SIGTERM or SIGINT finishes or rolls "
	    "back the\n"
	    "transaction in hand and ends within 20 s; a second one ends at once. No other signal is "
	    "handled.\n\n"
	    "Exit status: 0 after SIGTERM or SIGINT, 1 when it can't go on, 2 for a wrong command line.\n\n"
	    "Example:\n"
	    "  %s --config /etc/countersign/%s.conf --set log.level=debug\n",
	    service->name, service->name);
}
