package intake

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/limit"
)

// AppealRequest is an appeal, or a change of one, as a caller wrote it. Nil is a value that was
// left out or null.
type AppealRequest struct {
	Level      *string
	Reason     *string
	Letter     *string
	Documents  []string
	DeadlineOn *string
	Faults     billing.Faults // found when the body was decoded
}

// New validates the request for a new appeal. Its letter is nil if the service writes one.
func (r AppealRequest) New() (appeal.Change, billing.Faults) {
	c, f := r.Change()
	if r.Reason == nil {
		f.Add("reason", billing.FaultRequired, "Say why the payer should pay. The letter has these words.")
	}
	return c, f
}

// Change validates the request for a change of a draft.
func (r AppealRequest) Change() (c appeal.Change, f billing.Faults) {
	f = slices.Clone(r.Faults)
	if r.Level != nil {
		p := claimParser{f: &f, whole: true}
		c.Level = new(oneOf(&p, "level", p.text("level", *r.Level, 0), appeal.Levels()...))
	}
	if r.Reason != nil {
		c.Reason = new(written(&f, "reason", *r.Reason, appeal.MaxReason))
	}
	if r.Letter != nil {
		c.Letter = new(written(&f, "letter", *r.Letter, appeal.MaxLetter))
	}
	if r.DeadlineOn != nil {
		c.SendBy = dayOf(&f, "deadline_on", *r.DeadlineOn)
	}
	if r.Documents != nil {
		c.Documents = new(documentIDs(&f, r.Documents))
	}
	return c, f
}

// documentIDs reads the IDs of attachments and of images, each once.
func documentIDs(f *billing.Faults, texts []string) (all []string) {
	if len(texts) > appeal.MaxDocuments {
		f.Add("documents", billing.FaultTooMany, "An appeal can have at most 50 documents. Name the attachments in place of their images.")
		return nil
	}
	for i, text := range texts {
		id, err := billing.ParseID[billing.AttachmentID](text)
		found := id.String()
		if err != nil {
			var image billing.DocumentID
			image, err = billing.ParseID[billing.DocumentID](text)
			found = image.String()
		}
		if err != nil {
			f.Add("documents."+strconv.Itoa(i), billing.FaultFormat, "The value must be the ID of an attachment (att_) or of an image (doc_).")
			continue
		}
		if !slices.Contains(all, found) {
			all = append(all, found)
		}
	}
	return all
}

// AppealSentRequest says how an appeal was sent, as a caller wrote it.
type AppealSentRequest struct {
	On        *string // nil for today
	By        string
	Reference *string
	Faults    billing.Faults // found when the body was decoded
}

// Sending validates the request. The day is zero for today.
func (r AppealSentRequest) Sending() (s appeal.Sending, f billing.Faults) {
	f = slices.Clone(r.Faults)
	p := claimParser{f: &f, whole: true}
	if r.On != nil {
		s.On = dayOf(&f, "on", *r.On)
	}
	s.By = oneOf(&p, "by", p.text("by", r.By, 0), appeal.Ways()...)
	if r.Reference != nil && f.Optional("reference", r.Reference, appeal.MaxReference) {
		s.Reference = strings.TrimSpace(*r.Reference)
	}
	return s, f
}

// AppealDecidedRequest says what became of an appeal, as a caller wrote it.
type AppealDecidedRequest struct {
	On      *string // nil for today
	Outcome string
	Faults  billing.Faults // found when the body was decoded
}

// Decision validates the request. The day is zero for today.
func (r AppealDecidedRequest) Decision() (on billing.Date, o appeal.Outcome, f billing.Faults) {
	f = slices.Clone(r.Faults)
	p := claimParser{f: &f, whole: true}
	if r.On != nil {
		on = dayOf(&f, "on", *r.On)
	}
	return on, oneOf(&p, "outcome", p.text("outcome", r.Outcome, 0), appeal.Outcomes()...), f
}

// LimitsInput are the limits of a contract or of a payer, as a caller wrote them. Nil is an unknown
// one.
type LimitsInput struct {
	FilingDays            *int
	FilingSource          *string
	SecondaryFilingDays   *int
	SecondaryFilingSource *string
	AppealDays            *int
	AppealSource          *string
}

// terms returns the limits, and adds faults for those of 0 days.
func (r LimitsInput) terms(f *billing.Faults) (t limit.Terms) {
	for _, of := range []struct {
		field  string
		days   *int
		source *string
		into   *limit.Term
	}{
		{"filing", r.FilingDays, r.FilingSource, &t.Filing},
		{"secondary_filing", r.SecondaryFilingDays, r.SecondaryFilingSource, &t.Secondary},
		{"appeal", r.AppealDays, r.AppealSource, &t.Appeal},
	} {
		if of.days != nil {
			if of.into.Days = *of.days; *of.days == 0 {
				of.into.Days = -1 // which Judge refuses
			}
		}
		if of.source != nil && f.Required(of.field+"_source", *of.source, 0) {
			of.into.Stated = strings.TrimSpace(*of.source)
		}
	}
	return t
}

// PayerLimitsRequest is what a practice records of a payer's limits, as a caller wrote it.
type PayerLimitsRequest struct {
	LimitsInput

	Faults billing.Faults // found when the body was decoded
}

// Limits validates the request.
func (r PayerLimitsRequest) Limits() (limit.Terms, billing.Faults) {
	f := slices.Clone(r.Faults)
	t := r.terms(&f)
	t.Judge(&f)
	if t.IsZero() && len(f) == 0 {
		f.Add("filing_days", billing.FaultRequired, "Send at least one of filing_days, secondary_filing_days and appeal_days. To remove the limits of a payer, delete them.")
	}
	return t, f
}
