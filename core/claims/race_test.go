package claims_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
)

// atOnce runs use cases at once and returns, for each, "" or the code of its
// error, and the bodies of the replies.
func (b *fixture) atOnce(uses ...use) (codes []billing.Code, bodies []string) {
	b.t.Helper()
	codes, bodies = make([]billing.Code, len(uses)), make([]string, len(uses))
	var all sync.WaitGroup
	for i, u := range uses {
		all.Go(func() {
			a, err := u(render)
			if err != nil {
				codes[i] = billing.CodeOf(err)
			} else {
				bodies[i] = string(a.Body)
			}
		})
	}
	all.Wait()
	return codes, bodies
}

// TestOneKeyAtOnce sends each request many times at once: it has its effect
// once, and every reply is the same.
func TestOneKeyAtOnce(t *testing.T) {
	t.Parallel()
	all := newFixture(t)
	for name, prepare := range map[string]func(b *fixture) (u use, claims int, events string){
		"make": func(b *fixture) (use, int, string) {
			in := b.good()
			in.Submit = true
			return b.make(in), 1, "claim.validated none>validated, claim.queued validated>queued"
		},
		"change": func(b *fixture) (use, int, string) {
			in := b.good()
			in.Draft = true
			return b.change(b.does(b.make(in)).ID, given(intake.ClaimRequest{})), 1, "claim.validated draft>validated"
		},
		"submit": func(b *fixture) (use, int, string) {
			return b.submit(b.does(b.make(b.good())).ID), 1, "claim.validated none>validated, claim.queued validated>queued"
		},
		"replace": func(b *fixture) (use, int, string) {
			return b.replace(b.at(claim.Paid).ID, b.good()), 1, "claim.validated none>validated, claim.queued paid>queued"
		},
		"reconcile": func(b *fixture) (use, int, string) {
			return b.reconcile(b.at(claim.Paid).ID), 1, "claim.validated none>validated"
		},
		"void": func(b *fixture) (use, int, string) {
			return b.void(b.at(claim.Paid).ID), 2, "claim.queued none>queued"
		},
		"convert": func(b *fixture) (use, int, string) {
			asked := b.put(b.does(b.make(b.asking())).ID, claim.Returned)
			return b.convert(asked.ID, intake.ConvertLineInput{LineNumber: 1, ServiceDate: "2026-03-04"}), 2, "claim.validated none>validated"
		},
		"bill_secondary": func(b *fixture) (use, int, string) {
			return b.billSecondary(b.paidInPart().ID, secondPlan()), 2, "claim.validated none>validated"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixtureBeside(all).with(t)
			u, claims, events := prepare(b)
			codes, bodies := b.atOnce(slices.Repeat([]use{u}, 6)...)
			answers := map[string]bool{}
			for i, code := range codes {
				if code == "" {
					answers[bodies[i]] = true
				} else if code != billing.CodeIdempotencyKeyInUse {
					t.Errorf("answered %s", code)
				}
			}
			a, err := u(render)
			if err != nil || !a.Replayed || len(answers) != 1 || !answers[string(a.Body)] {
				t.Errorf("again: %s, replayed %t, %v; at once %v", a.Body, a.Replayed, err, slices.Collect(maps.Keys(answers)))
			}
			id, err := billing.ParseID[billing.ClaimID](string(a.Body))
			if err != nil {
				t.Fatal(err)
			}
			if got := b.events(id); got != events || b.count() != claims {
				t.Errorf("%d claims and the events %q, want %d and %q", b.count(), got, claims, events)
			}
		})
	}
}

