package caller_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	r := caller.Request{ID: billing.RequestID{1}, Key: "k", Fingerprint: [32]byte{1}}
	again := caller.Request{ID: billing.RequestID{2}, Key: "k", Fingerprint: [32]byte{1}}
	changed := caller.Request{ID: billing.RequestID{3}, Key: "k", Fingerprint: [32]byte{2}}
	answered := r.Replied(caller.Reply{Status: 201, Body: []byte("{}")}, noon)
	waiting := r.Waiting(mine, noon)
	if waiting.Work != mine || answered.Work != (billing.JobID{}) || waiting.Key != r.Key || answered.Key != r.Key || !waiting.CreatedAt.Equal(noon) {
		t.Errorf("uses %+v and %+v", answered, waiting)
	}
	for name, c := range map[string]struct {
		use    *caller.KeyUse
		r      caller.Request
		answer bool
		code   billing.Code
	}{
		"a new key":                 {nil, again, false, ""},
		"answered":                  {&answered, again, true, ""},
		"waiting":                   {&waiting, again, false, ""},
		"answered, another request": {&answered, changed, false, billing.CodeIdempotencyKeyReused},
		"waiting, another request":  {&waiting, changed, false, billing.CodeIdempotencyKeyReused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := c.use.Replay(c.r)
			if (a != nil) != c.answer || a != nil && (a.Status != 201 || string(a.Body) != "{}") {
				t.Errorf("answer %+v", a)
			}
			if c.code == "" && err != nil || c.code != "" && billing.CodeOf(err) != c.code {
				t.Errorf("error %v, want %q", err, c.code)
			}
		})
	}
}
