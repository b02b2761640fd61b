package attachments_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports/porttest"
)

// words is an answer with a narrative only, which creates its attachment.
func (b *fixture) words(narrative string) intake.AnswerRequest {
	return intake.AnswerRequest{OfficeID: new(b.office.ID.String()), Narrative: &narrative, About: about()}
}

// solicited creates an attachment for the payer request, which is about a
// claim.
func solicited(id billing.PayerRequestID) intake.AttachmentRequest {
	return intake.AttachmentRequest{Kind: new(string(attachment.Solicited)), PayerRequestID: new(id.String())}
}

// TestAnswers answers with the named attachment, with the open one and with a
// new one.
func TestAnswers(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	claim := b.claim()
	for name, c := range map[string]struct {
		made, named bool
		narrative   *string
		images      int
	}{
		"a new one":                {narrative: new("It broke.")},
		"the open one":             {made: true, images: 1},
		"the open one, with words": {made: true, images: 1, narrative: new("It broke.")},
		"the one named":            {made: true, named: true, images: 1},
		"the one named, words":     {made: true, named: true, narrative: new("It broke.")},
	} {
		request := b.asked(claim.ID)
		in := intake.AnswerRequest{Narrative: c.narrative}
		var id billing.AttachmentID
		if c.made {
			id = b.make(name, solicited(request))
			if c.named {
				in.AttachmentID = new(id.String())
			}
		}
		for n := range c.images {
			b.upload(b.service, fmt.Sprint(name, " image ", n), id, jpegOf(t, pattern(n)))
		}
		o := b.answer(b.service, name+" answer", request, in)
		if o.err != nil || o.replayed || o.Asked != attachment.PayerRequestAnswered || o.State != attachment.Closed || len(o.Documents) != c.images {
			t.Errorf("%s: %+v", name, o)
			continue
		}
		a := b.get(b.id(o))
		if c.made && a.ID != id || c.narrative != nil && a.Narrative != *c.narrative || a.PayerReference != "REF-1" || a.ClaimID != claim.ID {
			t.Errorf("%s: answered with %+v", name, a)
		}
		if r := b.request(request); r.AnsweringAttachment != a.ID || !r.AnsweredAt.Equal(a.ClosedAt) {
			t.Errorf("%s: %+v, closed at %s", name, r, a.ClosedAt)
		}
		for key, replayed := range map[string]bool{name + " answer": true, name + " other": false} {
			if again := b.answer(b.service, key, request, in); again.err != nil || again.replayed != replayed || again.Number != o.Number {
				t.Errorf("%s again: %+v", name, again)
			}
		}
	}
	b.audit()
}

func TestAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	claim := b.claim()
	mine, others, empty := b.asked(claim.ID), b.asked(claim.ID), b.asked(claim.ID)
	unsolicited := b.filled("a")
	theirs := b.make("m", solicited(others))
	b.make("e", solicited(empty))
	absent := billing.NewID[billing.AttachmentID](billing.RealAt(b.clock.Now()))
	before := b.get(theirs)
	for name, c := range map[string]struct {
		to   billing.PayerRequestID
		in   intake.AnswerRequest
		want billing.Code
	}{
		"an unsolicited one":     {mine, intake.AnswerRequest{AttachmentID: new(unsolicited.String())}, billing.CodeConflict},
		"another request's":      {mine, intake.AnswerRequest{AttachmentID: new(theirs.String()), Narrative: new("Mine.")}, billing.CodeConflict},
		"an absent one":          {mine, intake.AnswerRequest{AttachmentID: new(absent.String())}, billing.CodeNotFound},
		"no ID":                  {mine, intake.AnswerRequest{AttachmentID: new("att_1")}, billing.CodeInvalidRequest},
		"nothing":                {mine, intake.AnswerRequest{}, billing.CodeInvalidRequest},
		"blank words":            {mine, intake.AnswerRequest{Narrative: new(" \n")}, billing.CodeInvalidRequest},
		"an empty one":           {empty, intake.AnswerRequest{}, billing.CodeInvalidRequest},
		"an empty one, blank":    {empty, intake.AnswerRequest{Narrative: new(" ")}, billing.CodeInvalidRequest},
		"an absent request":      {billing.PayerRequestID(absent), intake.AnswerRequest{}, billing.CodeNotFound},
		"absent and malformed":   {billing.PayerRequestID(absent), intake.AnswerRequest{AttachmentID: new("x")}, billing.CodeInvalidRequest},
		"a subject beside claim": {mine, intake.AnswerRequest{Narrative: new("It broke."), About: about()}, billing.CodeInvalidRequest},
	} {
		if o := b.answer(b.service, "k", c.to, c.in); o.err == nil || o.code() != c.want {
			t.Errorf("%s: %+v, want %s", name, o, c.want)
		}
	}
	if after := b.get(theirs); after.Narrative != before.Narrative || !after.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("a refused answer changed another's attachment: %+v", after)
	}
	for _, r := range []billing.PayerRequestID{mine, others, empty} {
		if r := b.request(r); r.State != attachment.PayerRequestOpen {
			t.Errorf("%+v", r)
		}
	}
	if n := len(b.all()); n != 3 {
		t.Errorf("%d attachments, want the three that were made", n)
	}
	if o := b.close(b.service, "c", theirs); o.code() != billing.CodeConflict {
		t.Errorf("closing a solicited one: %+v", o)
	}
	if o := came(b.service.Make(t.Context(), write(b.scope, call("second"), render), solicited(others))); o.code() != billing.CodeConflict {
		t.Errorf("a second one for a request: %+v", o)
	}
	b.audit()
}

// TestAnswersAtOnce answers a payer request several times at once. One answer
// is sent; the others return it, or report that it is on its way.
func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	for n := range 10 {
		request := b.asked(billing.ClaimID{})
		good := 0
		var o [4]outcome
		at(len(o), func(i int) {
			o[i] = b.answer(b.service, fmt.Sprint("k", n, i), request, b.words(fmt.Sprint("Words of ", i)))
		})
		answered := b.request(request)
		for _, o := range o {
			switch {
			case o.err == nil && o.Attachment == answered.AnsweringAttachment.String():
				good++
			case o.code() != billing.CodeConflict:
				t.Errorf("answer: %+v", o)
			}
		}
		if good == 0 || answered.State != attachment.PayerRequestAnswered {
			t.Errorf("%d got the answer, %+v", good, answered)
		}
	}
	b.audit()
}

// TestAnswerRacesWithUploadsAndMaking answers while the attachment is created
// and filled.
func TestAnswerRacesWithUploadsAndMaking(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	claim := b.claim()
	for n := range 10 {
		filled, fresh := b.asked(claim.ID), b.asked(claim.ID)
		id := b.make(fmt.Sprint("m", n), solicited(filled))
		var o [5]outcome
		at(len(o), func(i int) {
			key := fmt.Sprint("k", n, i)
			o[i] = []func() outcome{
				func() outcome {
					return b.answer(b.service, key, filled, intake.AnswerRequest{Narrative: new("It broke.")})
				},
				func() outcome { return b.upload(b.service, key, id, jpegOf(t, pattern(1))) },
				func() outcome { return b.upload(b.service, key, id, pngOf(t, pattern(2))) },
				func() outcome {
					return b.answer(b.service, key, fresh, intake.AnswerRequest{Narrative: new("It broke.")})
				},
				func() outcome {
					return came(b.service.Make(t.Context(), write(b.scope, call(key), render), solicited(fresh)))
				},
			}[i]()
			if o[i].code() != "" && o[i].code() != billing.CodeConflict {
				t.Errorf("%d: %+v", i, o[i])
			}
		})
		added := 0
		for _, o := range o[1:3] {
			if o.err == nil {
				added++
			}
		}
		if a := b.get(id); a.State != attachment.Closed || len(a.Documents) != added {
			t.Errorf("%s with %d documents, want %d", a.State, len(a.Documents), added)
		}
		if o[0].err != nil || o[3].err != nil || o[4].err == nil && o[4].Attachment != o[3].Attachment {
			t.Errorf("answered with %+v, made %+v", o[3], o[4])
		}
	}
	b.audit()
}

