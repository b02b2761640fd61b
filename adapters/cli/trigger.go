package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// eventMaker causes events in the sandbox.
type eventMaker struct {
	api    *client
	office string
	member string // member ID of an eligibility check
	now    time.Time

	patience time.Duration // for the event; zero means a few seconds
	progress io.Writer     // gets a line before a long wait
}

// recipe is what causes an event type in test mode. Without run, this command
// cannot cause it.
type recipe struct {
	how string
	run func(ctx context.Context) (resource string, err error)
}

func (t *eventMaker) recipe(kind event.Type) recipe {
	if plan, ok := t.claimPlan(kind); ok {
		return recipe{plan.how, func(ctx context.Context) (string, error) { return t.claim(ctx, plan) }}
	}
	switch kind { //nolint:exhaustive // those of claims have a plan
	case event.EligibilityCompleted:
		return recipe{"creates an eligibility check (POST /eligibility)", t.check}
	case event.AttachmentCompleted:
		return recipe{"creates an attachment, uploads an image and closes it (POST /attachments ...)", t.attach}
	case event.PayerRequestReceived:
		return recipe{"records a payer request (POST /payer_requests)", t.request}
	case event.APIKeyCreated:
		return recipe{how: "run: molar keys create --org org_... --mode test --name NAME"}
	case event.APIKeyRevoked:
		return recipe{how: "run: molar keys revoke key_..."}
	case event.Ping:
		return recipe{how: "POST /webhook_endpoints/whe_.../ping sends one to an endpoint; no list of events has it"}
	}
	return recipe{}
}

func triggers(b Backend) *cobra.Command {
	var f connection
	var office, member string
	var asJSON, list bool
	c := &cobra.Command{
		Use: "trigger EVENT_TYPE", Short: "Cause an event in test mode", Args: cobra.MaximumNArgs(1),
		Long: "Causes an event of the type in test mode: it calls the API like any other client, and the sandbox responds. The list\n" +
			"shows what the command does for each type, or which command to run instead:\n\n" + triggerList() +
			"\nIt needs a key with the submit and read permissions. Without --office it uses the office of molar dev.",
		Example: "  molar trigger eligibility.completed\n  molar trigger eligibility.completed --member-id SANDBOX-NOT-FOUND\n" +
			"  molar trigger attachment.completed --office off_...\n  molar trigger claim.paid\n  molar trigger --list",
		RunE: func(c *cobra.Command, args []string) error {
			if list || len(args) == 0 {
				_, err := fmt.Fprint(c.OutOrStdout(), triggerList())
				return err
			}
			t := eventMaker{office: office, member: member, now: time.Now()}
			e, err := t.makeEvent(c, b, &f, event.Type(args[0]))
			if err != nil {
				return err
			}
			if asJSON {
				return say(c, "%s", e.raw)
			}
			return say(c, "%s  %s  %s", e.Type, e.ID, e.Data.ID)
		},
	}
	f.on(c)
	c.Flags().StringVar(&office, "office", "", "office of the check, claim or attachment (off_...; default: the office of molar dev)")
	c.Flags().StringVar(&member, "member-id", "", "member ID of an eligibility check; its ending selects the payer's response (default: full benefits)")
	c.Flags().BoolVar(&list, "list", false, "list the event types and what causes them")
	c.Flags().BoolVar(&asJSON, "json", false, "print the event as the API returns it")
	return c
}

func triggerList() string {
	var b strings.Builder
	for _, t := range event.Types() {
		fmt.Fprintf(&b, "  %-26s %s\n", t, (&eventMaker{}).recipe(t).how)
	}
	return b.String()
}

// makeEvent causes an event of the type, and reads it.
func (t *eventMaker) makeEvent(c *cobra.Command, b Backend, f *connection, kind event.Type) (listedEvent, error) {
	w := t.recipe(kind)
	switch {
	case w.how == "":
		return listedEvent{}, fmt.Errorf("there is no event type %q; the types are\n%s", kind, strings.TrimRight(triggerList(), "\n"))
	case w.run == nil:
		return listedEvent{}, fmt.Errorf("molar trigger cannot cause %s: %s", kind, w.how)
	}
	api, err := f.open(c, b)
	if err != nil {
		return listedEvent{}, err
	}
	if strings.HasPrefix(api.key, "molar_"+string(billing.ModeLive)+"_") {
		return listedEvent{}, errors.New("the key is for live mode, and only the sandbox of test mode can be triggered; use a molar_test_ key")
	}
	t.api, t.progress = api, c.ErrOrStderr()
	if t.office == "" {
		if d, err := f.demo(b); err == nil && d != nil {
			t.office = d.office(api.key)
		}
	}
	if t.office == "" && kind != event.PayerRequestReceived {
		return listedEvent{}, errors.New("no office: name one of this key's organization and mode with --office off_...\nmolar offices list --org org_... --mode test lists them, molar offices create creates one")
	}
	resource, err := w.run(c.Context())
	if err != nil {
		return listedEvent{}, err
	}
	return t.event(c.Context(), kind, resource)
}

