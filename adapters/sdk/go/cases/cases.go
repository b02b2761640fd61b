package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
)

// cases are the cases by name.
func (b *bench) cases() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"check_answered":                     b.checkAnswered,
		"check_rejected_then_retried":        b.checkRejected,
		"check_unanswered_raises_with_check": b.checkUnanswered,
		"same_key_replayed":                  b.sameKey,
		"upload_with_progress":               b.uploadWithProgress,
		"upload_stream_sent_once":            b.uploadStream,
		"cut_upload_retried":                 b.cutUpload,
		"download_stream":                    b.downloadStream,
		"attachment_closed":                  b.attachmentClosed,
		"claim_draft_to_reconciled":          b.claimReconciled,
		"claim_waited_for":                   b.claimWaitedFor,
		"claim_wait_times_out":               b.claimWaitTimesOut,
		"claim_changed_meanwhile":            b.claimChanged,
		"claim_voided":                       b.claimVoided,
		"remittance_finished":                b.remittanceFinished,
		"remittance_imported":                b.remittanceImported,
		"payer_request_answered":             b.payerRequestAnswered,
		"pages_iterated":                     b.pagesIterated,
		"single_page_and_cursor":             b.singlePage,
		"events_tail_resumed":                b.eventsTail,
		"event_expired":                      b.eventExpired,
		"webhook_verified":                   b.webhookVerified,
		"webhook_forged_refused":             b.webhookForged,
		"webhook_unknown_event_passes":       b.webhookUnknown,
		"lost_reply_not_doubled":             b.lostReply,
		"rate_limited_waits":                 b.rateLimited,
		"unavailable_retried":                b.unavailable,
		"key_in_use_waits":                   b.keyInUse,
		"invalid_request_faults":             b.invalidRequest,
		"not_found":                          b.notFound,
		"permission_denied":                  b.permissionDenied,
		"wrong_key_refused":                  b.wrongKey,
		"patch_absent_null_value":            b.patch,
		"patient_overview":                   b.patientOverview,
		"amounts_are_exact":                  b.amounts,
		"fee_found":                          b.feeFound,
		"schedule_read":                      b.scheduleRead,
		"estimate_made":                      b.estimateMade,
		"estimate_accuracy":                  b.estimateAccuracy,
		"report_adds_up":                     b.reportAddsUp,
		"addition_struck":                    b.additionStruck,
		"checks_of_a_batch":                  b.checksOfABatch,
		"task_snoozed":                       b.taskSnoozed,
		"claim_status_asked":                 b.claimStatusAsked,
		"status_policy_kept":                 b.statusPolicyKept,
		"appeal_sent":                        b.appealSent,
		"payer_limits_kept":                  b.payerLimitsKept,
		"attachment_rule_kept":               b.attachmentRuleKept,
		"task_settled":                       b.taskSettled,
		"note_struck":                        b.noteStruck,
		"deposit_matched":                    b.depositMatched,
		"deposit_in_parts":                   b.depositInParts,
		"posted_once":                        b.postedOnce,
		"clock_advanced":                     b.clockAdvanced,
		"dropped_reply_of_the_sandbox":       b.droppedReply,
		"raw_request_and_headers":            b.rawRequest,
		"unknown_things_pass":                b.unknownThings,
	}
}

func (b *bench) checkAnswered(ctx context.Context) error {
	c, err := b.check(ctx, "-ACTIVE-FULL")
	if err := wants(err, err == nil && *c.Outcome == molar.OutcomeAnswered && *c.Status == molar.EligibilityCheckStatusActive, c); err != nil {
		return err
	}
	cents, err1 := c.Maximums[0].Amount.Cents()
	read, err2 := b.client.Eligibility.Get(ctx, c.ID)
	x, err3 := b.client.Eligibility.Exchange(ctx, c.ID)
	err = errors.Join(err1, err2, err3)
	return wants(err, err == nil && cents > 0 && read.ID == c.ID && x.Object == "eligibility_exchange", c)
}

func (b *bench) checkRejected(ctx context.Context) error {
	c, err := b.check(ctx, "-NAME-MISMATCH")
	if err := wants(err, err == nil && c.Rejection.Reasons[0].Code == molar.RejectionReasonCodeNameMismatch, c); err != nil {
		return err
	}
	again, err := b.client.Eligibility.Retry(ctx, c, c.Suggested())
	return wants(err, err == nil && *again.Outcome == molar.OutcomeAnswered && *again.ParentID == c.ID, again)
}

func (b *bench) checkUnanswered(ctx context.Context) error {
	_, err := b.check(ctx, "-PAYER-DOWN")
	e, err := refused(err, molar.ErrPayer)
	return wants(err, err == nil && e.Status == 502 && e.Code == "PAYER_UNAVAILABLE" && !e.Retryable && e.NeedsNewKey &&
		*e.Check().Outcome == molar.OutcomePayerUnavailable, e)
}

func (b *bench) sameKey(ctx context.Context) error {
	var reply molar.Reply
	key := molar.Key(b.unique())
	one, err1 := b.client.Providers.Create(ctx, dentist("Pat", "Roe"), key)
	two, err2 := b.client.Providers.Create(ctx, dentist("Pat", "Roe"), key, molar.Capture(&reply))
	return wants(errors.Join(err1, err2), reply.Replayed && one.ID == two.ID, reply)
}

func (b *bench) uploadWithProgress(ctx context.Context) error {
	to, err := b.attachment(ctx)
	if err != nil {
		return err
	}
	var sent, total int64
	a, err := b.upload(ctx, b.client, to, molar.File(b.image).Progress(func(s, t int64) { sent, total = s, t }))
	of, err1 := os.Stat(b.image)
	err = errors.Join(err, err1)
	return wants(err, err == nil && len(a.Documents) == 1 && sent == of.Size() && total == of.Size(), sent, total)
}

func (b *bench) uploadStream(ctx context.Context) error {
	to, err1 := b.attachment(ctx)
	content, err2 := b.stream(200)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	_, err := b.upload(ctx, b.cut, to, molar.Stream("x.jpg", content), molar.Header("X-Cut", "upload"))
	var lost *molar.ConnectionError
	if !errors.As(err, &lost) || !lost.MaybeReceived {
		return wants(nil, false, err)
	}
	a, err := b.client.Attachments.Get(ctx, to)
	return wants(err, err == nil && len(a.Documents) == 0, a)
}

func (b *bench) cutUpload(ctx context.Context) error {
	a, err := b.uploaded(ctx, b.cut, molar.Header("X-Cut", "upload"))
	if err != nil {
		return err
	}
	a, err = b.client.Attachments.Get(ctx, a.ID)
	return wants(err, err == nil && len(a.Documents) == 1, a)
}

