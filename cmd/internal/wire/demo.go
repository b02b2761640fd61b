package wire

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

// demo is what molar dev stores in its data folder, so that it prints the same
// keys after a restart.
type demo struct {
	SecretKey string            `json:"secret_key"`
	Keys      map[string]string `json:"keys"`
	Offices   map[string]string `json:"offices"`
	Claims    map[string]string `json:"claims"`
	BaseURL   string            `json:"base_url"` // where it listened last, for the molar commands
}

func loadDemo(dir string) (*demo, error) {
	d := &demo{}
	b, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	switch {
	case err == nil:
		if err := json.Unmarshal(b, d); err != nil {
			return nil, fmt.Errorf("%s is damaged; start over with: molar dev --reset: %w", filepath.Join(dir, "demo.json"), err)
		}
		return d, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	d.SecretKey = base64.StdEncoding.EncodeToString(key)
	return d, d.save(dir)
}

func (d *demo) save(dir string) error {
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, "demo.json.new")
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, "demo.json"))
}

// seed creates the demo data unless the database has it.
func (d *demo) seed(ctx context.Context, g *graph, dir string) error {
	if err := d.organizations(ctx, g.access); err != nil {
		return err
	}
	if d.Claims == nil {
		if err := d.claim(ctx, g); err != nil {
			return err
		}
	}
	return d.save(dir)
}

func (d *demo) organizations(ctx context.Context, s *access.Service) error {
	if secret := d.Keys["test"]; secret != "" {
		_, err := s.Authenticate(ctx, secret, netip.Addr{})
		if err == nil || billing.CodeOf(err) != billing.CodeUnauthorized {
			return err
		}
	}
	d.Keys, d.Offices, d.Claims = map[string]string{}, map[string]string{}, nil
	org, err := s.CreateOrganization(ctx, "Demo Dental Group")
	if err != nil {
		return err
	}
	other, err := s.CreateOrganization(ctx, "Other Demo Dental")
	if err != nil {
		return err
	}
	test := billing.Scope{Org: org.ID, Mode: billing.ModeTest}
	live := billing.Scope{Org: org.ID, Mode: billing.ModeLive}
	otherTest := billing.Scope{Org: other.ID, Mode: billing.ModeTest}
	offices, providers := access.DemoOffices(), access.DemoProviders()
	elsewhere := offices[0]
	elsewhere.Name, elsewhere.NPI = "Other Demo Dental", "1003000126"
	return errors.Join(
		d.office(ctx, s, test, "test", offices[0]),
		d.office(ctx, s, test, "test_2", offices[1]),
		d.office(ctx, s, live, "live", offices[0]),
		d.office(ctx, s, otherTest, "other_test", elsewhere),
		d.key(ctx, s, test, "test", "read", "submit"),
		d.key(ctx, s, test, "test_read", "read"),
		d.key(ctx, s, test, "test_submit", "submit"),
		d.key(ctx, s, live, "live", "read", "submit"),
		d.key(ctx, s, otherTest, "other_test", "read", "submit"),
		provider(ctx, s, test, providers[0]),
		provider(ctx, s, test, providers[1]),
		provider(ctx, s, live, providers[0]),
		provider(ctx, s, otherTest, intake.ProviderRequest{FirstName: "Kim", LastName: "Larsen", NPI: "1003000126"}),
	)
}

// claim creates a claim for trying out attachments, as a caller would.
func (d *demo) claim(ctx context.Context, g *graph) error {
	key, err := g.access.Authenticate(ctx, d.Keys["test"], netip.Addr{})
	if err != nil {
		return err
	}
	number := billing.NewID[billing.ClaimID](billing.RealAt(time.Now())).String()
	lately := billing.DateOf(time.Now().AddDate(0, 0, -20))
	in := intake.ClaimRequest{
		OfficeID: new(d.Offices["test"]), PayerID: new("CHTEST"), PatientControlNumber: new("DEMO-" + number[len(number)-8:]),
		Subscriber: &intake.ClaimSubscriberInput{
			PersonInput: intake.PersonInput{
				FirstName: "Jane", LastName: "Doe", DateOfBirth: "1985-04-12", Gender: "female",
				Address: &intake.AddressInput{Line1: "2 Oak Street", City: "Springfield", State: "IL", ZIP: "62701"},
			},
			MemberID: "SANDBOX-PAID-ERA",
		},
		Lines: []intake.ClaimLineInput{{ProcedureCode: "D2740", ServiceDate: new(lately.String()), Fee: "1250.00", Tooth: new("14")}},
	}
	show := func(made *claim.Record) string { return made.ID.String() }
	made, err := g.claims.Make(ctx, idempotency.Administration(key.Scope, demoOperator, show), in)
	if err == nil {
		d.Claims = map[string]string{"test": string(made.Body)}
	}
	return err
}

