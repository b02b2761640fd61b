package corenet

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Kind is the kind of connections over CAQH CORE: eligibility, and the status of claims. Over
// asks in 270s, and about in 276s.
func Kind(over func(ports.Inquire) ports.Eligibility, about func(ports.Inquire) ports.ClaimStatus) ports.ConnectionKind {
	return ports.ConnectionKind{Kind: network.Kind{
		Name: "core", Carries: []network.Transaction{network.Eligibility, network.ClaimStatus}, Ends: true,
		Document: func(c *network.Connection) network.Document { return new(document).of(c) },
	}, Open: func(c *network.Connection) (*ports.Network, error) { return open(c, over, about) }}
}

// document is the document of a connection over CAQH CORE.
type document struct {
	settings struct {
		URL        string
		Envelope   Envelope
		User       string      `json:",omitempty"`
		Cert       []byte      `json:",omitempty"` // the client certificate with its chain, PEM
		CA         []byte      `json:",omitempty"` // the certificates that sign the server's, PEM; empty for the system's
		TestMember *testMember `json:",omitempty"`
	}
	secrets struct {
		Password string `json:",omitempty"`
		CertKey  []byte `json:",omitempty"` // the private key of the client certificate, PEM
	}
	options struct {
		payloadID, reference bool // by exchange
		payloadType          string
		textXML              bool
		action               ActionHeader
	}
	member *givenMember // as it is given; nil for none
}

// testMember is the subject of the 270 with which a connection is tested. It belongs to
// the network, and is no patient.
type testMember struct {
	Payer       directory.PayerSummary
	MemberID    string
	FirstName   string
	LastName    string
	DateOfBirth billing.Date
	NPI         string // of the practice that asks
	Practice    string // its name
}

// givenMember is a test member as a document has it. Only the member ID is required.
type givenMember struct{ payer, id, first, last, born, npi, practice string }

var payloadTypeForm = regexp.MustCompile(`^[0-9A-Za-z._-]{1,80}$`)

// of returns the tables of the document of a connection.
func (d *document) of(c *network.Connection) network.Document {
	s, o := &d.settings, &d.options
	address := network.TextField(&s.URL, "url", "https://...", func(f *billing.Faults) { d.judgeURL(f, c) })
	address.Address = true
	return network.Document{
		Settings: s, Secrets: &d.secrets,
		Fields: []network.Field{
			address,
			network.TextField((*string)(&s.Envelope), "envelope", "soap-2.2.0, mime-2.2.0 or soap-phase4", d.judgeEnvelope),
			network.TextField(&s.User, "user", "the name with which Molar signs in; needs password_file", func(f *billing.Faults) {
				network.JudgeOptional(f, "user", s.User)
				network.JudgePair(f, "user", s.User != "", "password_file", d.secrets.Password != "")
			}),
			network.PasswordField(&d.secrets.Password, "password_file", "the password of the user"),
			network.FileField(&s.Cert, "cert_file", "a client certificate with its chain, PEM; needs cert_key_file", func(f *billing.Faults) {
				network.JudgePair(f, "cert_file", len(s.Cert) > 0, "cert_key_file", len(d.secrets.CertKey) > 0)
			}),
			network.FileField(&d.secrets.CertKey, "cert_key_file", "the key of the client certificate, PEM", nil),
			network.FileField(&s.CA, "ca_file", "the certificates that sign the server's (default: those of this machine)", nil),
			network.JSONField("test_member", "a member ID for the 270 of molar connections test, or {\"member_id\", \"payer_id\", \"first_name\", \"last_name\",\n"+
				`"date_of_birth", "npi", "organization_name"}`, d.readMember, d.showMember, func(f *billing.Faults, payers *directory.PayerDirectory) { d.judgeMember(f, c, payers) }),
			network.PrivateField(c),
		},
		Options: []network.Option{
			network.Choice(&o.payloadID, "payload_id_echo", "Whether a reply of CAQH CORE must repeat the PayloadID of the request if it has one, or is accepted with another.",
				network.Named(false, "strict"), network.Named(true, "exchange")),
			network.Choice(&o.reference, "reference_echo", "Whether a 271 must repeat the reference of its 270 (BHT03) if it has one, or is accepted with another.",
				network.Named(false, "strict"), network.Named(true, "exchange")),
			network.Text(&o.payloadType, "payload_type", DefaultPayloadType, "The PayloadType of a 270 over CAQH CORE.",
				"1 to 80 letters, digits, points, dashes and underscores", payloadTypeForm.MatchString),
			network.Choice(&o.textXML, "soap_content_type", "The Content-Type of SOAP messages over CAQH CORE.",
				network.Named(false, "application/soap+xml"), network.Named(true, "text/xml")),
			network.Choice(&o.action, "soap_action_header", "Another header that carries the action of SOAP messages over CAQH CORE.",
				network.Named(ActionHeaderNone, "none"), network.Named(ActionHeaderSOAP, ""), network.Named(ActionHeaderWord, "")),
		},
	}
}