func (b *bench) downloadStream(ctx context.Context) error {
	a, err := b.uploaded(ctx, b.client)
	if err != nil {
		return err
	}
	d, err := b.client.Attachments.DownloadDocument(ctx, a.ID, a.Documents[0].ID)
	if err != nil {
		return err
	}
	content, err1 := io.ReadAll(d.Body)
	return wants(errors.Join(err1, d.Body.Close()), d.ContentType == "image/jpeg" && strings.HasPrefix(string(content), "\xff\xd8"), d.ContentType)
}

func (b *bench) attachmentClosed(ctx context.Context) error {
	a, err := b.uploaded(ctx, b.client)
	if err != nil {
		return err
	}
	a, err = b.client.Attachments.Close(ctx, a.ID)
	return wants(err, err == nil && a.State == molar.AttachmentStateClosed && a.AttachmentNumber != nil, a)
}

func (b *bench) claimReconciled(ctx context.Context) error {
	c, err := b.draft(ctx)
	if err := wants(err, err == nil && c.State == molar.ClaimStateDraft, c); err != nil {
		return err
	}
	_, err1 := b.client.Claims.Update(ctx, c.ID, molar.ClaimChange{Submit: molar.Value(true)})
	err2 := b.idle(ctx)
	c, err3 := b.client.Claims.Get(ctx, c.ID)
	if err := errors.Join(err1, err2, err3); err != nil || c.State != molar.ClaimStatePaid {
		return wants(err, false, c)
	}
	return b.reconcile(ctx, c)
}

// reconcile posts the remittance of a claim, and reconciles the claim.
func (b *bench) reconcile(ctx context.Context, c *molar.Claim) error {
	era, err := b.era(ctx, c)
	if err != nil {
		return err
	}
	_, err1 := b.client.ERAs.Post(ctx, era.ID, molar.PostRequest{})
	c, err2 := b.client.Claims.Reconcile(ctx, c.ID, molar.ReconcileRequest{})
	err = errors.Join(err1, err2)
	return wants(err, err == nil && c.State == molar.ClaimStateReconciled, c)
}

func (b *bench) claimWaitedFor(ctx context.Context) error {
	c, err := b.claim(ctx, "")
	if err != nil {
		return err
	}
	moved := make(chan error, 1)
	go func() { moved <- b.idle(ctx) }()
	c, err = b.client.Claims.Wait(ctx, c.ID, molar.ClaimStatePaid)
	return wants(errors.Join(err, <-moved), err == nil && c.State == molar.ClaimStatePaid, c)
}

func (b *bench) claimStatusAsked(ctx context.Context) error {
	c, err := b.claim(ctx, "")
	if err != nil {
		return err
	}
	if err := b.idle(ctx); err != nil {
		return err
	}
	if _, err := b.client.Claims.Wait(ctx, c.ID, molar.ClaimStatePaid); err != nil {
		return err
	}
	i, err := b.client.Claims.AskStatus(ctx, c.ID)
	if err := wants(err, err == nil && *i.Outcome == molar.StatusOutcomeFound && *i.Matches == molar.StatusMatchControlNumber && i.Statuses[0].Paid != nil, i); err != nil {
		return err
	}
	read, err1 := b.client.StatusInquiries.Get(ctx, i.ID)
	x, err2 := b.client.StatusInquiries.Exchange(ctx, i.ID)
	draft, err3 := b.draft(ctx)
	if err := wants(errors.Join(err1, err2, err3), err1 == nil && err2 == nil && read.ID == i.ID && len(x.Messages) == 1, x); err != nil {
		return err
	}
	_, err = b.client.Claims.AskStatus(ctx, draft.ID)
	_, err = refused(err, molar.ErrConflict)
	return err
}

func (b *bench) statusPolicyKept(ctx context.Context) error {
	p, err := b.client.StatusPolicies.Put(ctx, "CHTEST", molar.StatusPolicyRequest{StatusAfter: molar.Value("P10D")})
	if err := wants(err, err == nil && p.StatusAfter == "P10D" && p.StatusEvery == "P7D", p); err != nil {
		return err
	}
	page, err := b.client.StatusPolicies.List(molar.StatusPoliciesListParams{}).Page(ctx, "")
	if err := wants(err, err == nil && len(page.Data) == 1 && page.Data[0].ID == p.ID, page); err != nil {
		return err
	}
	if err := b.client.StatusPolicies.Delete(ctx, "CHTEST"); err != nil {
		return err
	}
	_, err = refused(b.client.StatusPolicies.Delete(ctx, "CHTEST"), molar.ErrNotFound)
	return err
}

func (b *bench) appealSent(ctx context.Context) error {
	c, err := b.claim(ctx, "")
	if err != nil {
		return err
	}
	if err := b.idle(ctx); err != nil {
		return err
	}
	if _, err := b.client.Claims.Wait(ctx, c.ID, molar.ClaimStatePaid); err != nil {
		return err
	}
	a, err := b.client.Appeals.Create(ctx, c.ID, molar.AppealRequest{Reason: "The film shows decay."})
	if err := wants(err, err == nil && a.State == molar.AppealStateDraft && *a.Deadline.Days == 180 && strings.Contains(a.Letter, "The film shows decay."), a); err != nil {
		return err
	}
	_, err = b.client.Appeals.Create(ctx, c.ID, molar.AppealRequest{Reason: "Again."})
	if _, err = refused(err, molar.ErrConflict); err != nil {
		return err
	}
	changed, err := b.client.Appeals.Update(ctx, a.ID, molar.AppealUpdate{Letter: molar.Value("Dear reviewer"), DeadlineOn: molar.Value("2099-12-31")})
	if err := wants(err, err == nil && changed.Letter == "Dear reviewer" && *changed.Deadline.On == "2099-12-31", changed); err != nil {
		return err
	}
	day := b.yesterday // at the office it may still be the day before the one of UTC
	sent, err := b.client.Appeals.RecordSent(ctx, a.ID, molar.AppealSentRequest{On: molar.Value(day), By: molar.AppealWayFax, Reference: molar.Value("77")})
	if err := wants(err, err == nil && sent.Sent != nil && *sent.Sent.Reference == "77" && sent.DueOn != nil, sent); err != nil {
		return err
	}
	decided, err := b.client.Appeals.RecordDecided(ctx, a.ID, molar.AppealDecidedRequest{Outcome: molar.AppealOutcomeUpheld})
	if err := wants(err, err == nil && decided.Decided != nil && decided.Decided.On >= day && decided.DueOn == nil, decided); err != nil {
		return err
	}
	one, err := b.client.Appeals.Get(ctx, a.ID)
	if err != nil {
		return err
	}
	page, err := b.client.Appeals.List(c.ID, molar.AppealsListParams{}).Page(ctx, "")
	return wants(err, err == nil && len(page.Data) == 1 && page.Data[0].ID == one.ID, page)
}

