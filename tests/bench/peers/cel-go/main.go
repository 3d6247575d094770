// SPDX-License-Identifier: Apache-2.0

// The rules of deploy/policies/delivery.yaml as programs of cel-go. What CEL leaves to its host is done in Go: rules are found by the
// action in a map, agents by their prefix, and the decisions are combined. The context is not checked against declared inputs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/cel-go/cel"
)

const (
	allow = iota
	requireApproval
	block
)

var names = []string{"ALLOW", "REQUIRE_APPROVAL", "BLOCK"}

type rule struct {
	program  cel.Program
	agents   string
	decision int
}

type request struct {
	Agent   string         `json:"agent_id"`
	Action  string         `json:"action"`
	Target  string         `json:"target"`
	Context map[string]any `json:"context"`
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func rules() map[string][]rule {
	env := must(cel.NewEnv(cel.Variable("context", cel.MapType(cel.StringType, cel.DynType))))
	found := map[string][]rule{}
	add := func(when string, agents string, decision int, actions ...string) {
		ast, issues := env.Compile(when)
		if issues.Err() != nil {
			must(0, issues.Err())
		}
		one := rule{must(env.Program(ast, cel.EvalOptions(cel.OptOptimize))), agents, decision}
		for _, action := range actions {
			found[action] = append(found[action], one)
		}
	}
	add("!context.tests_passed", "", block, "deployment.production")
	add("context.change_risk in ['high', 'critical']", "", requireApproval, "deployment.production")
	add("context.tests_passed && context.change_risk in ['low', 'medium'] && context.branch == 'main'", "coding-agent-", allow, "deployment.production")
	add("context.environment != 'production'", "coding-agent-", allow, "deployment.staging", "deployment.development")
	add("context.protected_branch && context.force", "", block, "repo.push")
	add("!context.protected_branch", "coding-agent-", allow, "repo.push")
	return found
}

func defaultOf(action string) int {
	switch {
	case action == "repo.read" || action == "repo.list" || action == "deployment.status":
		return allow
	case strings.HasPrefix(action, "deployment.") || strings.HasPrefix(action, "repo."):
		return requireApproval
	}
	return block
}

// An error of a rule that restricts raises the decision to the rule's, one of a rule that allows counts for nothing.
func decide(rules map[string][]rule, agent, action string, context any) int {
	base, raised := -1, allow
	for _, one := range rules[action] {
		if !strings.HasPrefix(agent, one.agents) {
			continue
		}
		value, _, err := one.program.Eval(context)
		if err != nil {
			if one.decision != allow {
				raised = max(raised, one.decision)
			}
		} else if value.Value() == true {
			base = max(base, one.decision)
		}
	}
	if base < 0 {
		base = defaultOf(action)
	}
	return max(base, raised)
}

// Processor time of all threads, so that what else the machine does has no part in it and a collector of garbage has.
func used() time.Duration {
	var usage syscall.Rusage
	must(0, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measure(ask func(int) int, count int) float64 {
	var found []float64
	for batch := 0; batch <= 15; batch++ {
		begin, asked := used(), 0
		for used()-begin < 20*time.Millisecond {
			for i := range count {
				ask(i)
			}
			asked += count
		}
		if batch > 0 { // the first warms up
			found = append(found, float64((used()-begin).Nanoseconds())/float64(asked))
		}
	}
	slices.Sort(found)
	return found[len(found)/2]
}

func main() {
	rules, lines := rules(), [][]byte{}
	requests, activations := []request{}, []cel.Activation{}
	for scanner := bufio.NewScanner(must(os.Open(os.Args[1]))); scanner.Scan(); {
		var one request
		lines = append(lines, slices.Clone(scanner.Bytes()))
		must(0, json.Unmarshal(lines[len(lines)-1], &one))
		requests = append(requests, one)
		activations = append(activations, must(cel.NewActivation(map[string]any{"context": one.Context})))
	}
	asValue := func(i int) int { return decide(rules, requests[i].Agent, requests[i].Action, activations[i]) }
	asJSON := func(i int) int {
		var one request
		must(0, json.Unmarshal(lines[i], &one))
		return decide(rules, one.Agent, one.Action, map[string]any{"context": one.Context})
	}
	decisions := []string{}
	for i := range lines {
		if asValue(i) != asJSON(i) {
			must(0, fmt.Errorf("text and value differ"))
		}
		decisions = append(decisions, names[asValue(i)])
	}
	fmt.Println(string(must(json.Marshal(map[string]any{
		"decisions": decisions, "value_ns": measure(asValue, len(lines)), "json_ns": measure(asJSON, len(lines)),
	}))))
}
