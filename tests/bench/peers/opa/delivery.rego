# SPDX-License-Identifier: Apache-2.0

# The rules of deploy/policies/delivery.yaml. A restriction whose field is missing holds, as there.
package delivery

default decision := "BLOCK"

decision := "BLOCK" if block

else := "REQUIRE_APPROVAL" if ask

else := "ALLOW" if allow

else := class_default

block if {
	input.action == "deployment.production"
	not input.context.tests_passed
}

block if {
	input.action == "repo.push"
	not input.context.force == false
	not input.context.protected_branch == false
}

ask if {
	input.action == "deployment.production"
	not input.context.change_risk in {"low", "medium"}
}

allow if {
	input.action == "deployment.production"
	startswith(input.agent_id, "coding-agent-")
	input.context.tests_passed
	input.context.change_risk in {"low", "medium"}
	input.context.branch == "main"
}

allow if {
	input.action == "deployment.staging"
	startswith(input.agent_id, "coding-agent-")
	input.context.environment != "production"
}

allow if {
	input.action == "deployment.development"
	startswith(input.agent_id, "coding-agent-")
	input.context.environment != "production"
}

allow if {
	input.action == "repo.push"
	startswith(input.agent_id, "coding-agent-")
	input.context.protected_branch == false
}

class_default := "ALLOW" if input.action in {"repo.read", "repo.list", "deployment.status"}

else := "REQUIRE_APPROVAL" if startswith(input.action, "deployment.")

else := "REQUIRE_APPROVAL" if startswith(input.action, "repo.")