func (b *bench) payerLimitsKept(ctx context.Context) error {
	l, err := b.client.PayerLimits.Put(ctx, "CHTEST", molar.PayerLimitsRequest{FilingDays: molar.Value(365), FilingSource: molar.Value("page 12")})
	if err := wants(err, err == nil && *l.FilingDays == 365 && l.AppealDays == nil, l); err != nil {
		return err
	}
	page, err := b.client.PayerLimits.List(molar.PayerLimitsListParams{}).Page(ctx, "")
	if err := wants(err, err == nil && len(page.Data) == 1 && page.Data[0].Payer.PayerID == "CHTEST", page); err != nil {
		return err
	}
	if err := b.client.PayerLimits.Delete(ctx, "CHTEST"); err != nil {
		return err
	}
	_, err = refused(b.client.PayerLimits.Delete(ctx, "CHTEST"), molar.ErrNotFound)
	return err
}

func (b *bench) attachmentRuleKept(ctx context.Context) error {
	r, err := b.client.AttachmentRules.Create(ctx, molar.AttachmentRuleRequest{
		PayerID: molar.Value("CHTEST"), ProcedureCodes: molar.Value([]string{"D2740"}), Needs: []molar.AttachmentNeed{molar.AttachmentNeedPhoto},
	})
	if err := wants(err, err == nil && r.When == molar.AttachmentRuleWhenInitial, r); err != nil {
		return err
	}
	c, err := b.draft(ctx)
	if err != nil {
		return err
	}
	c, err = b.client.Claims.Update(ctx, c.ID, molar.ClaimChange{})
	if err := wants(err, err == nil && len(c.Advice) == 1 && c.Advice[0].Code == molar.AdviceCodePhotoMissing && *c.Advice[0].Rule.ID == r.ID, c); err != nil {
		return err
	}
	c, err = b.client.Claims.Submit(ctx, c.ID, molar.SubmitRequest{AdviceIgnored: molar.Value(molar.SubmitRequestAdviceIgnored{PhotoMissing: molar.Value("The payer has it.")})})
	if err := wants(err, err == nil && c.State == molar.ClaimStateQueued && c.AdviceIgnored[0].Code == molar.AdviceCodePhotoMissing, c); err != nil {
		return err
	}
	r, err = b.client.AttachmentRules.Update(ctx, r.ID, molar.AttachmentRuleChange{PayerID: molar.Null[string]()}, molar.IfVersion(r.Version))
	if err := wants(err, err == nil && r.Payer == nil && r.Version == 2, r); err != nil {
		return err
	}
	page, err := b.client.AttachmentRules.List(molar.AttachmentRulesListParams{}).Page(ctx, "")
	if err := wants(err, err == nil && len(page.Data) == 1 && page.Data[0].ID == r.ID, page); err != nil {
		return err
	}
	if err := b.client.AttachmentRules.Delete(ctx, r.ID); err != nil {
		return err
	}
	_, err = refused(b.client.AttachmentRules.Delete(ctx, r.ID), molar.ErrNotFound)
	return err
}

func (b *bench) claimWaitTimesOut(ctx context.Context) error {
	c, err := b.draft(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 700*time.Millisecond)
	defer cancel()
	_, err = b.client.Claims.Wait(ctx, c.ID, molar.ClaimStatePaid)
	var late *molar.WaitError
	return wants(nil, errors.As(err, &late) && late.Claim.State == molar.ClaimStateDraft && errors.Is(err, context.DeadlineExceeded), err)
}

func (b *bench) claimChanged(ctx context.Context) error {
	c, err := b.draft(ctx)
	if err != nil {
		return err
	}
	note := func(text string) molar.ClaimChange {
		return molar.ClaimChange{Draft: molar.Value(true), Note: molar.Value(text)}
	}
	changed, err := b.client.Claims.Update(ctx, c.ID, note("one"), molar.IfVersion(c.Version))
	if err := wants(err, err == nil && changed.Version == c.Version+1, changed); err != nil {
		return err
	}
	_, err = b.client.Claims.Update(ctx, c.ID, note("two"), molar.IfVersion(c.Version))
	e, err := refused(err, molar.ErrConflict)
	return wants(err, err == nil && e.Status == http.StatusPreconditionFailed && molar.IsCode(e, "CHANGED_MEANWHILE"), e)
}

func (b *bench) claimVoided(ctx context.Context) error {
	c, err := b.claim(ctx, "")
	if err != nil {
		return err
	}
	c, err = b.client.Claims.Void(ctx, c.ID)
	return wants(err, err == nil && c.State == molar.ClaimStateVoided, c)
}

func (b *bench) remittanceFinished(ctx context.Context) error {
	c, err1 := b.claim(ctx, "-UNBALANCED")
	if err := errors.Join(err1, b.idle(ctx)); err != nil {
		return err
	}
	era, err := b.era(ctx, c)
	if err != nil {
		return err
	}
	part, err := first(ctx, b.client.ERAs.ListClaims(era.ID, molar.ERAsListClaimsParams{}))
	if err := wants(err, err == nil && part.Status == molar.ERAClaimStatusNeedsReview, part); err != nil {
		return err
	}
	part, err = b.client.ERAs.ApplyClaim(ctx, era.ID, "1", molar.RemittanceNote{Note: molar.Value("The payer confirmed it by telephone.")})
	if err := wants(err, err == nil && part.Status == molar.ERAClaimStatusApplied, part); err != nil {
		return err
	}
	return b.reconcile(ctx, c)
}

func (b *bench) remittanceImported(ctx context.Context) error {
	c, err1 := b.claim(ctx, "")
	if err := errors.Join(err1, b.idle(ctx)); err != nil {
		return err
	}
	era, err := b.era(ctx, c)
	if err != nil {
		return err
	}
	d, err := b.client.ERAs.File(ctx, era.ID)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(d.Body)
	if err := errors.Join(err, d.Body.Close()); err != nil {
		return err
	}
	known, err := b.client.ERAs.Import(ctx, molar.Bytes("again.835", content))
	return wants(err, err == nil && len(known.Payments) == 1 && known.Payments[0].Status == molar.ImportedPaymentStatusDuplicate &&
		*known.Payments[0].ERAID == era.ID, known)
}