// TestAnswerThatFails leaves the attachment open when the network fails, and
// the next answer uses it.
func TestAnswerThatFails(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	request := b.asked(billing.ClaimID{})
	first := b.answer(b.service, "k", request, b.words("SANDBOX-NETWORK-ERROR"))
	if first.err != nil || first.Error != billing.CodeAttachmentsNetworkError || first.State != attachment.Open || first.Asked != attachment.PayerRequestOpen {
		t.Fatalf("answer: %+v", first)
	}
	number := b.get(b.id(first)).Number
	again := b.answer(b.service, "k", request, b.words("SANDBOX-NETWORK-ERROR"))
	if !again.replayed || again.Error != first.Error || again.Attachment != first.Attachment {
		t.Errorf("again: %+v", again)
	}
	o := b.answer(b.service, "k2", request, intake.AnswerRequest{Narrative: new("It broke.")})
	if o.err != nil || o.Error != "" || o.Attachment != first.Attachment || o.Number == number {
		t.Errorf("the next answer: %+v", o)
	}
	b.audit()
}

// TestAnswerAfterTheWait returns the answer later to a caller that waited
// too briefly.
func TestAnswerAfterTheWait(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	request := b.asked(billing.ClaimID{})
	if o := b.answer(b.impatient(nil), "k", request, b.words("It broke.")); !errors.Is(o.err, context.DeadlineExceeded) {
		t.Errorf("%+v, want a timeout", o)
	}
	if o := b.answer(b.service, "k", request, b.words("It broke.")); o.code() != billing.CodeIdempotencyKeyInUse {
		t.Errorf("while it is sent: %+v", o)
	}
	if o := b.answer(b.service, "k2", request, b.words("It broke.")); o.code() != billing.CodeConflict {
		t.Errorf("another answer while it is sent: %+v", o)
	}
	b.settle()
	o := b.answer(b.service, "k", request, b.words("It broke."))
	if o.err != nil || !o.replayed || o.Asked != attachment.PayerRequestAnswered {
		t.Errorf("when it is sent: %+v", o)
	}
	b.audit()
}

// TestKeyIsAskedForWhileTheWorkEnds uses a key just when the waiting request
// stores its reply.
func TestKeyIsAskedForWhileTheWorkEnds(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	id, image := b.filled("a"), pngOf(t, pattern(2))
	for name, c := range map[string]struct {
		last int // the transaction that stores the reply
		do   func(*attachments.Service, string) outcome
	}{
		"PNG":   {2, func(s *attachments.Service, key string) outcome { return b.upload(s, key, id, image) }},
		"close": {1, func(s *attachments.Service, key string) outcome { return b.close(s, key, b.filled(key+" made")) }},
	} {
		asks, release := make(chan struct{}), make(chan struct{})
		ended := make(chan error, 1)
		held := false
		s := b.process(&porttest.Fault{At: c.last, Only: "InTx", How: porttest.Passes, Then: func() {
			held = true
			go func() { ended <- b.hold("k "+name, asks, release) }()
			<-asks
		}})
		go func() { <-asks; <-time.After(100 * time.Millisecond); close(release) }()
		o := c.do(s, "k "+name)
		if o.err != nil || o.Error != "" || !held {
			t.Errorf("%s: %+v, though the work is done", name, o)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if again := c.do(b.service, "k "+name); name == "PNG" && (!again.replayed || fmt.Sprint(again.shown) != fmt.Sprint(o.shown)) {
			t.Errorf("%s again: %+v, want %+v", name, again, o)
		}
	}
	b.audit()
}