// demoOperator creates the demo data.
const demoOperator = "molar dev"

func (d *demo) office(ctx context.Context, s *access.Service, scope billing.Scope, as string, in intake.OfficeRequest) error {
	show := func(o *directory.Office) string { return o.ID.String() }
	made, err := s.CreateOffice(ctx, idempotency.Administration(scope, demoOperator, show), in)
	d.Offices[as] = string(made.Body)
	return err
}

func (d *demo) key(ctx context.Context, s *access.Service, scope billing.Scope, as string, may ...string) error {
	show := func(i access.Issued) string { return i.Secret }
	made, err := s.CreateKey(ctx, idempotency.Administration(scope, demoOperator, show),
		intake.KeyRequest{Name: "demo " + as, Mode: string(scope.Mode), Permissions: may})
	d.Keys[as] = string(made.Body)
	return err
}

func provider(ctx context.Context, s *access.Service, scope billing.Scope, in intake.ProviderRequest) error {
	show := func(p *directory.Provider) string { return p.ID.String() }
	_, err := s.CreateProvider(ctx, idempotency.Administration(scope, demoOperator, show), in)
	return err
}

// demoOwner is the email address of the demo user.
const demoOwner = "owner@demo.example"

// signInLink creates the owner of the demo organization, if there is none, and
// returns a link that signs in.
func (d *demo) signInLink(ctx context.Context, g *graph, a Addresses) (link string, err error) {
	key, err := g.access.Authenticate(ctx, d.Keys["test"], netip.Addr{})
	if err != nil {
		return "", err
	}
	call := idempotency.Administration(key.Scope, demoOperator, func(i access.Invited) string { return g.origin(a) + caller.SignInPath(i.Token) })
	call.Principal.Type = caller.PrincipalWorker // the person who runs the service is the user
	found, err := g.access.FindUsers(ctx, demoOwner)
	if err == nil && len(found) == 0 {
		if _, err = g.access.InviteUser(ctx, call, demoOwner, "", caller.RoleOwner); err == nil {
			found, err = g.access.FindUsers(ctx, demoOwner)
		}
	}
	if err != nil {
		return "", err
	}
	for _, u := range found {
		if u.Org == key.Scope.Org && u.State != caller.UserDisabled {
			made, err := g.access.LinkUser(ctx, call, u.ID)
			return string(made.Body), err
		}
	}
	return "", nil // a person has disabled the demo user
}

// announce prints that the service is ready.
func (d *demo) announce(w io.Writer, o cli.DevOptions, a Addresses, dir, link string) error {
	base, ops, docs := "http://"+a.API+"/api/v1", "http://"+a.Ops, "http://"+a.API+"/docs"
	d.BaseURL = base
	if err := d.save(dir); err != nil {
		return err
	}
	if o.JSON {
		return json.NewEncoder(w).Encode(struct {
			BaseURL string            `json:"base_url"`
			OpsURL  string            `json:"ops_url"`
			Keys    map[string]string `json:"keys"`
			Offices map[string]string `json:"offices"`
			Claims  map[string]string `json:"claims"`
			SignIn  string            `json:"dashboard_url"`
			Docs    string            `json:"docs_url"`
		}{base, ops, d.Keys, d.Offices, d.Claims, link, docs})
	}
	_, err := fmt.Fprintf(w, banner, base, link, docs, ops, dir, d.Keys["test"], d.Offices["test"], d.Claims["test"],
		base, d.Keys["test"], d.Offices["test"])
	return err
}

const banner = `
  Molar is ready.

  API        %s   (contract: /openapi.yaml)
  Sign in    %s   (works once, within 10 minutes)
  Read       %s   (how to use it)
  Health     %s/readyz, /metrics
  Data       %s   (kept between runs; --reset wipes it)
  Test key   %s
  Office     %s
  Claim      %s   (to make attachments for)

  Try an eligibility check:

  curl -s %s/eligibility \
    -H 'Authorization: Bearer %s' \
    -H "Idempotency-Key: $(date +%%s%%N)" \
    -H 'Content-Type: application/json' \
    -d '{"office_id":"%s","payer_id":"CHTEST",
         "subscriber":{"first_name":"Jane","last_name":"Doe","date_of_birth":"1985-04-12","member_id":"SANDBOX-ACTIVE-FULL"}}'

  The ending of member_id chooses what the payer answers: -ACTIVE-FULL, -NOT-FOUND, -PAYER-DOWN, -SLOW-3 ...

  See what happened:            molar events list
  Have it posted to your code:  molar listen --forward-to http://localhost:3000/hooks
  Make something happen:        molar trigger --list

  Stop with Ctrl-C.

`