func (b *bench) payerRequestAnswered(ctx context.Context) error {
	c, err := b.draft(ctx)
	if err != nil {
		return err
	}
	r, err := b.client.PayerRequests.Create(ctx, molar.PayerRequestRecord{
		ClaimID: molar.Value(c.ID), ReferenceNumber: "R-2207", Requested: "A film of tooth 14.",
	})
	if err != nil {
		return err
	}
	a, err := b.client.Attachments.Create(ctx, molar.AttachmentRequest{
		PayerRequestID: molar.Value(r.ID), Kind: molar.Value(molar.AttachmentRequestKindSolicited),
	})
	if err != nil {
		return err
	}
	_, err1 := b.upload(ctx, b.client, a.ID, molar.File(b.image))
	answer, err2 := b.client.PayerRequests.Answer(ctx, r.ID, molar.AnswerRequest{Narrative: molar.Value("The film that you asked for.")})
	err = errors.Join(err1, err2)
	return wants(err, err == nil && answer.PayerRequest.State == molar.PayerRequestStateAnswered, answer)
}

func (b *bench) pagesIterated(ctx context.Context) error {
	made := map[string]int{}
	for range 3 {
		c, err := b.draft(ctx)
		if err != nil {
			return err
		}
		made[c.ID] = 0
	}
	seen := map[string]bool{}
	for c, err := range b.client.Claims.List(molar.ClaimsListParams{State: []molar.ClaimState{molar.ClaimStateDraft}, Limit: 2}).All(ctx) {
		if err != nil || seen[c.ID] {
			return wants(err, false, c)
		}
		seen[c.ID] = true
		delete(made, c.ID)
	}
	return wants(nil, len(made) == 0, made)
}

func (b *bench) singlePage(ctx context.Context) error {
	_, err1 := b.draft(ctx)
	_, err2 := b.draft(ctx)
	drafts := b.client.Claims.List(molar.ClaimsListParams{State: []molar.ClaimState{molar.ClaimStateDraft}, Limit: 1})
	one, err3 := drafts.Page(ctx, "")
	if err := errors.Join(err1, err2, err3); err != nil || one.NextCursor == nil {
		return wants(err, false, one)
	}
	two, err := drafts.Page(ctx, *one.NextCursor)
	return wants(err, err == nil && len(one.Data) == 1 && two.Data[0].ID != one.Data[0].ID, two)
}

func (b *bench) eventsTail(ctx context.Context) error {
	c, err1 := b.claim(ctx, "")
	err2 := b.advance(ctx, molar.SandboxClockAdvance{By: molar.Value("PT1H")})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	want, err := all(ctx, b.client.Events.List(molar.EventsListParams{ResourceID: c.ID, Order: molar.EventsListParamsOrderAsc}))
	if err := wants(err, len(want) >= 3, want); err != nil {
		return err
	}
	var got []*molar.Event
	for after, end := "", 2; len(got) < len(want); after, end = got[len(got)-1].ID, len(want) {
		for e, err := range b.client.Events.Tail(ctx, after, molar.EventsListParams{ResourceID: c.ID}) {
			if err != nil {
				return err
			}
			if got = append(got, e); len(got) == end {
				break
			}
		}
	}
	return wants(nil, slices.Equal(ids(got), ids(want)), ids(got), ids(want))
}

func (b *bench) eventExpired(ctx context.Context) error {
	for _, err := range b.cut.Events.Tail(ctx, "evt_00000000000000000000000000", molar.EventsListParams{}, molar.Header("X-Cut", "expired")) {
		e, err := refused(err, molar.ErrNotFound)
		return wants(err, err == nil && e.Code == "EVENT_EXPIRED" && e.OldestEventID == "evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", e)
	}
	return errors.New("the tail ended without an error")
}

// signed are the webhooks that the test has signed.
type signed struct {
	Secret, Other      string
	Paid, Old, Unknown webhook
}

type webhook struct {
	Body    string
	Headers map[string]string
}

func (w webhook) unwrap(secrets ...string) (*molar.Event, error) {
	h := http.Header{}
	for name, value := range w.Headers {
		h.Set(name, value)
	}
	return molar.Unwrap([]byte(w.Body), h, secrets...)
}

func webhooks() (s signed, err error) {
	b, err := os.ReadFile(os.Getenv("MOLAR_WEBHOOKS"))
	return s, errors.Join(err, json.Unmarshal(b, &s))
}

func (b *bench) webhookVerified(context.Context) error {
	s, err1 := webhooks()
	e, err2 := s.Paid.unwrap(s.Secret)
	_, err3 := s.Paid.unwrap(s.Other, s.Secret)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	data, ok := e.Data.(*molar.ClaimPaymentData)
	return wants(nil, ok && e.Type == molar.EventTypeClaimPaid && data.ClaimPayment.Paid == "80.00", e)
}

func (b *bench) webhookForged(context.Context) error {
	s, err := webhooks()
	changed := s.Paid
	changed.Body += " "
	_, err1 := changed.unwrap(s.Secret)
	_, err2 := s.Paid.unwrap(s.Other)
	_, err3 := s.Old.unwrap(s.Secret)
	all := errors.Is(err1, molar.ErrSignature) && errors.Is(err2, molar.ErrSignature) && errors.Is(err3, molar.ErrSignature)
	return wants(err, all, err1, err2, err3)
}

func (b *bench) webhookUnknown(context.Context) error {
	s, err1 := webhooks()
	e, err2 := s.Unknown.unwrap(s.Secret)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	data, ok := e.Data.(json.RawMessage)
	return wants(nil, ok && e.Type == "claim.teleported" && strings.Contains(string(data), "Mars"), e)
}

func (b *bench) lostReply(ctx context.Context) error {
	number := b.unique()
	r := b.draftRequest()
	r.PatientControlNumber = molar.Value(number)
	var reply molar.Reply
	_, err := b.cut.Claims.Create(ctx, r, molar.Header("X-Cut", "reply"), molar.Capture(&reply))
	return wants(errors.Join(err, b.once(ctx, number)), reply.Replayed, reply)
}

func fault(operation string, kind molar.SandboxFaultKind, times int) molar.SandboxFaultRuleRequest {
	r := molar.SandboxFaultRuleRequest{Operation: operation, Kind: kind, Times: molar.Value(times)}
	if kind == molar.SandboxFaultKindError {
		r.Status = molar.Value(http.StatusServiceUnavailable)
	}
	return r
}

func (b *bench) rateLimited(ctx context.Context) error {
	err1 := b.faults(ctx, fault("getSummary", molar.SandboxFaultKindRateLimit, 1))
	begun := time.Now()
	s, err2 := b.client.Summary.Get(ctx)
	err := errors.Join(err1, err2)
	return wants(err, err == nil && s.Object == "summary" && time.Since(begun) >= 370*time.Millisecond, s)
}

