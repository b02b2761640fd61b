// Command cases runs the client cases in Go. See cases.md; the environment is that of the test that runs them.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
)

// bench is what the cases share.
type bench struct {
	client, cut *molar.Client
	image       string
	office      string
	yesterday   string
	newer       bool
	n           int
}

func main() {
	b, err := newBench()
	if err != nil {
		fmt.Println("not ok bench:", err)
		os.Exit(1)
	}
	list, err := os.ReadFile("../cases.md")
	if err != nil {
		fmt.Println("not ok cases.md:", err)
		os.Exit(1)
	}
	cases := b.cases()
	failed := false
	for _, m := range regexp.MustCompile("(?m)^- `([a-z_]+)`").FindAllStringSubmatch(string(list), -1) {
		err := errors.New("there is no such case")
		if run := cases[m[1]]; run != nil {
			err = run(context.Background())
		}
		if err != nil {
			failed = true
			fmt.Printf("not ok %s: %v\n", m[1], err)
			continue
		}
		fmt.Println("ok", m[1])
	}
	if failed {
		os.Exit(1)
	}
}

func newBench() (*bench, error) {
	b := &bench{image: os.Getenv("MOLAR_IMAGE"), newer: os.Getenv("MOLAR_CASES_PROXY") == "1"}
	var err1, err2 error
	b.client, err1 = molar.New(molar.Options{})
	b.cut, err2 = molar.New(molar.Options{BaseURL: os.Getenv("MOLAR_CUT_URL")})
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	ctx := context.Background()
	office, err1 := b.client.Offices.Create(ctx, molar.OfficeRequest{
		Name: "Cases", NPI: "1234567893", TaxID: molar.Value("123456789"), Phone: molar.Value("5185550100"),
		Address: molar.Value(molar.AddressInput{
			Line1: molar.Value("1 Main Street"), City: molar.Value("Albany"), State: molar.Value("NY"), Zip: molar.Value("122070001"),
		}),
	})
	_, err2 = b.client.Providers.Create(ctx, dentist("Ann", "Rivers"))
	clock, err3 := b.client.Sandbox.UpdateClock(ctx, molar.SandboxClockUpdate{Running: false})
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	b.office, b.yesterday = office.ID, clock.Now.AddDate(0, 0, -1).Format(time.DateOnly)
	return b, nil
}

func dentist(first, last string) molar.ProviderRequest {
	return molar.ProviderRequest{FirstName: first, LastName: last, NPI: "1679576722", Taxonomy: molar.Value("1223G0001X")}
}

// unique is a text that no case used before.
func (b *bench) unique() string {
	b.n++
	return fmt.Sprintf("%x%d", time.Now().UnixNano()%0xffffff, b.n)
}

func (b *bench) check(ctx context.Context, ending string, options ...molar.CallOption) (*molar.EligibilityCheck, error) {
	return b.client.Eligibility.Create(ctx, molar.EligibilityRequest{
		OfficeID: b.office, PayerID: "CHTEST", Subscriber: molar.EligibilityRequestSubscriber{
			FirstName: "Jane", LastName: "Doe", DateOfBirth: "1985-04-12", MemberID: b.unique() + ending,
		},
	}, options...)
}

// request is a claim with a member ID of its own.
func (b *bench) request(ending string) molar.ClaimRequest {
	return molar.ClaimRequest{
		OfficeID: b.office, PayerID: "CHTEST", Submit: molar.Value(true),
		Subscriber: molar.Value(molar.ClaimSubscriberInput{
			FirstName: molar.Value("Jane"), LastName: molar.Value("Doe"), Gender: molar.Value(molar.ClaimPersonInputGenderFemale),
			DateOfBirth: molar.Value("1985-04-12"), MemberID: molar.Value(b.unique() + ending),
			Address: molar.Value(molar.AddressInput{
				Line1: molar.Value("2 Oak Street"), City: molar.Value("Springfield"), State: molar.Value("IL"), Zip: molar.Value("62701"),
			}),
		}),
		Lines: molar.Value([]molar.ClaimLineInput{b.line("D2740", "1000.00")}),
	}
}

func (b *bench) line(code string, fee molar.Amount) molar.ClaimLineInput {
	return molar.ClaimLineInput{
		ProcedureCode: molar.Value(code), Fee: molar.Value(fee), Tooth: molar.Value("14"), ServiceDate: molar.Value(b.yesterday),
	}
}

