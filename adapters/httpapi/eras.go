package httpapi

import (
	"context"
	"encoding/binary"
	"math"
	"net/http"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

// listERAs handles GET /eras.
func (a *api) listERAs(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bindOrdered("eras", x.call.Scope)
	trace, _ := q.text("trace_number")
	f := remit.Filter{
		State:          oneOf(q, "state", remit.NeedsReview, remit.Posted, remit.Replaced, remit.Discarded),
		NeedsAttention: q.flag("needs_attention"),
		Balanced:       q.flag("balanced"),
		PayerID:        q.payer(a.payers),
		OfficeID:       id[billing.OfficeID](q, "office_id"),
		ClaimID:        id[billing.ClaimID](q, "claim_id"),
		PatientID:      id[billing.PatientID](q, "patient_id"),
		TraceNumber:    trace,
		PaidFrom:       q.date("paid_from"),
		PaidTo:         q.date("paid_to"),
		ReceivedFrom:   q.instant("received_from"),
		ReceivedTo:     q.instant("received_to"),
		With:           oneOf(q, "unapplied", remit.WithIgnored, remit.WithUnfinished),
		Sort:           oneOf(q, "sort", remit.SortReceived, remit.SortDate, remit.SortTotal),
	}
	return listed(a, x, q, l, f, a.remittances.List, eraSummaryShape)
}

// getERA handles GET /eras/{id}.
func (a *api) getERA(x *exchange) (*reply, error) {
	return read(x, a.remittances.Get, eraID(x), a.wholeERA(x))
}

// postERA handles POST /eras/{id}/post.
func (a *api) postERA(x *exchange) (*reply, error) {
	in := readBody[intake.PostRequest](x)
	return kept(a.remittances.Post(x.ctx, replying(x, http.StatusOK, a.wholeERA(x)), eraID(x), in))
}

// noting records what a person does with a remittance, with a note.
func (a *api) noting(
	do func(context.Context, idempotency.Write[*remit.Record], billing.ERAID, intake.NoteRequest) (caller.Reply, error),
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		in := readBody[intake.NoteRequest](x)
		return kept(do(x.ctx, replying(x, http.StatusOK, a.wholeERA(x)), eraID(x), in))
	}
}

// finishing records what a person does with a claim of a remittance, with a note.
func finishing(
	do func(context.Context, idempotency.Write[*remit.Claim], billing.ERAID, int, intake.NoteRequest) (caller.Reply, error),
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		in := readBody[intake.NoteRequest](x)
		return kept(do(x.ctx, replying(x, http.StatusOK, remittanceClaimShape), eraID(x), positiveParam(x, "ordinal"), in))
	}
}

// matchERAClaim handles POST /eras/{id}/claims/{ordinal}/match.
func (a *api) matchERAClaim(x *exchange) (*reply, error) {
	in := readBody[intake.MatchRequest](x)
	return kept(a.remittances.MatchClaim(x.ctx, replying(x, http.StatusOK, remittanceClaimShape), eraID(x), positiveParam(x, "ordinal"), in))
}

// wholeERA returns the shape of a remittance whose other claims listERAClaims
// returns.
func (a *api) wholeERA(x *exchange) func(*remit.Record) eraJSON {
	return func(r *remit.Record) eraJSON {
		return eraShape(r, a.cursors.encode(claimsOf(r.ID, x.call.Scope), afterClaim(r.Claims, r.More)))
	}
}

// listERAClaims handles GET /eras/{id}/claims: the claims of the remittance, in
// the order of the file.
func (a *api) listERAClaims(x *exchange) (*reply, error) {
	era, q := eraID(x), x.query()
	l := claimsOf(era, x.call.Scope)
	if x.prefersTable() {
		return asTable(a, x, q, l, era, func(ctx context.Context, scope billing.Scope, era billing.ERAID, p billing.Page) ([]*remit.Claim, *billing.Position, error) {
			after := 0
			if p.After != nil {
				after = ordinalOf(p.After)
			}
			found, more, err := a.remittances.Claims(ctx, scope, era, after, p.Limit)
			return found, afterClaim(found, more), err
		}, remittanceClaimShape)
	}
	limit, after := q.limit(), 0
	if p := q.cursor(a.cursors, l); p != nil {
		after = ordinalOf(p)
	}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, more, err := a.remittances.Claims(x.ctx, x.call.Scope, era, after, limit)
	if err != nil {
		return nil, err
	}
	return page(found, remittanceClaimShape, a.cursors.encode(l, afterClaim(found, more))), nil
}

// claimsOf describes the list of the claims of a remittance. It has no
// filters.
func claimsOf(era billing.ERAID, scope billing.Scope) list {
	return list{name: "claims of " + era.String(), scope: scope}
}

// afterClaim returns the position of the last of the claims, or nil if no more
// follow. A position is the ordinal of the claim, which never changes.
func afterClaim(claims []*remit.Claim, more bool) *billing.Position {
	if !more || len(claims) == 0 {
		return nil
	}
	var p billing.Position
	binary.BigEndian.PutUint64(p.ID[8:], uint64(claims[len(claims)-1].Ordinal)) //nolint:gosec // G115: ordinals count from 1
	return &p
}

// ordinalOf reads the position of afterClaim.
func ordinalOf(p *billing.Position) int {
	return int(min(binary.BigEndian.Uint64(p.ID[8:]), math.MaxInt32)) //nolint:gosec // G115: it is bounded
}

// getERAFile handles GET /eras/{id}/file.
func (a *api) getERAFile(x *exchange) (*reply, error) {
	e, content, err := a.remittances.File(x.ctx, x.call.Scope, eraID(x))
	if err != nil {
		return nil, err
	}
	return fileReply(e.File.Name, content), nil
}

// fileReply returns an X12 file as a download. The sender chose the name, so
// it drops characters that some systems do not accept.
func fileReply(name string, content []byte) *reply {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, name)
	return &reply{status: http.StatusOK, raw: listOf(content), mime: "application/edi-x12", fileName: plain}
}