const (
	eventWait  = 5 * time.Second
	eventPause = 250 * time.Millisecond
)

// tries returns how often to look for the effect of a request.
func (t *eventMaker) tries() int { return int(max(t.patience, eventWait) / eventPause) }

// event finds the event of the resource, which may come only when a worker has
// completed it.
func (t *eventMaker) event(ctx context.Context, kind event.Type, resource string) (listedEvent, error) {
	for range t.tries() {
		all, err := t.api.events(ctx, url.Values{"type": {string(kind)}, "resource_id": {resource}}, 1)
		if err != nil {
			return listedEvent{}, fmt.Errorf("%s is made, but its event cannot be read: %w", resource, err)
		}
		if len(all) > 0 {
			return all[0], nil
		}
		if err := pause(ctx, eventPause); err != nil {
			return listedEvent{}, err
		}
	}
	return listedEvent{}, fmt.Errorf("%s is made, but there is no event yet; see: molar events list --resource %s", resource, resource)
}

// testPayer is the payer of the sandbox.
const testPayer = "CHTEST"

type subscriberBody struct {
	FirstName    string `json:"first_name"`
	LastName     string `json:"last_name"`
	DateOfBirth  string `json:"date_of_birth,omitempty"`
	MemberID     string `json:"member_id"`
	Relationship string `json:"relationship,omitempty"`
}

type patientBody struct {
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name"`
	DateOfBirth string `json:"date_of_birth"`
}

type made struct {
	ID string `json:"id"`
}

// check asks the sandbox's payer about a member. A rejection has an event too.
func (t *eventMaker) check(ctx context.Context) (string, error) {
	member := t.member
	if member == "" {
		member = "TRIGGER" + rand.Text()[:8] + "-ACTIVE-FULL" // a new ID each time, so that the payer is asked
	}
	var m made
	err := t.api.post(ctx, "/eligibility", struct {
		OfficeID   string         `json:"office_id"`
		PayerID    string         `json:"payer_id"`
		Subscriber subscriberBody `json:"subscriber"`
	}{t.office, testPayer, subscriberBody{FirstName: "Jane", LastName: "Doe", DateOfBirth: "1985-04-12", MemberID: member}}, &m)
	if e, ok := errors.AsType[*apiError](err); ok && e.Check.ID != "" {
		return e.Check.ID, nil
	}
	return m.ID, err
}

// attach creates an attachment without a claim and sends it.
func (t *eventMaker) attach(ctx context.Context) (string, error) {
	today := t.now.Format(time.DateOnly)
	var m made
	err := t.api.post(ctx, "/attachments", struct {
		OfficeID     string            `json:"office_id"`
		PayerID      string            `json:"payer_id"`
		Narrative    string            `json:"narrative"`
		Patient      patientBody       `json:"patient"`
		Subscriber   subscriberBody    `json:"subscriber"`
		ServiceDates map[string]string `json:"service_dates"`
	}{
		t.office, testPayer, "Made by molar trigger.",
		patientBody{"Jane", "Doe", "1985-04-12"},
		subscriberBody{FirstName: "Jane", LastName: "Doe", MemberID: "SANDBOX-ACTIVE-FULL", Relationship: "self"},
		map[string]string{"from": today, "to": today},
	}, &m)
	if err != nil {
		return "", err
	}
	chart, err := chartPicture()
	if err != nil {
		return "", err
	}
	if _, err := t.api.Attachments.UploadDocument(ctx, m.ID, molar.Bytes("chart.jpg", chart), molar.AttachmentsUploadDocumentForm{DocumentType: "7"}); err != nil {
		return "", t.api.inWords(ctx, err)
	}
	return m.ID, t.api.post(ctx, "/attachments/"+m.ID+"/close", struct{}{}, &made{})
}

// chartPicture returns a small picture, as a periodontal chart.
func chartPicture() ([]byte, error) {
	const side = 64
	picture := image.NewGray(image.Rect(0, 0, side, side))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i%side*2 + i/side*2)
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, picture, nil)
	return b.Bytes(), err
}

// request records a request of the sandbox's payer, as if by letter.
func (t *eventMaker) request(ctx context.Context) (string, error) {
	var m made
	err := t.api.post(ctx, "/payer_requests", struct {
		PayerID         string `json:"payer_id"`
		ReferenceNumber string `json:"reference_number"`
		Requested       string `json:"requested"`
		DueDate         string `json:"due_date"`
	}{testPayer, "TRIGGER-" + rand.Text()[:8], "Please send the periodontal chart.", t.now.AddDate(0, 0, 30).Format(time.DateOnly)}, &m)
	return m.ID, err
}