func (b *bench) unavailable(ctx context.Context) error {
	number := b.unique()
	r := b.draftRequest()
	r.PatientControlNumber = molar.Value(number)
	err1 := b.faults(ctx, fault("createClaim", molar.SandboxFaultKindError, 2))
	_, err2 := b.client.Claims.Create(ctx, r)
	err3 := b.faults(ctx, fault("createClaim", molar.SandboxFaultKindError, 3))
	if err := errors.Join(err1, err2, b.once(ctx, number), err3); err != nil {
		return err
	}
	_, err := b.draft(ctx)
	e, err := refused(err, molar.ErrService)
	return wants(errors.Join(err, b.faults(ctx)), err == nil && e.Retryable, e)
}

func (b *bench) keyInUse(ctx context.Context) error {
	key, r := molar.Key(b.unique()), molar.EligibilityRequest{
		OfficeID: b.office, PayerID: "CHTEST", Subscriber: molar.EligibilityRequestSubscriber{
			FirstName: "Jane", LastName: "Doe", DateOfBirth: "1985-04-12", MemberID: b.unique() + "-SLOW-1",
		},
	}
	var found [2]string
	var errs [2]error
	var both sync.WaitGroup
	for i := range 2 {
		both.Add(1)
		go func() {
			defer both.Done()
			c, err := b.client.Eligibility.Create(ctx, r, key)
			if errs[i] = err; err == nil {
				found[i] = c.ID
			}
		}()
	}
	both.Wait()
	return wants(errors.Join(errs[:]...), found[0] == found[1], found)
}

func (b *bench) invalidRequest(ctx context.Context) error {
	_, err := b.client.Claims.Create(ctx, molar.ClaimRequest{
		OfficeID: "nowhere", PayerID: "CHTEST", Lines: molar.Value([]molar.ClaimLineInput{{Fee: molar.Value(molar.Amount("1"))}}),
	})
	e, err := refused(err, molar.ErrInvalidRequest)
	if err != nil {
		return err
	}
	named := slices.ContainsFunc(e.Faults, func(f molar.Fault) bool { return f.Field == "lines.0.fee" })
	return wants(nil, e.Status == 422 && named && len(e.Faults) >= 2 && strings.HasPrefix(e.RequestID, "req_") &&
		e.DocURL == os.Getenv("MOLAR_BASE_URL")+"/docs/errors/INVALID_REQUEST", e, e.DocURL)
}

func (b *bench) notFound(ctx context.Context) error {
	_, err := b.client.Claims.Get(ctx, "clm_00000000000000000000000000")
	e, err := refused(err, molar.ErrNotFound)
	return wants(err, err == nil && e.Status == http.StatusNotFound && !e.Retryable, e)
}

func (b *bench) permissionDenied(ctx context.Context) error {
	reader, err := molar.New(molar.Options{APIKey: os.Getenv("MOLAR_READONLY_KEY")})
	if err != nil {
		return err
	}
	_, err = reader.Claims.Create(ctx, b.request(""))
	_, err = refused(err, molar.ErrPermissionDenied)
	return err
}

func (b *bench) wrongKey(ctx context.Context) error {
	stranger, err := molar.New(molar.Options{APIKey: "molar_test_" + strings.Repeat("0", 38)})
	if err != nil {
		return err
	}
	_, err = stranger.Me.Get(ctx)
	_, err = refused(err, molar.ErrAuthentication)
	return err
}

func (b *bench) patch(ctx context.Context) error {
	r := b.draftRequest()
	r.Note, r.PriorAuthorization = molar.Value("stays"), molar.Value("PA-1")
	c, err := b.client.Claims.Create(ctx, r)
	if err != nil {
		return err
	}
	c, err = b.client.Claims.Update(ctx, c.ID, molar.ClaimChange{
		Draft: molar.Value(true), PriorAuthorization: molar.Null[string](), ReferralNumber: molar.Value("R-1"),
	})
	return wants(err, err == nil && *c.Note == "stays" && c.PriorAuthorization == nil && *c.ReferralNumber == "R-1", c)
}

func (b *bench) patientOverview(ctx context.Context) error {
	c, err := b.check(ctx, "-ACTIVE-FULL")
	if err != nil {
		return err
	}
	o, err := b.client.Patients.Overview(ctx, *c.PatientID)
	if err != nil {
		return err
	}
	owed, err := o.Owed.Cents()
	checked := slices.ContainsFunc(o.Checks, func(each molar.EligibilityCheck) bool {
		return each.ID == c.ID && each.Verdict != nil && strings.HasPrefix(each.Verdict.Text, "Covered. ")
	})
	covered := slices.ContainsFunc(o.Coverages, func(plan molar.PatientCoverage) bool {
		return plan.MemberID == c.Request.Subscriber.MemberID
	})
	return wants(err, o.Patient.ID == *c.PatientID && owed >= 0 && checked && covered, o)
}

func (b *bench) amounts(ctx context.Context) error {
	c, err := b.draft(ctx)
	if err != nil {
		return err
	}
	lines := []molar.ClaimLineInput{b.line("D0220", molar.Cents(10)), b.line("D0220", molar.Cents(20)), b.line("D0220", "0.30")}
	c, err = b.client.Claims.Update(ctx, c.ID, molar.ClaimChange{Draft: molar.Value(true), Lines: molar.Value(lines)})
	if err != nil {
		return err
	}
	var cents int64
	for _, line := range c.Lines {
		fee, err1 := line.Fee.Cents()
		cents, err = cents+fee, errors.Join(err, err1)
	}
	_, wrong := molar.Amount("1.5").Cents()
	return wants(err, cents == 60 && wrong != nil && molar.Cents(-5) == "-0.05", c.Lines)
}

func (b *bench) feeFound(ctx context.Context) error {
	fees := molar.FeeScheduleRequest{
		Name: "Fees", Kind: molar.FeeKindAllowed, PayerID: molar.Value("CHTEST"), EffectiveFrom: "2026-01-01",
		Rows: []molar.FeeScheduleRequestRow{{ProcedureCode: "D0120", Amount: molar.Cents(4105)}},
	}
	made, err1 := b.client.FeeSchedules.Create(ctx, fees)
	_, again := b.client.FeeSchedules.Create(ctx, fees)
	_, err2 := refused(again, molar.ErrInvalidRequest)
	found, err3 := b.client.FeeSchedules.Match(ctx, molar.FeeSchedulesMatchParams{ProcedureCode: "D0120", Date: "2026-05-04", PayerID: "CHTEST"})
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	whole, err := b.client.FeeSchedules.Get(ctx, made.ID)
	return wants(err, err == nil && found.Allowed.ScheduleID == made.ID && found.Allowed.Amount == "41.05" && *found.Allowed.WriteOffBeyondLimits &&
		found.Schedules[0].Counts && whole.Rows[0].Amount == "41.05", found)
}

