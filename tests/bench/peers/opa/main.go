// SPDX-License-Identifier: Apache-2.0

// delivery.rego as a prepared query of OPA.
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

//go:embed delivery.rego
var policy string

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// Processor time of all threads, so that what else the machine does has no part in it and a collector of garbage has.
func used() time.Duration {
	var usage syscall.Rusage
	must(0, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measure(ask func(int) string, count int) float64 {
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
	ctx := context.Background()
	query := must(rego.New(rego.Query("data.delivery.decision"), rego.Module("delivery.rego", policy)).PrepareForEval(ctx))
	lines, inputs := [][]byte{}, []ast.Value{}
	for scanner := bufio.NewScanner(must(os.Open(os.Args[1]))); scanner.Scan(); {
		lines = append(lines, slices.Clone(scanner.Bytes()))
		inputs = append(inputs, must(ast.ValueFromReader(bytes.NewReader(scanner.Bytes()))))
	}
	decide := func(input ast.Value) string {
		results := must(query.Eval(ctx, rego.EvalParsedInput(input)))
		return results[0].Expressions[0].Value.(string)
	}
	asValue := func(i int) string { return decide(inputs[i]) }
	asJSON := func(i int) string { return decide(must(ast.ValueFromReader(bytes.NewReader(lines[i])))) }
	decisions := []string{}
	for i := range lines {
		if asValue(i) != asJSON(i) {
			must(0, fmt.Errorf("text and value differ"))
		}
		decisions = append(decisions, asValue(i))
	}
	fmt.Println(string(must(json.Marshal(map[string]any{
		"decisions": decisions, "value_ns": measure(asValue, len(lines)), "json_ns": measure(asJSON, len(lines)),
	}))))
}