// TestOneOf requests something twice at once, under different keys, that can be
// done only once.
func TestOneOf(t *testing.T) {
	t.Parallel()
	all := newFixture(t)
	for name, prepare := range map[string]func(b *fixture) (uses []use, claims int){
		"void": func(b *fixture) ([]use, int) {
			c := b.at(claim.AcceptedPayer)
			return []use{b.void(c.ID), b.void(c.ID), b.void(c.ID)}, 2
		},
		"convert": func(b *fixture) ([]use, int) {
			c := b.put(b.does(b.make(b.asking())).ID, claim.Returned)
			done := intake.ConvertLineInput{LineNumber: 1, ServiceDate: "2026-03-04"}
			return []use{b.convert(c.ID, done), b.convert(c.ID, done), b.convert(c.ID, done)}, 2
		},
		"bill_secondary": func(b *fixture) ([]use, int) {
			id := b.paidInPart().ID
			return []use{b.billSecondary(id, secondPlan()), b.billSecondary(id, secondPlan()), b.billSecondary(id, secondPlan())}, 2
		},
		"submit": func(b *fixture) ([]use, int) {
			c := b.does(b.make(b.good()))
			return []use{b.submit(c.ID), b.submit(c.ID), b.submit(c.ID)}, 1
		},
		"reconcile": func(b *fixture) ([]use, int) {
			c := b.at(claim.Paid)
			return []use{b.reconcile(c.ID), b.reconcile(c.ID)}, 1
		},
		"replace": func(b *fixture) ([]use, int) {
			c := b.at(claim.Paid)
			return []use{b.replace(c.ID, b.good()), b.replace(c.ID, b.good())}, 1
		},
		"replace or reconcile": func(b *fixture) ([]use, int) {
			c := b.at(claim.Paid)
			return []use{b.replace(c.ID, b.good()), b.reconcile(c.ID)}, 1
		},
		"a control number": func(b *fixture) ([]use, int) {
			in := b.good()
			in.PatientControlNumber, in.Draft = new("MINE"), true
			return []use{b.make(in), b.make(in), b.make(in)}, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixtureBeside(all).with(t)
			uses, claims := prepare(b)
			codes, _ := b.atOnce(uses...)
			slices.Sort(codes)
			want := append([]billing.Code{""}, slices.Repeat([]billing.Code{billing.CodeConflict}, len(uses)-1)...)
			if !slices.Equal(codes, want) || b.count() != claims {
				t.Errorf("%q and %d claims, want %q and %d", codes, b.count(), want, claims)
			}
		})
	}
}

// TestSubmitAndChange submits and changes a complete draft at once. In either
// order, events and history agree.
func TestSubmitAndChange(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.Draft = true
	for _, member := range strings.Fields("A1 A2 A3 A4 A5 A6") {
		in.Subscriber.MemberID = member // a plan for each, so that none is a duplicate
		c := b.does(b.make(in))
		codes, _ := b.atOnce(b.submit(c.ID), b.change(c.ID, given(intake.ClaimRequest{})), b.change(c.ID, given(intake.ClaimRequest{Submit: true})))
		now, events := b.get(c.ID), b.events(c.ID)
		story := map[string]string{
			"draft>draft, validation>validated":                "claim.validated draft>validated",
			"draft>draft, validation>validated, submit>queued": "claim.validated draft>validated, claim.queued validated>queued",
		}[history(now)]
		queued := codes[0] == "" || codes[2] == ""
		if story == "" || story != events || queued != (now.State == claim.Queued) || codes[1] == "" && codes[2] == "" {
			t.Errorf("%q: %s by %q, events %q", codes, now.State, history(now), events)
		}
	}
}

// TestManyAtOnce creates claims for one new patient at once: the patient has
// one entry, and each claim its own control number.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	uses := make([]use, 8)
	for i := range uses {
		in := b.good()
		in.Subscriber.MemberID = "PLAN-" + string(rune('A'+i))
		uses[i] = b.make(in)
	}
	codes, bodies := b.atOnce(uses...)
	patients, numbers := map[billing.PatientID]bool{}, map[string]bool{}
	for i, code := range codes {
		id, err := billing.ParseID[billing.ClaimID](bodies[i])
		if err != nil {
			t.Fatal(code, err)
		}
		c := b.get(id)
		patients[c.PatientID], numbers[c.PatientControlNumber] = true, true
	}
	if len(patients) != 1 || len(numbers) != len(uses) {
		t.Errorf("%d patients and %d control numbers for %d claims", len(patients), len(numbers), len(uses))
	}
}
