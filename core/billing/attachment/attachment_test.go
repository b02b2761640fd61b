package attachment_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
)

var (
	noon    = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	evening = noon.Add(6 * time.Hour)
	mine    = billing.JobID{15: 1}
	other   = billing.JobID{15: 2}
)

// picture is a document whose image only it has, of that many bytes.
func picture(n byte, size int64) *attachment.Document {
	return &attachment.Document{ID: billing.DocumentID{1, n}, Type: "7", Medium: attachment.MediumPaper, Size: size, SHA256: [32]byte{n}}
}

// attachment is an open one with a document, made at noon.
func newAttachment() *attachment.Attachment {
	return &attachment.Attachment{
		ID: billing.AttachmentID{15: 10}, State: attachment.Open, Kind: attachment.Unsolicited,
		Narrative: "Fractured cusp.", Documents: []*attachment.Document{picture(1, 1000)}, CreatedAt: noon, UpdatedAt: noon,
	}
}

// solicited makes an attachment answer a payer request.
func solicited(a *attachment.Attachment) *attachment.PayerRequest {
	r := &attachment.PayerRequest{ID: billing.PayerRequestID{15: 11}, State: attachment.PayerRequestOpen, ReferenceNumber: "R1"}
	a.Kind, a.PayerRequestID, a.PayerReference = attachment.Solicited, r.ID, r.ReferenceNumber
	return r
}

// inState moves an open attachment to open, sending or closed.
func inState(t *testing.T, state string, a *attachment.Attachment) *attachment.Attachment {
	t.Helper()
	if state == "open" {
		return a
	}
	if err := a.BeginSending(mine, 7, noon); err != nil {
		t.Fatal(err)
	}
	if state == "closed" && !a.Sent("MLR000000007", noon) {
		t.Fatal("not closed")
	}
	return a
}

// outcome is "ok", "no", or the code of the error.
func outcome(did bool, err error) string {
	switch {
	case err != nil:
		return string(billing.CodeOf(err))
	case !did:
		return "no"
	}
	return "ok"
}

