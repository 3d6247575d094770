/* SPDX-License-Identifier: Apache-2.0 */
/* policy_file.h - policies and their tests as files, for the commands about them. */
#ifndef COUNTERSIGN_POLICY_FILE_H
#define COUNTERSIGN_POLICY_FILE_H

#include "common/document/document.h"
#include "services/countersign/cli.h"
#include "services/countersign/policy_suite.h"

#define POLICY_BYTES_MAX (4u * 1024 * 1024)

struct policy_file {
	struct document document;
	struct policy_document policy;
	const struct policy *written; /* as it was read from the document: findings about it have their places there */
};

/* Each: CLI_OK, or what is wrong with the file was said. "-" is standard input. */
/* A policy that is good, though perhaps not all of it is honoured by this version. */
int policy_file_read(struct cli *cli, const char *path, struct policy_file *file);
/* A policy that this version honours whole. */
int policy_file_read_honoured(struct cli *cli, const char *path, struct policy_file *file);
/* The file of tests beside a policy: "delivery.yaml" has "delivery.test.yaml", .test.yml or .test.json. NULL: none is there. */
const char *policy_file_suite(struct cli *cli, const char *policy_path);
/* The tests in a file; path NULL: those beside the policy. */
int policy_file_read_suite(struct cli *cli, const char *policy_path, const char *path,
			   struct policy_suite *suite);

/* A finding as data: code, word, path, line, column, text. */
struct value *policy_file_finding_map(struct cli *cli, const struct finding *finding);
/* Findings for people on stderr, each with its line and a caret. */
void policy_file_show_findings(struct cli *cli, const struct document *document,
			       const struct findings *findings);
/* With -o json as data on stdout, else for people on stderr. Always CLI_FAILED. */
int policy_file_print_findings(struct cli *cli, const struct document *document,
			       const struct findings *findings);

#endif
