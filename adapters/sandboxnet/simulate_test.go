package sandboxnet_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestSimulationLeavesNoTrace takes claims out of the messages about a file, one by one.
// Without them the messages are those about a file that never had them, byte for byte, and
// every step of a claim is dropped by its action.
func TestSimulationLeavesNoTrace(t *testing.T) {
	t.Parallel()
	endings := slices.DeleteFunc(sandboxnet.ClaimEndings(), func(e string) bool { return e == "-BATCH-REJECTED" })
	network := sandboxnet.NewClearinghouse(porttest.At(asked, 0), nil, sandboxnet.Options{ERADelay: slowly})
	replies := func(all ...claims.Claim) (waiting []scenario.Message, batch clearing.OutgoingFile) {
		t.Helper()
		name, content := numbered(t, 1, all...)
		files, err := network.Replies(name, content, remembering())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			waiting = append(waiting, scenario.Message{Name: f.Name, Content: f.Content, Due: f.Due})
		}
		return waiting, clearing.OutgoingFile{Name: name, Content: content, At: asked}
	}
	var staying, all []claims.Claim
	for i, ending := range endings {
		for _, who := range []string{"STAYS", "LEAVES"} {
			c := newClaim(fmt.Sprintf("%s%02d", who, i), ending, aetna())
			if c.Predetermination = ending == "-ESTIMATE"; c.Predetermination {
				for k := range c.Lines {
					c.Lines[k].ServiceDate = on(0, 0)
				}
			}
			if all = append(all, c); who == "STAYS" {
				staying = append(staying, c)
			}
		}
	}
	waiting, batch := replies(all...)
	want, _ := replies(staying...)
	drops := map[string]string{}
	for i, ending := range endings {
		made, err := sandboxnet.Simulate(&scenario.Simulation{
			Step: scenario.ClaimStep{Do: scenario.Accept, By: clearing.SidePayer}, Follows: true, Number: 7, Batch: batch, Numbers: []string{fmt.Sprintf("leaves%02d", i)}, Waiting: waiting, Now: asked,
		})
		if err != nil {
			t.Fatal(ending, err)
		}
		var dropped []string
		for _, d := range made.Dropped {
			dropped = append(dropped, string(d.Do))
		}
		drops[ending] = strings.Join(dropped, " ")
		for _, m := range made.Changed {
			at := slices.IndexFunc(waiting, func(o scenario.Message) bool { return o.Name == m.Name })
			if waiting[at] = m; m.Content == nil {
				t.Errorf("%s: %s is gone, although other claims are in it", ending, m.Name)
			}
		}
	}
	for i := range want {
		if waiting[i].Name != want[i].Name || string(waiting[i].Content) != string(want[i].Content) {
			t.Errorf("%s is\n%s\nwant %s\n%s", waiting[i].Name, waiting[i].Content, want[i].Name, want[i].Content)
		}
	}
	const accepts = "accept accept "
	for ending, want := range map[string]string{
		"-REJECTED": "accept reject", "-INFO-REQUEST": accepts + "request_information", "-DENIED": accepts + "deny", "-REVERSED": accepts + "pay reverse",
		"-ESTIMATE": accepts + "estimate", "-CROSSOVER": accepts + "pay pay", "-FORWARDED": accepts + "forward", "-SPLIT": accepts + "pay pay",
		"-CORRECTED": accepts + "pay pay reverse", "-CUT-NUMBER": accepts + "pay", "-WRONG-PATIENT": accepts + "pay", "-UNBALANCED": accepts + "pay",
	} {
		if drops[ending] != want {
			t.Errorf("%s: %q is dropped, want %q", ending, drops[ending], want)
		}
	}
	if len(drops) != len(endings) || len(want) != len(waiting) {
		t.Errorf("%v of %d endings; %d messages, want %d", slices.Sorted(maps.Keys(drops)), len(endings), len(waiting), len(want))
	}
}

// TestSimulationNeedsItsClaim has a file without the claim, and one that is none.
func TestSimulationNeedsItsClaim(t *testing.T) {
	t.Parallel()
	name, content := numbered(t, 1, newClaim("C1", "", aetna()))
	for _, s := range []scenario.Simulation{
		{Batch: clearing.OutgoingFile{Name: name, Content: content}, Numbers: []string{"C2"}},
		{Batch: clearing.OutgoingFile{Name: name, Content: []byte("ISA")}, Numbers: []string{"C1"}},
		{
			Batch: clearing.OutgoingFile{Name: name, Content: content}, Numbers: []string{"C1"}, Step: scenario.ClaimStep{Do: scenario.Accept},
			Waiting: []scenario.Message{{Name: "a.277", Content: []byte("ISA")}},
		},
		{
			Batch: clearing.OutgoingFile{Name: name, Content: content}, Numbers: []string{"C1"}, Step: scenario.ClaimStep{Do: scenario.Reverse}, Follows: true,
			Decided: []scenario.DecidedClaim{{File: []byte("ISA"), Ordinal: 1}},
		},
	} {
		if made, err := sandboxnet.Simulate(&s); err == nil {
			t.Errorf("%+v", made)
		}
	}
}