func (b *bench) scheduleRead(ctx context.Context) error {
	file := molar.ScheduleRequest{
		OfficeID: molar.Value(b.office),
		CSV:      "Patient,DOB,Payer,Member ID\n\"Example, Sam\",2/29/1984,Our Payer,W1\n\"Sample, Ann\",4/30/80,CHTEST,W2\n",
	}
	_, err1 := b.client.ImportMappings.Put(ctx, string(molar.ImportKindSchedule), molar.ImportMappingRequest{
		Payers: molar.Value([]molar.ImportMappingRequestPayer{{Name: "our payer", PayerID: "CHTEST"}}),
	})
	kept, err2 := b.client.ImportMappings.Get(ctx, string(molar.ImportKindSchedule))
	read, err3 := b.client.Eligibility.ReadSchedule(ctx, file)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	wrong := read.Rows[1].Faults
	return wants(nil, kept.Payers[0].Payer.PayerID == "CHTEST" && read.Rows[0].Item.Subscriber.LastName == "Example" && read.Rows[1].Item == nil &&
		len(wrong) == 1 && *wrong[0].Column == 2 && wrong[0].Candidates[0].Value == "4/30/1980", read)
}

func (b *bench) checksOfABatch(ctx context.Context) error {
	item := func(name, payer, ending string) molar.EligibilityBatchItemInput {
		return molar.EligibilityBatchItemInput{ItemID: name, OfficeID: b.office, PayerID: payer, Subscriber: molar.EligibilityRequestSubscriber{
			FirstName: "Jane", LastName: "Doe", DateOfBirth: "1985-04-12", MemberID: b.unique() + ending,
		}}
	}
	made, err := b.client.EligibilityBatches.Create(ctx, molar.EligibilityBatchRequest{Name: "Tomorrow", Items: []molar.EligibilityBatchItemInput{
		item("active", "CHTEST", "-ACTIVE-FULL"), item("rejected", "CHTEST", "-NOT-FOUND"), item("invalid", "NOBODY", "-ACTIVE-FULL"),
	}})
	if err != nil {
		return err
	}
	done, err := b.batchDone(ctx, made.ID)
	if err != nil || done.Outcomes.Answered != 1 || done.Outcomes.Rejected != 1 || done.Outcomes.Invalid != 1 || done.NeedsAPerson != 2 {
		return wants(err, false, done)
	}
	if _, err = b.client.EligibilityBatches.Retry(ctx, made.ID, molar.EligibilityBatchRetryRequest{
		Items: molar.Value([]molar.EligibilityBatchItemInput{item("rejected", "CHTEST", "-ACTIVE-BASIC")}),
	}); err != nil {
		return err
	}
	if done, err = b.batchDone(ctx, made.ID); err != nil {
		return err
	}
	checks := 0
	for i, err := range b.client.EligibilityBatches.ListItems(made.ID, molar.EligibilityBatchesListItemsParams{}).All(ctx) {
		if err != nil {
			return err
		}
		if i.EligibilityID != nil && i.Outcome != nil && *i.Outcome == "answered" && i.Verdict != nil {
			checks++
		}
	}
	return wants(nil, done.Outcomes.Answered == 2 && checks == 2, done)
}

