package task_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/task"
)

func TestPausedConnections(t *testing.T) {
	t.Parallel()
	paused := network.Pause{At: sent, Reason: network.ReasonUnauthorized, Detail: "401 for jdoe"}
	connected := func(org billing.OrgID, enabled bool, p network.Pause) []task.Work {
		return task.OfAConnection(&network.Connection{ID: billing.ConnectionID{15: 1}, Name: "Dana's", Org: org, Mode: billing.ModeLive, Enabled: enabled, Pause: p})
	}
	own := billing.OrgID{15: 1}
	for name, x := range map[string]struct {
		got  []task.Work
		want []want
	}{
		"paused":            {connected(own, true, paused), []want{{task.ConnectionPaused, 0, 0}}},
		"enabled":           {connected(own, true, network.Pause{}), nil},
		"disabled":          {connected(own, false, network.Pause{}), nil},
		"paused, disabled":  {connected(own, false, paused), nil},
		"of the deployment": {connected(billing.OrgID{}, true, paused), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, x.got, x.want)
		})
	}
	w := connected(own, true, paused)[0]
	if !strings.Contains(w.Reason, `Dana's, so`) || !strings.HasSuffix(w.Reason, `molar connections enable 'Dana'\''s'`) || strings.Contains(w.Reason, "jdoe") {
		t.Errorf("the reason is %s", w.Reason)
	}
	if w.Resource.String() != (billing.ConnectionID{15: 1}).String() || !slices.Equal(w.Actions, []string{"listConnections"}) {
		t.Errorf("%+v", w)
	}
}

func TestQuarantinedFiles(t *testing.T) {
	t.Parallel()
	cedar := directory.PayerSummary{ID: billing.PayerID{15: 1}, PayerID: "CEDAR", Name: "Cedar"}
	file := func(org billing.OrgID, c quarantine.Cause, p *quarantine.Payment) []task.Work {
		return task.OfAFile(&quarantine.File{
			ID: billing.FileID{15: 1}, Scope: billing.Scope{Org: org, Mode: billing.ModeTest}, Name: "Ann Rivers.835", Cause: c, Reason: "segment 3: RIVERS", Payment: p, ReceivedAt: sent,
		})
	}
	own := billing.OrgID{15: 1}
	paid, taken := &quarantine.Payment{Payer: cedar}, &quarantine.Payment{}
	paid.Payment.Total, taken.Payment.Total = 80_00, -5_00
	for name, x := range map[string]struct {
		got   []task.Work
		want  []want
		payer directory.PayerSummary
		first string
	}{
		"a payment":              {file(own, quarantine.Unplaced, paid), []want{{task.Quarantined, 80_00, 0}}, cedar, "assignQuarantinedFile"},
		"of an unknown payer":    {file(own, quarantine.Unplaced, taken), []want{{task.Quarantined, 5_00, 0}}, directory.PayerSummary{}, "assignQuarantinedFile"},
		"an unreadable file":     {file(own, quarantine.Unreadable, nil), []want{{task.Quarantined, 0, 0}}, directory.PayerSummary{}, "deleteQuarantinedFile"},
		"of the operator":        {file(billing.OrgID{}, quarantine.Unplaced, paid), nil, cedar, ""},
		"acknowledgements":       {file(own, quarantine.Unplaced, nil), []want{{task.Quarantined, 0, 0}}, directory.PayerSummary{}, "deleteQuarantinedFile"},
		"a cause of later times": {file(own, "later", nil), []want{{task.Quarantined, 0, 0}}, directory.PayerSummary{}, "deleteQuarantinedFile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, x.got, x.want)
			for _, w := range x.got {
				if w.Payer != x.payer || w.Actions[0] != x.first || w.Resource.String() != (billing.FileID{15: 1}).String() {
					t.Errorf("%+v", w)
				}
			}
		})
	}
	said := map[string]bool{}
	for _, c := range quarantine.Causes() {
		reason := file(own, c, nil)[0].Reason
		if said[reason] || strings.Contains(strings.ToLower(reason), "rivers") {
			t.Errorf("%s: %s", c, reason)
		}
		said[reason] = true
	}
}
