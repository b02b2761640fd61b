package task

import (
	"strings"

	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
)

// OfAConnection returns the work that the stored connection makes. One of the deployment makes
// none: its operator, who has no list of tasks, is told by the log.
func OfAConnection(c *network.Connection) []Work {
	if c.Org.IsZero() || c.State() != network.Paused {
		return nil
	}
	name := "'" + strings.ReplaceAll(c.Name, "'", `'\''`) + "'" // as a shell takes it
	return []Work{{
		Kind: ConnectionPaused, Resource: Resource{OfConnection, c.ID}, Since: c.Pause.At, Actions: []string{"listConnections"},
		Reason: "The network refused the sign-in of the connection " + c.Name + ", so nothing is sent through it and nothing is received: have the operator correct the account, " +
			"and then enable it again with: molar connections enable " + name,
	}}
}

// OfAFile returns the work that the stored file in quarantine makes. One of no organization makes
// none: it is the operator's. The file's own reason is for whoever reads the file, and may repeat
// words of it.
func OfAFile(q *quarantine.File) []Work {
	if q.Scope.Org.IsZero() {
		return nil
	}
	w := Work{Kind: Quarantined, Resource: Resource{OfFile, q.ID}, Since: q.ReceivedAt, Reason: unplaced(q.Cause), Actions: []string{"deleteQuarantinedFile"}}
	if p := q.Payment; p != nil {
		w.Payer, w.Amount = p.Payer, p.Payment.Total.Abs()
		w.Reason = "It is not certain which office a payment is for: assign it to the office that it pays, or delete it."
		w.Actions = []string{"assignQuarantinedFile", "deleteQuarantinedFile"}
	}
	return []Work{w}
}

// unplaced says why a file that is no payment waits, and what to do.
func unplaced(c quarantine.Cause) string {
	switch c {
	case quarantine.Empty:
		return "A file is empty: ask the sender for it again, then delete it."
	case quarantine.Report:
		return "A file is a report in text, which nothing is done with: have the operator read it, then delete it."
	case quarantine.Unreadable:
		return "A file cannot be read: ask the sender for it again, then delete it."
	case quarantine.Unplaced:
		return "Parts of a file belong to none of your batches: have the operator look where they belong, then delete it."
	case quarantine.Other:
	}
	return "A file is of a kind that nothing is done with: have the operator read it, then delete it."
}