func TestAttachmentStates(t *testing.T) {
	t.Parallel()
	const ok, no, conflict, absent = "ok", "no", "CONFLICT", "NOT_FOUND"
	request := attachment.PayerRequest{ID: billing.PayerRequestID{15: 11}}
	for _, row := range []struct {
		does                  string
		open, sending, closed string
		do                    func(*attachment.Attachment) string
	}{
		{"add", ok, conflict, conflict, func(a *attachment.Attachment) string { return outcome(a.Add(picture(2, 1), evening)) }},
		{"add its image again", no, conflict, conflict, func(a *attachment.Attachment) string { return outcome(a.Add(picture(1, 1), evening)) }},
		{"admit", ok, conflict, conflict, func(a *attachment.Attachment) string { return outcome(true, a.Admits()) }},
		{"remove", ok, conflict, conflict, func(a *attachment.Attachment) string {
			d, err := a.Remove(picture(1, 0).ID, evening)
			return outcome(d != nil, err)
		}},
		{"remove what it has not", absent, absent, absent, func(a *attachment.Attachment) string {
			_, err := a.Remove(picture(9, 0).ID, evening)
			return outcome(true, err)
		}},
		{"narrate", ok, conflict, conflict, func(a *attachment.Attachment) string {
			return outcome(true, a.SetNarrative("Lost filling.", "usr_1", evening))
		}},
		{"narrate the same", ok, conflict, conflict, func(a *attachment.Attachment) string {
			return outcome(true, a.SetNarrative(a.Narrative, "usr_1", evening))
		}},
		{"closable", ok, conflict, conflict, func(a *attachment.Attachment) string { return outcome(true, a.Closable()) }},
		{"closable, solicited", conflict, conflict, conflict, func(a *attachment.Attachment) string {
			a.Kind = attachment.Solicited
			return outcome(true, a.Closable())
		}},
		{"answers", ok, conflict, conflict, func(a *attachment.Attachment) string {
			a.Kind, a.PayerRequestID = attachment.Solicited, request.ID
			return outcome(true, a.Answers(&request))
		}},
		{"answers as unsolicited", conflict, conflict, conflict, func(a *attachment.Attachment) string {
			a.PayerRequestID = request.ID
			return outcome(true, a.Answers(&request))
		}},
		{"answers another", conflict, conflict, conflict, func(a *attachment.Attachment) string {
			a.Kind, a.PayerRequestID = attachment.Solicited, billing.PayerRequestID{15: 12}
			return outcome(true, a.Answers(&request))
		}},
		{"begin sending", ok, conflict, conflict, func(a *attachment.Attachment) string { return outcome(true, a.BeginSending(other, 8, evening)) }},
		{"sent", no, ok, no, func(a *attachment.Attachment) string { return outcome(a.Sent("MLR000000007", evening), nil) }},
		{"sent under another number", no, no, no, func(a *attachment.Attachment) string { return outcome(a.Sent("MLR000000008", evening), nil) }},
		{"sent under no number", no, no, no, func(a *attachment.Attachment) string { return outcome(a.Sent("", evening), nil) }},
		{"not sent", no, ok, no, func(a *attachment.Attachment) string { return outcome(a.NotSent(mine), nil) }},
		{"not sent by another job", no, no, no, func(a *attachment.Attachment) string { return outcome(a.NotSent(other), nil) }},
		{"not sent by no job", no, no, no, func(a *attachment.Attachment) string { return outcome(a.NotSent(billing.JobID{}), nil) }},
		{"stall", no, ok, no, func(a *attachment.Attachment) string { return outcome(a.Stall(mine), nil) }},
		{"stall by another job", no, no, no, func(a *attachment.Attachment) string { return outcome(a.Stall(other), nil) }},
		{"stall by no job", no, no, no, func(a *attachment.Attachment) string { return outcome(a.Stall(billing.JobID{}), nil) }},
		{"give up", no, ok, no, func(a *attachment.Attachment) string { return outcome(a.GiveUp(mine), nil) }},
		{"give up by another job", no, no, no, func(a *attachment.Attachment) string { return outcome(a.GiveUp(other), nil) }},
		{"shown on a claim file", no, no, ok, func(a *attachment.Attachment) string { return outcome(a.ClaimFile() != nil, nil) }},
	} {
		for state, want := range map[string]string{"open": row.open, "sending": row.sending, "closed": row.closed} {
			t.Run(row.does+" when "+state, func(t *testing.T) {
				t.Parallel()
				a, before := inState(t, state, newAttachment()), inState(t, state, newAttachment())
				if got := row.do(a); got != want {
					t.Fatalf("%s, want %s", got, want)
				}
				before.Kind, before.PayerRequestID = a.Kind, a.PayerRequestID // the row's own doing
				if want != ok && !reflect.DeepEqual(a, before) {
					t.Errorf("what was refused has changed it: %+v, before %+v", a, before)
				}
			})
		}
	}
}

func TestWhatMovesLeaves(t *testing.T) {
	t.Parallel()
	a := inState(t, "sending", newAttachment())
	if a.Number != "MLR000000007" || a.Sending != mine || !a.SendingSince.Equal(noon) || a.State != attachment.Open {
		t.Errorf("sending: %+v", a)
	}
	if !a.NotSent(mine) || !a.Sending.IsZero() || !a.SendingSince.IsZero() || a.State != attachment.Open || a.Number != "MLR000000007" {
		t.Errorf("not sent: %+v", a)
	}
	if a.NotSent(mine) {
		t.Error("not sent a second time")
	}
	if err := a.BeginSending(other, 8, evening); err != nil || !a.SendingSince.Equal(evening) {
		t.Fatalf("sending again: %v, %+v", err, a)
	}
	if !a.Sent("MLR000000007", evening) || a.State != attachment.Closed || !a.ClosedAt.Equal(evening) || !a.UpdatedAt.Equal(evening) || !a.Sending.IsZero() {
		t.Errorf("sent: %+v", a)
	}
}

func TestClosingNeedsADocument(t *testing.T) {
	t.Parallel()
	a := newAttachment()
	a.Documents = nil
	if err := a.Closable(); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("closable without documents: %v", err)
	}
}

func TestAnAnswerNeedsADocumentOrWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		documents int
		narrative string
		want      []string
	}{
		"both":       {1, "Words.", nil},
		"a document": {1, "", nil},
		"words":      {0, "Words.", nil},
		"blank":      {0, " \n\t\u00a0", []string{"narrative required"}},
		"nothing":    {0, "", []string{"narrative required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttachment()
			r := solicited(a)
			a.Documents, a.Narrative = a.Documents[:c.documents], c.narrative
			if got := faultsOf(t, a.Answers(r)); !slices.Equal(got, c.want) {
				t.Errorf("faults %v, want %v", got, c.want)
			}
		})
	}
	a := newAttachment()
	r := solicited(inState(t, "closed", a))
	r.Answer(a)
	if r.State != attachment.PayerRequestAnswered || r.AnsweringAttachment != a.ID || !r.AnsweredAt.Equal(a.ClosedAt) {
		t.Errorf("answered: %+v", r)
	}
}

// faultsOf lists the faults of an error, which is nil or CodeInvalidRequest.
func faultsOf(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*billing.Error](err)
	if !ok || e.Code != billing.CodeInvalidRequest {
		t.Fatalf("error %v", err)
	}
	return billingtest.FieldCodes(e.Faults)
}

func TestTheLimitsOfAnAttachment(t *testing.T) {
	t.Parallel()
	const megabytes15 = 15 << 20
	for name, c := range map[string]struct {
		have int
		each int64
		size int64
		want string // in the message; empty when it fits
	}{
		"the last document":         {126, 1, 1, ""},
		"one document too many":     {127, 1, 1, "127"},
		"all of the bytes":          {1, 1000, megabytes15 - 1000, ""},
		"one byte too many":         {1, 1000, megabytes15 - 999, "15 MB"},
		"one image of all bytes":    {0, 0, megabytes15, ""},
		"one image of a byte more":  {0, 0, megabytes15 + 1, "15 MB"},
		"many, and all bytes":       {100, megabytes15 / 128, megabytes15 - 100*(megabytes15/128), ""},
		"many, and a byte too many": {100, megabytes15 / 128, megabytes15 - 100*(megabytes15/128) + 1, "15 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttachment()
			a.Documents = nil
			for i := range c.have {
				a.Documents = append(a.Documents, picture(byte(i+1), c.each))
			}
			added, err := a.Add(picture(200, c.size), evening)
			if c.want == "" {
				if !added || err != nil || len(a.Documents) != c.have+1 {
					t.Errorf("added %t, %v", added, err)
				}
				return
			}
			if got := faultsOf(t, err); !slices.Equal(got, []string{"file too_many"}) || added || len(a.Documents) != c.have {
				t.Fatalf("added %t, faults %v", added, got)
			}
			if e, ok := errors.AsType[*billing.Error](err); !ok || !strings.Contains(e.Faults[0].Message, c.want) {
				t.Errorf("error %v does not name %s", err, c.want)
			}
			// An image that it has needs no room.
			if c.have > 0 {
				if added, err := a.Add(picture(1, c.size), evening); added || err != nil {
					t.Errorf("its own image: added %t, %v", added, err)
				}
			}
		})
	}
}

func TestAnImageIsHeldOnce(t *testing.T) {
	t.Parallel()
	a := newAttachment()
	twin := picture(1, 1000)
	twin.ID, twin.Type, twin.MD5 = billing.DocumentID{1, 99}, "3", [16]byte{1}
	if added, err := a.Add(twin, evening); added || err != nil || len(a.Documents) != 1 || !a.UpdatedAt.Equal(noon) {
		t.Errorf("added %t, %v: %+v", added, err, a)
	}
	if have := a.Image(twin); have == nil || have.ID != picture(1, 0).ID {
		t.Errorf("image %v, want the document that it has", have)
	}
	collision := picture(2, 1000)
	collision.MD5 = a.Documents[0].MD5
	if a.Image(collision) != nil {
		t.Error("MD5 makes two images the same")
	}
	if added, err := a.Add(collision, evening); !added || err != nil || !a.UpdatedAt.Equal(evening) || !collision.CreatedAt.Equal(evening) {
		t.Errorf("added %t, %v: %+v", added, err, a)
	}
	have := a.Documents
	removed, err := a.Remove(have[0].ID, evening)
	if err != nil || removed.ID != picture(1, 0).ID || len(a.Documents) != 1 || a.Documents[0] != collision || have[0] != removed {
		t.Errorf("removed %v, %v: %v", removed, err, a.Documents)
	}
	if d, err := a.Document(collision.ID); d != collision || err != nil {
		t.Errorf("document %v, %v", d, err)
	}
	if _, err := a.Document(removed.ID); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("a document that was removed: %v", err)
	}
	if added, err := a.Add(removed, evening); !added || err != nil {
		t.Errorf("what was removed cannot come again: %v", err)
	}
}

func TestANumberIsOfWhatWasSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*attachment.Attachment) error
		want   string
	}{
		"nothing": {func(*attachment.Attachment) error { return nil }, "MLR000000001"},
		"the same narrative": {
			func(a *attachment.Attachment) error { return a.SetNarrative(a.Narrative, "usr_1", evening) }, "MLR000000001",
		},
		"the same image": {
			func(a *attachment.Attachment) error { _, err := a.Add(picture(1, 1000), evening); return err }, "MLR000000001",
		},
		"another narrative": {
			func(a *attachment.Attachment) error { return a.SetNarrative("Lost filling.", "usr_1", evening) }, "MLR000000002",
		},
		"no narrative": {
			func(a *attachment.Attachment) error { return a.SetNarrative("", "usr_1", evening) }, "MLR000000002",
		},
		"one more image": {
			func(a *attachment.Attachment) error { _, err := a.Add(picture(2, 1), evening); return err }, "MLR000000002",
		},
		"an image fewer": {
			func(a *attachment.Attachment) error { _, err := a.Remove(picture(1, 0).ID, evening); return err }, "MLR000000002",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttachment()
			if err := a.BeginSending(mine, 1, noon); err != nil || !a.NotSent(mine) {
				t.Fatal(err)
			}
			if err := c.change(a); err != nil {
				t.Fatal(err)
			}
			if changed := c.want != "MLR000000001"; a.UpdatedAt.Equal(evening) != changed {
				t.Errorf("updated at %s", a.UpdatedAt)
			}
			if err := a.BeginSending(other, 2, evening); err != nil || a.Number != c.want {
				t.Errorf("number %s, want %s (%v)", a.Number, c.want, err)
			}
		})
	}
	a := newAttachment()
	if err := a.BeginSending(mine, 12_345_678_901, noon); err != nil || a.Number != "MLR12345678901" {
		t.Errorf("number %s, %v: want one that grows rather than one that repeats", a.Number, err)
	}
}

func TestTheNoteOfAClaimFile(t *testing.T) {
	t.Parallel()
	const number = "MLR000000007" // and 68 more fit
	for name, c := range map[string]struct {
		narrative, want string
		partial         bool
	}{
		"another script":       {"Fractured 歯", " Fractured 歯", true},
		"nothing that goes":    {"***", " ***", true},
		"all of it":            {"Fractured cusp.", " Fractured cusp.", false},
		"none":                 {"", "", false},
		"blank":                {" \t\n\u00a0", "", false},
		"one line":             {"  Fractured\n\ncusp,\ttooth  30 ", " Fractured cusp, tooth 30", false},
		"exactly to the end":   {strings.Repeat("x", 33) + " " + strings.Repeat("y", 33), " " + strings.Repeat("x", 33) + " " + strings.Repeat("y", 33), false},
		"one too many":         {strings.Repeat("x", 33) + " " + strings.Repeat("y", 34), " " + strings.Repeat("x", 33), true},
		"a word that fits":     {strings.Repeat("x", 67), " " + strings.Repeat("x", 67), false},
		"an enormous word":     {strings.Repeat("x", 68), " " + strings.Repeat("x", 67), true},
		"no spaces":            {strings.Repeat("\u6b6f", 2000), " " + strings.Repeat("\u6b6f", 67), true},
		"characters, no bytes": {strings.Repeat("é", 67), " " + strings.Repeat("é", 67), false},
		"nothing after a gap":  {"short " + strings.Repeat("x", 70) + " end", " short", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttachment()
			a.Narrative = c.narrative
			f := inState(t, "closed", a).ClaimFile()
			if f == nil || f.PWK != number || f.NTE != number+c.want || utf8.RuneCountInString(f.NTE) > 80 ||
				f.Partial != c.partial {
				t.Errorf("claim file %+v, want the note %q", f, number+c.want)
			}
		})
	}
}