// batchDone waits until every item of a batch has an outcome.
func (b *bench) batchDone(ctx context.Context, id string) (*molar.EligibilityBatch, error) {
	for {
		batch, err := b.client.EligibilityBatches.Get(ctx, id)
		if err != nil || batch.Pending == 0 {
			return batch, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (b *bench) taskSnoozed(ctx context.Context) error {
	c, err := b.draft(ctx)
	if err != nil {
		return err
	}
	r, err := b.client.PayerRequests.Create(ctx, molar.PayerRequestRecord{
		ClaimID: molar.Value(c.ID), ReferenceNumber: "R-2208", Requested: "A chart.",
	})
	if err != nil {
		return err
	}
	list := b.client.Tasks.List(molar.TasksListParams{ResourceID: r.ID})
	open, err := list.Page(ctx, "")
	if err != nil || len(open.Data) != 1 {
		return wants(err, false, open)
	}
	id := open.Data[0].ID
	_, err1 := b.client.Tasks.Snooze(ctx, id, molar.SnoozeRequest{})
	left, err2 := list.Page(ctx, "")
	woken, err3 := b.client.Tasks.Wake(ctx, id)
	_, err4 := b.client.PayerRequests.Answer(ctx, r.ID, molar.AnswerRequest{Narrative: molar.Value("There is no chart.")})
	done, err5 := b.client.Tasks.Get(ctx, id)
	err = errors.Join(err1, err2, err3, err4, err5)
	return wants(err, err == nil && len(left.Data) == 0 && woken.State == "open" && done.State == "done", done)
}

func (b *bench) noteStruck(ctx context.Context) error {
	r, err := b.client.PayerRequests.Create(ctx, molar.PayerRequestRecord{
		PayerID: molar.Value("CHTEST"), ReferenceNumber: "R-2210", Requested: "A film.",
	})
	if err != nil {
		return err
	}
	first, err1 := b.client.PayerRequests.AddNote(ctx, r.ID, molar.NoteRequest{Text: "Dana looks for the film."})
	wrong, err2 := b.client.PayerRequests.AddNote(ctx, r.ID, molar.NoteRequest{Text: "The patient moved."})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	struck, err1 := b.client.Notes.Strike(ctx, wrong.ID, molar.StrikeNoteRequest{Reason: "It is about another patient."})
	all, err2 := b.client.PayerRequests.ListNotes(r.ID, molar.PayerRequestsListNotesParams{}).Page(ctx, "")
	tasks, err3 := b.client.Tasks.List(molar.TasksListParams{ResourceID: r.ID}).Page(ctx, "")
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	ok := struck.Struck != nil && struck.Text == "The patient moved." && len(all.Data) == 2 && all.Data[1].Struck != nil &&
		len(tasks.Data) == 1 && tasks.Data[0].NotesCount == 1 && tasks.Data[0].Notes[0].ID == first.ID
	return wants(nil, ok, tasks)
}

func (b *bench) depositMatched(ctx context.Context) error {
	c, err1 := b.claim(ctx, "")
	if err := errors.Join(err1, b.idle(ctx)); err != nil {
		return err
	}
	era, err := b.era(ctx, c)
	if err != nil {
		return err
	}
	file := molar.Bytes("bank.csv", fmt.Appendf(nil, "Date,Amount,Description\n%s,%s,HCCLAIMPMT TRN*1*%s*1512345678\n", *era.Payment.Date, era.Payment.Total, era.Payment.TraceNumber))
	form := molar.DepositsImportForm{Account: molar.Value("6789")}
	first, err1 := b.client.Deposits.Import(ctx, file, form)
	again, err2 := b.client.Deposits.Import(ctx, file, form)
	found, err3 := b.client.Deposits.List(molar.DepositsListParams{ERAID: era.ID}).Page(ctx, "")
	if err := wants(errors.Join(err1, err2, err3), err1 == nil && err2 == nil && err3 == nil && first.Added == 1 && again.Added == 0 && len(found.Data) == 1, first); err != nil {
		return err
	}
	id := found.Data[0].ID
	undone, err1 := b.client.Deposits.Unmatch(ctx, id)
	matched, err2 := b.client.Deposits.Match(ctx, id, molar.DepositMatchRequest{Parts: []molar.DepositMatchRequestPart{{ERAID: era.ID}}})
	shown, err3 := b.client.ERAs.Get(ctx, era.ID)
	return wants(errors.Join(err1, err2, err3), err1 == nil && err2 == nil && err3 == nil && undone.State == molar.DepositStateUnmatched &&
		matched.State == molar.DepositStateMatched && shown.Bank.Status == "received", matched)
}

func (b *bench) depositInParts(ctx context.Context) error {
	c, err1 := b.claim(ctx, "")
	if err := errors.Join(err1, b.idle(ctx)); err != nil {
		return err
	}
	era, err := b.era(ctx, c)
	if err != nil {
		return err
	}
	total, err := strconv.ParseFloat(string(era.Payment.Total), 64)
	if err != nil {
		return err
	}
	day, name := *era.Payment.Date, era.PayerName
	file := molar.Bytes("parts.csv", fmt.Appendf(nil, "Date,Amount,Description\n%s,0.37,HCCLAIMPMT %s A\n%s,%.2f,HCCLAIMPMT %s B\n", day, name, day, total-0.37, name))
	done, err1 := b.client.Deposits.Import(ctx, file, molar.DepositsImportForm{Account: molar.Value("6790")})
	small, err2 := b.client.Deposits.List(molar.DepositsListParams{Account: "6790", Amount: "0.37"}).Page(ctx, "")
	if err := wants(errors.Join(err1, err2), err1 == nil && err2 == nil && done.Waiting == 2 && len(small.Data) == 1, done); err != nil {
		return err
	}
	shown, err := b.client.Deposits.Get(ctx, small.Data[0].ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(shown.Candidates, func(c molar.DepositCandidate) bool { return c.ERAs[0].ERAID == era.ID && len(c.OtherDeposits) == 1 })
	if i < 0 {
		return wants(nil, false, shown)
	}
	parts := molar.DepositMatchRequest{Parts: []molar.DepositMatchRequestPart{{ERAID: era.ID}}}
	for _, id := range []string{shown.Candidates[i].OtherDeposits[0].DepositID, shown.ID} {
		if _, err := b.client.Deposits.Match(ctx, id, parts); err != nil {
			return err
		}
	}
	paid, err := b.client.ERAs.Get(ctx, era.ID)
	return wants(err, err == nil && paid.Bank.Status == "received" && len(paid.Bank.Deposits) == 2, paid)
}

func (b *bench) postedOnce(ctx context.Context) error {
	c, err1 := b.claim(ctx, "")
	if err := errors.Join(err1, b.idle(ctx)); err != nil {
		return err
	}
	era, err := b.era(ctx, c)
	if err != nil {
		return err
	}
	posted, err1 := b.client.ERAs.Post(ctx, era.ID, molar.PostRequest{Reconcile: molar.Value(true)})
	reconciled, err2 := b.client.Claims.Get(ctx, c.ID)
	_, err3 := b.client.ERAs.Unpost(ctx, era.ID, molar.RemittanceNote{})
	reopened, err4 := b.client.Claims.Get(ctx, c.ID)
	if err := wants(errors.Join(err1, err2, err3, err4), err1 == nil && err2 == nil && err4 == nil && posted.State == molar.ERAStatePosted &&
		posted.Reconciled == 1 && len(posted.LeftOut) == 0 &&
		reconciled.State == molar.ClaimStateReconciled && reopened.State == molar.ClaimStatePaid, posted); err != nil {
		return err
	}
	chtest := molar.AutomationRequestPayer{PayerID: "CHTEST", Level: molar.AutomationLevelAutomatic}
	_, err1 = b.client.Automation.Put(ctx, molar.AutomationRequest{Level: molar.AutomationLevelExceptions, Payers: molar.Value([]molar.AutomationRequestPayer{chtest})})
	set, err2 := b.client.Automation.Get(ctx)
	off, err3 := b.client.Automation.Put(ctx, molar.AutomationRequest{Level: molar.AutomationLevelReview})
	return wants(errors.Join(err1, err2, err3), err2 == nil && err3 == nil && len(set.Payers) == 1 &&
		set.Payers[0].Payer.PayerID == "CHTEST" && len(off.Payers) == 0, set)
}

func (b *bench) taskSettled(ctx context.Context) error {
	c, err := b.draft(ctx)
	if err != nil {
		return err
	}
	r, err := b.client.PayerRequests.Create(ctx, molar.PayerRequestRecord{
		ClaimID: molar.Value(c.ID), ReferenceNumber: "R-2209", Requested: "A film.",
	})
	if err != nil {
		return err
	}
	open, err := b.client.Tasks.List(molar.TasksListParams{ResourceID: r.ID}).Page(ctx, "")
	if err != nil || len(open.Data) != 1 {
		return wants(err, false, open)
	}
	done, err := b.client.Tasks.Settle(ctx, open.Data[0].ID, molar.SettleRequest{As: molar.DecisionAsWillNotSend, Note: molar.Value("The patient left.")})
	if err := wants(err, err == nil && done.State == "done" && done.Settled != nil, done); err != nil {
		return err
	}
	_, err1 := b.client.Claims.Update(ctx, c.ID, molar.ClaimChange{Draft: molar.Value(false)})
	held, err2 := b.client.Claims.Hold(ctx, c.ID, molar.HoldRequest{Reason: "The narrative is missing."})
	released, err3 := b.client.Claims.Release(ctx, c.ID)
	err = errors.Join(err1, err2, err3)
	return wants(err, err == nil && held.Held != nil && held.State == "validated" && released.Held == nil, released)
}

func (b *bench) additionStruck(ctx context.Context) error {
	c, err := b.check(ctx, "-ACTIVE-FULL")
	if err != nil {
		return err
	}
	added, err := b.client.Eligibility.Add(ctx, c.ID, molar.EligibilityAdditionsRequest{
		Source: molar.AdditionSourcePhone, On: time.Now().UTC().Format(time.DateOnly), Person: molar.Value("Dana"),
		Values: []molar.EligibilityAdditionsRequestValue{{Path: "coverage_termination_date", Value: "2099-12-31"}},
	})
	if err != nil {
		return err
	}
	if len(added.Additions) == 0 || added.Additions[0].Path != "coverage_termination_date" {
		return wants(nil, false, added)
	}
	struck, err := b.client.Eligibility.Strike(ctx, c.ID, strconv.Itoa(added.Additions[0].Number))
	if err != nil {
		return err
	}
	return wants(nil, len(struck.Additions) == 1 && struck.Additions[0].StruckAt != nil, struck)
}

func (b *bench) estimateMade(ctx context.Context) error {
	c, err1 := b.check(ctx, "-ACTIVE-FULL")
	rejected, err2 := b.check(ctx, "-NAME-MISMATCH")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	in := molar.EstimateRequest{EligibilityID: c.ID, Preview: molar.Value(true), Lines: []molar.EstimateLineInput{
		{ProcedureCode: "D2740", Fee: molar.Value(molar.Cents(125000)), Allowed: molar.Value(molar.Cents(90000)), Tooth: molar.Value("2")},
	}}
	seen, err1 := b.client.Estimates.Create(ctx, in)
	in.Preview = molar.Value(false)
	made, err2 := b.client.Estimates.Create(ctx, in)
	in.EligibilityID = rejected.ID
	_, again := b.client.Estimates.Create(ctx, in)
	_, err3 := refused(again, molar.ErrConflict)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	read, err := b.client.Estimates.Get(ctx, *made.ID)
	if err != nil {
		return err
	}
	kept := 0
	for _, err := range b.client.Estimates.List(molar.EstimatesListParams{EligibilityID: c.ID}).All(ctx) {
		if err != nil {
			return err
		}
		kept++
	}
	l := read.Lines[0]
	var sum int64
	for _, part := range []molar.AmountRange{l.WriteOff, l.PlanPays, l.SecondPlanPays, l.PatientPays} {
		n, err := part.Most.Cents()
		if err != nil {
			return err
		}
		sum += n
	}
	return wants(nil, seen.Preview && kept == 1 && sum == 125000 && l.PatientPays.Least == "450.00", read)
}

func (b *bench) reportAddsUp(ctx context.Context) error {
	report, err := b.client.Reports.Aging(ctx, molar.ReportsAgingParams{By: molar.ReportsAgingParamsByService})
	if err != nil {
		return err
	}
	total := report.Total.Insurance.Total
	sum, claims := int64(0), int64(0)
	for c, err := range b.client.Claims.List(molar.ClaimsListParams{Open: molar.Value(true), LastPayer: molar.Value(true), Sent: molar.Value(true)}).All(ctx) {
		if err != nil {
			return err
		}
		cents, err := c.Open.Cents()
		if err != nil {
			return err
		}
		sum, claims = sum+cents, claims+1
	}
	return wants(nil, total.Amount == molar.Cents(sum) && int64(total.Claims) == claims, total)
}

func (b *bench) estimateAccuracy(ctx context.Context) error {
	c, err := b.check(ctx, "-ACTIVE-FULL")
	if err != nil {
		return err
	}
	made, err := b.client.Estimates.Create(ctx, molar.EstimateRequest{EligibilityID: c.ID, Lines: []molar.EstimateLineInput{
		{ProcedureCode: "D2740", Fee: molar.Value(molar.Cents(125000))},
	}})
	if err != nil {
		return err
	}
	_, early := b.client.Estimates.Accuracy(ctx, *made.ID)
	_, err = refused(early, molar.ErrConflict)
	compared := 0
	for _, err := range b.client.Estimates.AccuracyByPayer().All(ctx) {
		if err != nil {
			return err
		}
		compared++
	}
	return wants(err, compared == 0, made)
}

func (b *bench) clockAdvanced(ctx context.Context) error {
	before, err1 := b.client.Sandbox.Clock(ctx)
	err2 := b.advance(ctx, molar.SandboxClockAdvance{By: molar.Value("P1D")})
	after, err3 := b.client.Sandbox.Clock(ctx)
	err := errors.Join(err1, err2, err3)
	return wants(err, err == nil && !after.Running && after.Now.Sub(before.Now) == 24*time.Hour, before, after)
}

func (b *bench) droppedReply(ctx context.Context) error {
	number := b.unique()
	r := b.draftRequest()
	r.PatientControlNumber = molar.Value(number)
	err1 := b.faults(ctx, fault("createClaim", molar.SandboxFaultKindDropReply, 1))
	_, err2 := b.client.Claims.Create(ctx, r)
	f, err3 := b.client.Sandbox.GetFaults(ctx)
	err := errors.Join(err1, err2, err3, b.faults(ctx), b.once(ctx, number))
	return wants(err, err == nil && f.Rules[0].Struck == 1, f)
}

func (b *bench) rawRequest(ctx context.Context) error {
	var reply molar.Reply
	var me, office map[string]any
	err1 := b.client.Request(ctx, http.MethodGet, "/me", nil, nil, &me, molar.Capture(&reply))
	err2 := b.client.Request(ctx, http.MethodPost, "/offices", nil, map[string]string{"name": "Raw", "npi": "1234567893"}, &office)
	return wants(errors.Join(err1, err2), me["object"] == "me" && office["object"] == "office" && reply.RequestID == reply.Header.Get("X-Request-Id") &&
		reply.RequestID != "", me, office, reply.RequestID)
}

func (b *bench) unknownThings(ctx context.Context) error {
	var reply molar.Reply
	c, err := b.check(ctx, "-ACTIVE-FULL", molar.Capture(&reply))
	if err != nil {
		return err
	}
	var more struct {
		XUnknown string `json:"x_unknown"`
	}
	if err := json.Unmarshal(reply.Body, &more); err != nil {
		return err
	}
	_, err1 := b.claim(ctx, "")
	events, err2 := all(ctx, b.client.Events.List(molar.EventsListParams{Limit: 50}))
	teleported := slices.ContainsFunc(events, func(e *molar.Event) bool { return e.Type == "claim.teleported" })
	return wants(errors.Join(err1, err2), (more.XUnknown == "new") == b.newer && (*c.NetworkStatus == "x_unknown_value") == b.newer && teleported == b.newer,
		more, *c.NetworkStatus, teleported)
}
