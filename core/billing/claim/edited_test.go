package claim_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports/filltest"
)

// Every field of the content counts as one of the contract. The patient's entry follows
// from the others.
func TestEveryFieldOfTheContentIsAnEdit(t *testing.T) {
	t.Parallel()
	var untagged []string
	for _, of := range []any{claim.Content{}, claim.Details{}, claim.Subscriber{}, claim.Patient{}} {
		for f := range reflect.TypeOf(of).Fields() {
			if _, ok := f.Tag.Lookup("field"); !ok && !f.Anonymous {
				untagged = append(untagged, f.Name)
			}
		}
	}
	if !slices.Equal(untagged, []string{"PatientID"}) {
		t.Errorf("%v have no name of the contract", untagged)
	}
	fields := slices.Sorted(maps.Keys(billing.Edits{}.After(claim.Claim{}, filltest.Filled[claim.Claim](t), "usr_1", evening).Last))
	if len(fields) < 30 || slices.Contains(fields, "state") || !slices.Contains(fields, "subscriber.address.zip") || !slices.Contains(fields, "patient_control_number") {
		t.Errorf("fields %v", fields)
	}
}

// The history says who changed the content, once for changes that follow each other.
func TestTheHistoryOfEdits(t *testing.T) {
	t.Parallel()
	c := &claim.Claim{Progress: claim.Progress{State: claim.Draft, History: []claim.Move{{State: claim.Draft, Cause: claim.TriggerDraft}}}}
	at := evening
	edit := func(by, note string, moves ...claim.Move) {
		was := *c
		c.Note, c.History, at = note, append(slices.Clone(c.History), moves...), at.Add(time.Minute)
		c.Edited(was, caller.Principal{Type: caller.PrincipalUser, ID: by}, at)
	}
	edit("ann", "a")
	edit("ann", "b")
	edit("ann", "b") // the same
	edit("bo", "c")
	edit("bo", "d", claim.Move{State: claim.Validated, Cause: claim.TriggerValidate})
	edit("", "d", claim.Move{State: claim.Queued, Cause: claim.TriggerSubmit}) // no content
	var got []string
	for _, m := range c.History {
		got = append(got, string(m.Cause)+" "+m.By)
	}
	c.History = append(c.History, claim.Move{State: claim.Queued, Cause: claim.TriggerSubmit})
	c.Made(caller.Principal{ID: "ben"})
	if last := c.History[len(c.History)-1]; last.By != "ben" || c.History[1].By != "ann" {
		t.Errorf("made by another one: %+v", c.History)
	}
	if want := []string{"draft ", "edit ann", "edit bo", "validation bo", "submit "}; !slices.Equal(got, want) || c.Edits.Version() != 5 {
		t.Errorf("history %q, version %d; want %q", got, c.Edits.Version(), want)
	}
	was := *c
	c.Coverage = billing.SequencePrimary // as it was without a word
	if c.Edited(was, caller.Principal{ID: "ann"}, at); c.Edits.Version() != 5 {
		t.Error("a coverage that was said is a change")
	}
}