func TestWhatTheNetworkReceives(t *testing.T) {
	t.Parallel()
	a := newAttachment()
	solicited(a)
	a.Payer = directory.PayerSummary{PayerID: "CHTEST"}
	a.About.Subscriber.MemberID = "W1"
	inState(t, "sending", a)
	office := directory.Office{NPI: "1234567893"}
	got := a.Transmission(&office, "PCN-1", "MLR000000003")
	want := attachment.Transmission{
		Number: "MLR000000007", Kind: attachment.Solicited, Payer: a.Payer, Office: office, About: a.About,
		Narrative: a.Narrative, ControlNumber: "PCN-1", PayerReference: "R1", EarlierNumber: "MLR000000003", Documents: 1, SendingSince: noon,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("transmission %+v, want %+v", got, want)
	}
	if got := a.Transmission(&office, "", ""); got.ControlNumber != "" || got.EarlierNumber != "" {
		t.Errorf("transmission without a claim: %+v", got)
	}
}

// What the network has taken is closed also when it was thought lost, but not
// when it was edited since.
func TestSentAfterAll(t *testing.T) {
	t.Parallel()
	a := inState(t, "sending", newAttachment())
	a.NotSent(mine)
	if !a.Sent("MLR000000007", evening) || a.State != attachment.Closed {
		t.Errorf("what was sent after all is %+v", a)
	}
	edited := inState(t, "sending", newAttachment())
	edited.NotSent(mine)
	if err := edited.SetNarrative("Something else.", "usr_1", evening); err != nil {
		t.Fatal(err)
	}
	if edited.Sent("MLR000000007", evening) {
		t.Error("the edited attachment is taken for what was sent")
	}
}

func TestAttachmentEventBodies(t *testing.T) {
	t.Parallel()
	scope := billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	payer := directory.PayerSummary{ID: billing.PayerID{15: 4}, PayerID: "CHTEST", Name: "Molar Test Payer"}
	a := newAttachment()
	a.Scope, a.OfficeID, a.Payer, a.ClaimID, a.RequestID = scope, billing.OfficeID{15: 3}, payer, billing.ClaimID{15: 12}, billing.RequestID{15: 5}
	inState(t, "sending", a).Sent("MLR000000007", evening)
	answer := newAttachment()
	solicited(answer)
	answer.Scope, answer.OfficeID, answer.Payer, answer.Documents = scope, a.OfficeID, payer, nil
	inState(t, "closed", answer)
	request := &attachment.PayerRequest{
		ID: billing.PayerRequestID{15: 11}, Scope: scope, State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork,
		ClaimID: billing.ClaimID{15: 12}, Payer: payer, ReferenceNumber: "R1", Requested: "The periodontal chart.",
		DueDate: billing.Date{Year: 2026, Month: 4, Day: 1}, CreatedAt: noon,
	}
	letter := *request
	letter.Source, letter.ClaimID, letter.DueDate = attachment.SourceStaff, billing.ClaimID{}, billing.Date{}
	for name, c := range map[string]struct {
		event    event.Event
		resource [16]byte
		at       time.Time
	}{
		"attachment.completed":           {a.CompletedEvent(), a.ID, evening},
		"attachment.completed.solicited": {answer.CompletedEvent(), answer.ID, noon},
		"payer_request.received":         {request.ReceivedEvent(), request.ID, noon},
		"payer_request.received.staff":   {letter.ReceivedEvent(), letter.ID, noon},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := c.event
			if bytes.Contains(e.Data, []byte("cusp")) || bytes.Contains(e.Data, []byte("periodontal")) {
				t.Errorf("the event has what was written: %s", e.Data)
			}
			billingtest.Event(t, name, e, c.resource, c.at)
		})
	}
}