// open opens a connection over CAQH CORE.
func open(
	c *network.Connection, over func(ports.Inquire) ports.Eligibility, about func(ports.Inquire) ports.ClaimStatus,
) (*ports.Network, error) {
	d := &document{}
	if err := c.Load(d.of(c)); err != nil {
		return nil, err
	}
	s, o := &d.settings, &d.options
	config := Config{
		URL: s.URL, Envelope: s.Envelope, SenderID: c.Settings.Envelope.Sender.ID, ReceiverID: c.Settings.Envelope.Receiver.ID,
		User: s.User, Password: []byte(d.secrets.Password), Cert: s.Cert, CertKey: d.secrets.CertKey, CA: s.CA,
		AllowPrivate: c.Settings.AllowPrivate, PayloadType: o.payloadType, TextXML: o.textXML, ActionHeader: o.action,
		PayloadIDByExchange: o.payloadID, ReferenceByExchange: o.reference, TraceByExchange: c.Settings.Options.TraceByExchange,
	}
	if m := s.TestMember; m != nil {
		config.Test = func(ctx context.Context, carry ports.Inquire) error {
			_, _, err := over(carry).Ask(ctx, m.inquiry(c))
			return err
		}
	}
	e, err := New(config)
	if err != nil {
		return nil, err
	}
	n := &ports.Network{Peer: e}
	if c.Carried(network.Eligibility) {
		n.Eligibility = over(e.Inquire)
	}
	if c.Carried(network.ClaimStatus) {
		n.ClaimStatus = about(e.InquireStatus)
	}
	return n, nil
}

// inquiry returns a new question about the member that needs one 270.
func (m *testMember) inquiry(c *network.Connection) network.Inquiry {
	now, route, o := time.Now(), c.Route(), c.Settings.Options
	if len(o.ServiceTypes) > 1 && !o.TypesTogether {
		o.ServiceTypes = o.ServiceTypes[:1]
	}
	payer := m.Payer
	payer.PayerID = route.PayerID(payer, network.Eligibility)
	return network.Inquiry{
		Scope: billing.Scope{Org: c.Org, Mode: c.Mode}, CheckID: billing.NewID[billing.CheckID](billing.RealAt(now)), Attempt: network.NewAttempt(), CreatedAt: now,
		Clock: network.ClockAt(now), Envelope: c.Settings.Envelope, Options: o, Payer: payer,
		Inquiry: coverage.Inquiry{
			Subscriber:  coverage.Subscriber{FirstName: m.FirstName, LastName: m.LastName, DateOfBirth: m.DateOfBirth, MemberID: m.MemberID},
			ServiceDate: billing.DateOf(now), DetailLevel: coverage.DetailStandard,
			Office: coverage.InquiringOffice{Name: m.Practice, NPI: m.NPI},
		},
	}
}

