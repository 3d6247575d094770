/* SPDX-License-Identifier: Apache-2.0 */
/* check_call.c - calls: which function a name means, which of its overloads take the arguments, what they give. */
#include "common/cel/check.h"

#include <string.h>

struct call {
	const struct cel_node *node;
	const struct cel_type **types; /* of the arguments, the receiver first */
	const struct cel_type **parameters;
	size_t count;
	bool member;
};

/* Binds the free variables of the arguments by this overload; its result, or NULL when it does not take them. */
static const struct cel_type *
try_overload(struct checker *checker, const struct call *call, const struct cel_signature *signature)
{
	struct cel_instance instance = {0};

	if (!cel_signature_takes_count(signature, call->member, call->count))
		return NULL;
	for (size_t i = 0; i < call->count; i++) {
		size_t p = i < signature->parameter_count ? i : signature->parameter_count - 1;

		call->parameters[i] =
		    cel_unify_instantiate(&checker->unifier, signature->parameters[p], &instance);
	}
	if (!cel_unify_all(&checker->unifier, call->types, call->parameters, call->count))
		return NULL;
	return cel_unify_resolve(
	    &checker->unifier, cel_unify_instantiate(&checker->unifier, signature->result, &instance), false);
}

static const struct cel_type *
resolve(struct checker *checker, const struct call *call, const struct cel_signature *signatures)
{
	const struct cel_type *result = NULL;

	for (const struct cel_signature *s = signatures; s; s = s->next) {
		const struct cel_type *type = try_overload(checker, call, s);

		if (!type)
			continue;
		if (!result)
			result = type;
		else if (result->kind != CEL_T_DYN && !cel_type_same(result, type))
			result = cel_type_simple(CEL_T_DYN);
	}
	if (result)
		return result;
	for (size_t i = 0; i < call->count; i++)
		call->types[i] = cel_unify_resolve(&checker->unifier, call->types[i], false);
	return check_fault_overload(checker, call->node, signatures, call->types, call->count);
}

/* The receiver, when it is a value, and the arguments. */
static struct call
check_arguments(struct checker *checker, const struct cel_node *node, const struct cel_node *receiver)
{
	size_t room = node->argument_count + 1;
	struct call call = {
	    .node = node,
	    .types = arena_take_array(checker->arena, room, sizeof(const struct cel_type *)),
	    .parameters = arena_take_array(checker->arena, room, sizeof(const struct cel_type *)),
	    .member = receiver != NULL,
	};

	if (receiver)
		call.types[call.count++] = check_node(checker, receiver);
	for (size_t i = 0; i < node->argument_count; i++)
		call.types[call.count++] = check_node(checker, node->arguments[i]);
	return call;
}

/* && and || take each operand for itself, so that both faults are told, each where it is. */
static const struct cel_type *
check_logic(struct checker *checker, const struct cel_node *node)
{
	for (size_t i = 0; i < node->argument_count; i++) {
		const struct cel_node *operand = node->arguments[i];
		const struct cel_type *type = check_node(checker, operand);

		if (!cel_unify_assignable(&checker->unifier, type, cel_type_simple(CEL_T_BOOL)))
			check_fault(checker, CEL_TYPE_ERROR, operand->position, "%s expects bool, found %s",
				    check_operator_sign(node->name),
				    check_type_text(checker, cel_unify_resolve(&checker->unifier, type, false)));
	}
	return cel_type_simple(CEL_T_BOOL);
}

static const struct cel_type *
check_operation(struct checker *checker, const struct cel_node *node, const struct cel_signature *signatures)
{
	const struct cel_type *type;

	if (strcmp(node->name, "_&&_") == 0 || strcmp(node->name, "_||_") == 0)
		return check_logic(checker, node);
	struct call call = check_arguments(checker, node, NULL);
	type = check_record_index(checker, node);
	if (type)
		return type;
	check_record_in(checker, node);
	return resolve(checker, &call, signatures);
}

/* The function that `a.b.f(…)` means when a.b is no value but the front of its name. */
static const struct cel_function_entry *
namespaced(struct checker *checker, const struct cel_node *node, const char **whole)
{
	char name[CEL_CANDIDATE_MAX];
	size_t length;

	if (!check_qualified(checker, node->operand, name))
		return NULL;
	length = strlen(name);
	if (length + 1 + strlen(node->name) >= sizeof name)
		return NULL;
	name[length] = '.';
	memcpy(name + length + 1, node->name, strlen(node->name) + 1);
	return check_function(checker, name, whole);
}

/* Whether the receiver is a bare name that nothing is known by: then the whole is a misspelt function, not a method of something. */
static bool
receiver_is_unknown(struct checker *checker, const struct cel_node *receiver, char name[CEL_CANDIDATE_MAX])
{
	const struct cel_node *root = receiver;

	if (!check_qualified(checker, receiver, name))
		return false;
	for (;; root = root->operand) {
		char part[CEL_CANDIDATE_MAX];

		if (!check_qualified(checker, root, part) || check_lookup(checker, root, part))
			return false;
		if (root->kind == CEL_N_IDENT)
			return true;
	}
}

static const struct cel_type *
check_method(struct checker *checker, const struct cel_node *node)
{
	char name[CEL_CANDIDATE_MAX];
	const char *whole = NULL;
	const struct cel_function_entry *function = namespaced(checker, node, &whole);

	if (function) {
		check_meaning_of(checker, node)->function = whole;
		struct call call = check_arguments(checker, node, NULL);
		return resolve(checker, &call, function->signatures);
	}
	function = check_function(checker, node->name, &whole);
	if (!function && receiver_is_unknown(checker, node->operand, name)) {
		check_arguments(checker, node, NULL);
		return check_fault_function(checker, node,
					    arena_format(checker->arena, "%s.%s", name, node->name));
	}
	if (!function && check_is_like_macro(node->name)) {
		check_node(checker, node->operand);
		return check_fault_function(checker, node, node->name);
	}
	struct call call = check_arguments(checker, node, node->operand);
	if (!function)
		return check_fault_function(checker, node, node->name);
	if (strcmp(whole, node->name) != 0)
		check_meaning_of(checker, node)->function = whole;
	return resolve(checker, &call, function->signatures);
}

const struct cel_type *
check_call(struct checker *checker, const struct cel_node *node)
{
	const struct cel_signature *signatures = check_operator(node->name);
	const struct cel_function_entry *function;
	const char *whole = NULL;

	if (strcmp(node->name, "_?._") == 0)
		return check_optional_select(checker, node);
	if (node->operand)
		return check_method(checker, node);
	if (signatures)
		return check_operation(checker, node, signatures);
	function = check_function(checker, node->name, &whole);
	struct call call = check_arguments(checker, node, NULL);
	if (!function)
		return check_fault_function(checker, node, node->name);
	if (strcmp(whole, node->name) != 0)
		check_meaning_of(checker, node)->function = whole;
	return resolve(checker, &call, function->signatures);
}
