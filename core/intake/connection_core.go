package intake

import (
	"cmp"
	"net/url"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// core reads the fields of an endpoint of CAQH CORE.
func (r ConnectionRequest) core(f *billing.Faults, c *network.Connection, payers *billing.PayerDirectory) {
	c.Settings.CORE = &network.CORESettings{URL: r.URL, Envelope: network.COREEnvelope(r.Envelope), User: r.User, Cert: r.Cert, CA: r.CA}
	c.Secrets = network.Secrets{Password: password(r.Password), CertKey: r.CertKey}
	if f.Required("url", r.URL, 2048) {
		u, err := url.Parse(r.URL)
		switch {
		case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
			f.Add("url", billing.FaultFormat, "The URL must have the form https://host/path.")
		case u.User != nil:
			f.Add("url", billing.FaultFormat, "The URL must have no user and no password. Use user and password_file.")
		default:
			r.public(f, "url", u.Hostname())
		}
	}
	switch c.Settings.CORE.Envelope {
	case network.CORESOAP220, network.COREMIME220:
		if r.User == "" && len(r.Cert) == 0 {
			f.Add("user", billing.FaultRequired, "Set user and password_file, or cert_file and cert_key_file.")
		}
	case network.CORESOAPPhase4:
		if len(r.Cert) == 0 {
			f.Add("cert_file", billing.FaultRequired, "The envelope soap-phase4 requires a client certificate. Set cert_file and cert_key_file.")
		}
	default:
		if f.Required("envelope", r.Envelope, 0) {
			f.Add("envelope", billing.FaultNotAllowed, "The envelope must be soap-2.2.0, mime-2.2.0 or soap-phase4.")
		}
	}
	if f.Optional("user", &r.User, maxSetting) {
		r.clean(f, "user", r.User)
	}
	pair(f, "user", r.User != "", "password_file", len(r.Password) > 0)
	pair(f, "cert_file", len(r.Cert) > 0, "cert_key_file", len(r.CertKey) > 0)
	if r.TestMember != nil {
		c.Settings.CORE.TestMember = r.testMember(f, c, payers)
	}
}

// pair adds a fault when one of two values is given without the other.
func pair(f *billing.Faults, one string, hasOne bool, other string, hasOther bool) {
	switch {
	case hasOne && !hasOther:
		f.Add(other, billing.FaultRequired, "The field "+one+" is set, and needs "+other+" too.")
	case hasOther && !hasOne:
		f.Add(one, billing.FaultRequired, "The field "+other+" is set, and needs "+one+" too.")
	}
}

// testMember reads the subject of the test. Values that were left out do not matter to
// the connection: a payer's rejection of the person also proves that it works.
func (r ConnectionRequest) testMember(f *billing.Faults, c *network.Connection, payers *billing.PayerDirectory) *network.TestMember {
	in := r.TestMember
	m := &network.TestMember{
		MemberID: in.MemberID, FirstName: cmp.Or(in.FirstName, "Test"), LastName: cmp.Or(in.LastName, "Member"),
		DateOfBirth: billing.Date{Year: 1970, Month: 1, Day: 1}, NPI: cmp.Or(in.NPI, "1234567893"), Practice: cmp.Or(in.OrganizationName, "Molar Test"),
	}
	f.Required("test_member.member_id", in.MemberID, maxNetworkPayerID)
	f.Optional("test_member.first_name", &in.FirstName, 35)
	f.Optional("test_member.last_name", &in.LastName, 60)
	f.Optional("test_member.organization_name", &in.OrganizationName, 60)
	if in.DateOfBirth != "" {
		m.DateOfBirth = day(f, "test_member.date_of_birth", in.DateOfBirth)
	}
	if !billing.ValidNPI(m.NPI) {
		f.Add("test_member.npi", billing.FaultFormat, "The NPI must have ten digits, of which the last is the right check digit.")
	}
	switch {
	case in.PayerID != "":
		payer, ok := payers.Find(in.PayerID)
		if !ok {
			f.Add("test_member.payer_id", billing.FaultNotFound, "The payer directory has no payer with this ID.")
			break
		}
		m.Payer = payer.PayerSummary
	case len(c.Settings.Payers) > 0:
		if payer, ok := payers.Find(c.Settings.Payers[0].PayerID); ok {
			m.Payer = payer.PayerSummary
		}
	default:
		m.Payer = billing.PayerSummary{PayerID: r.ReceiverID, Name: r.ReceiverID}
	}
	return m
}