func (d *document) judgeURL(f *billing.Faults, c *network.Connection) {
	if !f.Required("url", d.settings.URL, 2048) {
		return
	}
	u, err := url.Parse(d.settings.URL)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
		f.Add("url", billing.FaultFormat, "The URL must have the form https://host/path.")
	case u.User != nil:
		f.Add("url", billing.FaultFormat, "The URL must have no user and no password. Use user and password_file.")
	default:
		c.JudgeHost(f, "url", u.Hostname())
	}
}

func (d *document) judgeEnvelope(f *billing.Faults) {
	s := &d.settings
	switch s.Envelope {
	case SOAP220, MIME220:
		if s.User == "" && len(s.Cert) == 0 {
			f.Add("user", billing.FaultRequired, "Set user and password_file, or cert_file and cert_key_file.")
		}
	case SOAPPhase4:
		if len(s.Cert) == 0 {
			f.Add("cert_file", billing.FaultRequired, "The envelope soap-phase4 requires a client certificate. Set cert_file and cert_key_file.")
		}
	default:
		if f.Required("envelope", string(s.Envelope), 0) {
			f.Add("envelope", billing.FaultNotAllowed, "The envelope must be soap-2.2.0, mime-2.2.0 or soap-phase4.")
		}
	}
}

// readMember reads the member of the test: an ID, or an object.
func (d *document) readMember(value json.RawMessage, f *billing.Faults) {
	d.member = &givenMember{}
	if m := d.member; value[0] == '{' {
		network.ReadTexts(value, "test_member.", map[string]*string{
			"payer_id": &m.payer, "member_id": &m.id, "first_name": &m.first, "last_name": &m.last, "date_of_birth": &m.born, "npi": &m.npi, "organization_name": &m.practice,
		}, f)
	} else if json.Unmarshal(value, &m.id) != nil {
		f.Add("test_member", billing.FaultType, "The value must be a member ID, or an object with member_id.")
	}
}

func (d *document) showMember() string {
	if d.settings.TestMember == nil {
		return ""
	}
	return d.settings.TestMember.MemberID
}

// judgeMember completes the member. Values that were left out do not matter to the
// connection: a payer's rejection of the person also proves that it works.
func (d *document) judgeMember(f *billing.Faults, c *network.Connection, payers *directory.PayerDirectory) {
	in := d.member
	if in == nil {
		return
	}
	m := &testMember{
		MemberID: in.id, FirstName: cmp.Or(in.first, "Test"), LastName: cmp.Or(in.last, "Member"),
		DateOfBirth: billing.Date{Year: 1970, Month: 1, Day: 1}, NPI: cmp.Or(in.npi, "1234567893"), Practice: cmp.Or(in.practice, "Molar Test"),
	}
	d.settings.TestMember = m
	f.Required("test_member.member_id", in.id, 80)
	f.Optional("test_member.first_name", &in.first, 35)
	f.Optional("test_member.last_name", &in.last, 60)
	f.Optional("test_member.organization_name", &in.practice, 60)
	if in.born != "" {
		var err error
		if m.DateOfBirth, err = billing.ParseDate(in.born); err != nil {
			f.Add("test_member.date_of_birth", billing.FaultFormat, "The value must be a valid date in the form YYYY-MM-DD.")
		}
	}
	if !directory.ValidNPI(m.NPI) {
		f.Add("test_member.npi", billing.FaultFormat, "The NPI must have ten digits, of which the last is the right check digit.")
	}
	switch listed := c.Settings.Payers; {
	case in.payer != "":
		payer, ok := payers.Find(in.payer)
		if !ok {
			f.Add("test_member.payer_id", billing.FaultNotFound, "The payer directory has no payer with this ID.")
			break
		}
		m.Payer = payer.PayerSummary
	case len(listed) > 0:
		if payer, ok := payers.Find(listed[0].PayerID); ok {
			m.Payer = payer.PayerSummary
		}
	default:
		receiver := c.Settings.Envelope.Receiver.ID
		m.Payer = directory.PayerSummary{PayerID: receiver, Name: receiver}
	}
}