func (b *bench) claim(ctx context.Context, ending string) (*molar.Claim, error) {
	return b.client.Claims.Create(ctx, b.request(ending))
}

func (b *bench) draftRequest() molar.ClaimRequest {
	r := b.request("")
	r.Submit, r.Draft = nil, molar.Value(true)
	return r
}

func (b *bench) draft(ctx context.Context) (*molar.Claim, error) {
	return b.client.Claims.Create(ctx, b.draftRequest())
}

func (b *bench) attachment(ctx context.Context) (string, error) {
	c, err := b.draft(ctx)
	if err != nil {
		return "", err
	}
	a, err := b.client.Attachments.Create(ctx, molar.AttachmentRequest{ClaimID: molar.Value(c.ID), Narrative: molar.Value("See the film.")})
	if err != nil {
		return "", err
	}
	return a.ID, nil
}

func (b *bench) upload(ctx context.Context, by *molar.Client, to string, file *molar.Upload, options ...molar.CallOption) (*molar.Attachment, error) {
	form := molar.AttachmentsUploadDocumentForm{
		DocumentType: "12", ImageDate: molar.Value(b.yesterday), Orientation: molar.Value(molar.OrientationRight),
	}
	return by.Attachments.UploadDocument(ctx, to, file, form, options...)
}

// uploaded is an attachment with a film.
func (b *bench) uploaded(ctx context.Context, by *molar.Client, options ...molar.CallOption) (*molar.Attachment, error) {
	to, err := b.attachment(ctx)
	if err != nil {
		return nil, err
	}
	return b.upload(ctx, by, to, molar.File(b.image), options...)
}

func (b *bench) advance(ctx context.Context, by molar.SandboxClockAdvance) error {
	c, err := b.client.Sandbox.AdvanceClock(ctx, by)
	for err == nil && c.State != molar.SandboxClockStateReady {
		time.Sleep(50 * time.Millisecond)
		c, err = b.client.Sandbox.Clock(ctx)
	}
	return err
}

func (b *bench) idle(ctx context.Context) error {
	return b.advance(ctx, molar.SandboxClockAdvance{Until: molar.Value(molar.SandboxClockAdvanceUntilIdle)})
}

func (b *bench) faults(ctx context.Context, rules ...molar.SandboxFaultRuleRequest) error {
	_, err := b.client.Sandbox.PutFaults(ctx, molar.SandboxFaultsRequest{Rules: append([]molar.SandboxFaultRuleRequest{}, rules...)})
	return err
}

func (b *bench) era(ctx context.Context, of *molar.Claim) (*molar.ERASummary, error) {
	return first(ctx, b.client.ERAs.List(molar.ERAsListParams{ClaimID: of.ID}))
}

// once fails unless there is one claim with the number.
func (b *bench) once(ctx context.Context, number string) error {
	found, err := all(ctx, b.client.Claims.List(molar.ClaimsListParams{PatientControlNumber: number}))
	return wants(err, len(found) == 1, found)
}

func first[T any](ctx context.Context, l *molar.List[T]) (*T, error) {
	for item, err := range l.All(ctx) {
		return item, err
	}
	return nil, errors.New("the list is empty")
}

func all[T any](ctx context.Context, l *molar.List[T]) (found []*T, err error) {
	for item, err := range l.All(ctx) {
		if err != nil {
			return nil, err
		}
		found = append(found, item)
	}
	return found, nil
}

// wants returns the error, or one if what is wanted is not so.
func wants(err error, good bool, about ...any) error {
	if err == nil && !good {
		err = fmt.Errorf("not so: %.600v", about)
	}
	return err
}

// refused returns the error reply that an error is.
func refused(err, kind error) (*molar.Error, error) {
	var e *molar.Error
	if !errors.As(err, &e) || !errors.Is(err, kind) {
		return nil, fmt.Errorf("%v is no %v", err, kind)
	}
	return e, nil
}

func ids(events []*molar.Event) (all []string) {
	for _, e := range events {
		all = append(all, e.ID)
	}
	return all
}

// stream reads the film n times.
func (b *bench) stream(n int) (io.Reader, error) {
	content, err := os.ReadFile(b.image)
	return bytes.NewReader(bytes.Repeat(content, n)), err
}
