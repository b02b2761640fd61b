package intake

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// ConnectionRequest is a connection as an operator wrote it; nothing is parsed yet.
// Empty is a value that was left out. The files have been read.
type ConnectionRequest struct {
	Name              string
	Mode              string
	Kind              string
	Carries           []string
	OrgID             *string
	SenderID          string
	SenderQualifier   string
	ReceiverID        string
	ReceiverQualifier string
	Usage             string
	Payers            []ConnectionPayerRequest
	EveryPayer        bool // payers was left out or null
	Enabled           *bool
	AllowPrivate      bool
	Options           []byte // a JSON object; nil for the defaults

	User       string
	Password   []byte
	Addr       string
	Key        []byte
	HostKey    string
	Outbox     string
	Inbox      string
	Archive    string
	URL        string
	Envelope   string
	Cert       []byte
	CertKey    []byte
	CA         []byte
	TestMember *TestMemberRequest

	Given  []string       // the names of the fields that were given
	Null   []string       // those of them that were null
	Faults billing.Faults // found when the document was decoded
}

// ConnectionPayerRequest is a payer of a connection.
type ConnectionPayerRequest struct {
	PayerID        string
	NetworkPayerID string
	Transactions   []string
	Everything     bool // transactions was left out or null
}

// TestMemberRequest is the subject of the test of a connection. Only the member ID is
// required.
type TestMemberRequest struct {
	PayerID          string
	MemberID         string
	FirstName        string
	LastName         string
	DateOfBirth      string
	NPI              string
	OrganizationName string
}

// The limits of a connection, in characters.
const (
	maxConnectionName = 64
	maxInterchangeID  = 15 // ISA06 and ISA08
	maxSetting        = 1024
	maxNetworkPayerID = 80 // NM109
	maxPayers         = 10_000
)

// connectionField returns the kinds of connections that have the field.
func connectionField(name string) []string {
	const sandbox, sftp, core = "sandbox", "sftp", "core"
	switch name {
	case "name", "mode", "kind", "carries", "org_id", "usage", "payers", "options", "enabled",
		"sender_id", "sender_qualifier", "receiver_id", "receiver_qualifier":
		return []string{sandbox, sftp, core}
	case "allow_private", "user", "password_file":
		return []string{sftp, core}
	case "addr", "key_file", "host_key", "outbox", "inbox", "archive":
		return []string{sftp}
	case "url", "envelope", "cert_file", "cert_key_file", "ca_file", "test_member":
		return []string{core}
	default:
		return nil
	}
}

// carriedBy returns what connections of the kind can carry.
func carriedBy(k string) []network.Transaction {
	switch k {
	case "sftp":
		return []network.Transaction{network.Claims}
	case "core":
		return []network.Transaction{network.Eligibility}
	case "sandbox":
		return []network.Transaction{network.Eligibility, network.Claims}
	default:
		return nil
	}
}

// Connection validates the request and returns the requested connection, without ID
// and times.
func (r ConnectionRequest) Connection(payers *billing.PayerDirectory) (network.Connection, billing.Faults) {
	f := slices.Clone(r.Faults)
	c := network.Connection{
		Name: r.Name, Mode: billing.Mode(r.Mode), Kind: string(r.Kind), Enabled: r.Enabled == nil || *r.Enabled, Revision: 1,
		Org: optionalID[billing.OrgID](&f, "org_id", r.OrgID, "organization"),
	}
	r.fields(&f)
	switch {
	case !f.Required("name", r.Name, maxConnectionName):
	case strings.TrimSpace(r.Name) != r.Name || strings.ContainsFunc(r.Name, unicode.IsControl) || !utf8.ValidString(r.Name):
		f.Add("name", billing.FaultFormat, "The name must have no control characters, and no spaces at its ends.")
	}
	if f.Required("mode", r.Mode, 0) && c.Mode != billing.ModeTest && c.Mode != billing.ModeLive {
		f.Add("mode", billing.FaultNotAllowed, "The mode must be test or live.")
	}
	if can := carriedBy(c.Kind); f.Required("kind", r.Kind, 0) && can == nil {
		f.Add("kind", billing.FaultNotAllowed, "The kind must be sandbox, sftp or core.")
	}
	c.Carries = r.carries(&f, c.Kind)
	r.usage(&f, &c)
	c.Settings.Payers = r.payers(&f, payers, c.Carries)
	if r.Options != nil {
		options, faults := network.ReadOptions(r.Options, "options.")
		c.Settings.Options = options
		for _, fault := range faults {
			f.Add(fault.Field, fault.Code, fault.Message)
		}
	}
	switch c.Kind {
	case "sftp":
		r.ends(&f, &c, true)
		r.sftp(&f, &c)
	case "core":
		r.ends(&f, &c, true)
		r.core(&f, &c, payers)
	case "sandbox":
		r.ends(&f, &c, false)
		if r.OrgID == nil {
			f.Add("org_id", billing.FaultRequired, "A connection to the sandbox serves one organization. Name it: no payer sees what this organization then sends.")
		}
	}
	return c, f
}

// fields checks that the connection's kind has the given fields.
func (r ConnectionRequest) fields(f *billing.Faults) {
	for _, name := range r.Given {
		kinds := connectionField(name)
		switch {
		case f.Full():
			return
		case connectionField(name+"_file") != nil:
			f.Add(name, billing.FaultUnknown, "Unknown field. Write the value to a file, and name that file in "+name+"_file.")
		case kinds == nil:
			f.Add(name, billing.FaultUnknown, "Unknown field.")
		case carriedBy(string(r.Kind)) != nil && !slices.Contains(kinds, string(r.Kind)) && !slices.Contains(r.Null, name):
			f.Add(name, billing.FaultNotAllowed, "A connection of the kind "+r.Kind+" does not have this field.")
		}
	}
}

func (r ConnectionRequest) carries(f *billing.Faults, kind string) (all []network.Transaction) {
	if len(r.Carries) == 0 {
		f.Add("carries", billing.FaultRequired, "The connection must carry eligibility or claims.")
	}
	for i, word := range r.Carries {
		field, t := "carries."+strconv.Itoa(i), network.Transaction(word)
		switch can := carriedBy(kind); {
		case f.Full():
			return all
		case !carried(f, field, word):
		case can != nil && !slices.Contains(can, t):
			f.Add(field, billing.FaultNotAllowed, fmt.Sprintf("A connection of the kind %s carries only %s.", kind, can[0]))
		case slices.Contains(all, t):
			f.Add(field, billing.FaultConflict, "Duplicate transaction. Name each once.")
		default:
			all = append(all, t)
		}
	}
	return all
}

// carried adds a fault unless the text is a transaction of connections.
func carried(f *billing.Faults, field, word string) bool {
	t := network.Transaction(word)
	if t == network.Eligibility || t == network.Claims {
		return true
	}
	f.Add(field, billing.FaultNotAllowed, "The transaction must be eligibility or claims.")
	return false
}

func (r ConnectionRequest) usage(f *billing.Faults, c *network.Connection) {
	switch {
	case !f.Required("usage", r.Usage, 0):
	case r.Usage != network.UsageProduction && r.Usage != network.UsageTest:
		f.Add("usage", billing.FaultNotAllowed, "The usage must be P (production) or T (test).")
	case c.Mode == billing.ModeLive && r.Usage != network.UsageProduction:
		f.Add("usage", billing.FaultNotAllowed, "A live connection requires the usage P: payers do not process interchanges with T.")
	}
}

// ends reads the sender and the receiver of interchanges.
func (r ConnectionRequest) ends(f *billing.Faults, c *network.Connection, required bool) {
	end := func(of, id, qualifier string) network.End {
		e := network.End{Qualifier: qualifier, ID: id}
		if qualifier == "" {
			e.Qualifier = "ZZ"
		}
		switch field := of + "_id"; {
		case id == "" && !required:
			return network.End{}
		case !f.Required(field, id, maxInterchangeID):
		case !isX12(id) || strings.TrimSpace(id) != id:
			f.Add(field, billing.FaultFormat, "The ID must have only characters that X12 allows in an interchange header, without delimiters.")
		}
		if len(e.Qualifier) != 2 || strings.Trim(e.Qualifier, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			f.Add(of+"_qualifier", billing.FaultFormat, "The qualifier must have two capital letters or digits, such as ZZ, 30 or 01.")
		}
		return e
	}
	c.Settings.Envelope = network.Envelope{
		Sender: end("sender", r.SenderID, r.SenderQualifier), Receiver: end("receiver", r.ReceiverID, r.ReceiverQualifier), Usage: r.Usage,
	}
	c.Settings.AllowPrivate = r.AllowPrivate
}

// isX12 reports whether the text has only characters of X12's basic and extended sets
// that no interchange uses as a delimiter.
func isX12(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune("*~:^>|", c) })
}

func (r ConnectionRequest) payers(f *billing.Faults, payers *billing.PayerDirectory, carries []network.Transaction) (all []network.Payer) {
	switch n := len(r.Payers); {
	case r.EveryPayer:
		return nil
	case n == 0:
		f.Add("payers", billing.FaultTooFew, "The connection must reach at least one payer. Leave out payers if it reaches all of them.")
	case n > maxPayers:
		f.Add("payers", billing.FaultTooMany, fmt.Sprintf("A connection may list at most %d payers.", maxPayers))
		return nil
	}
	type reached struct {
		payer billing.PayerID
		t     network.Transaction
	}
	known := map[reached]bool{}
	for i, in := range r.Payers {
		if f.Full() {
			return all
		}
		field := "payers." + strconv.Itoa(i) + "."
		p := network.Payer{NetworkID: in.NetworkPayerID}
		if f.Required(field+"payer_id", in.PayerID, maxSetting) {
			payer, ok := payers.Find(in.PayerID)
			if !ok {
				f.Add(field+"payer_id", billing.FaultNotFound, "The payer directory has no payer with this ID. Add it to the file of MOLAR_PAYERS_FILE.")
			} else {
				p.Payer, p.PayerID = payer.ID, payer.PayerID
			}
		}
		if p.NetworkID == "" {
			p.NetworkID = p.PayerID
		}
		if f.Optional(field+"network_payer_id", &in.NetworkPayerID, maxNetworkPayerID) && !isX12(in.NetworkPayerID) {
			f.Add(field+"network_payer_id", billing.FaultFormat, "The ID must have only characters that X12 allows, without delimiters.")
		}
		words := in.Transactions
		if in.Everything {
			words = nil
			for _, t := range carries {
				words = append(words, string(t))
			}
		} else if len(words) == 0 {
			f.Add(field+"transactions", billing.FaultTooFew, "Name at least one transaction, or leave out transactions for all that the connection carries.")
		}
		for j, word := range words {
			at, t := field+"transactions."+strconv.Itoa(j), network.Transaction(word)
			switch {
			case !carried(f, at, word), !slices.Contains(carries, t):
			case known[reached{p.Payer, t}] && p.Payer != (billing.PayerID{}):
				f.Add(at, billing.FaultConflict, "The payer is listed for this transaction before.")
			default:
				known[reached{p.Payer, t}] = true
				p.Transactions = append(p.Transactions, t)
			}
		}
		all = append(all, p)
	}
	if len(*f) == 0 && !slices.ContainsFunc(all, func(p network.Payer) bool { return len(p.Transactions) > 0 }) {
		f.Add("payers", billing.FaultTooFew, "No payer is listed for a transaction that the connection carries.")
	}
	return all
}

// setting checks a required text.
func (r ConnectionRequest) setting(f *billing.Faults, field, value string) {
	if f.Required(field, value, maxSetting) {
		r.clean(f, field, value)
	}
}

func (ConnectionRequest) clean(f *billing.Faults, field, value string) {
	if strings.ContainsFunc(value, unicode.IsControl) || !utf8.ValidString(value) {
		f.Add(field, billing.FaultFormat, "The value must be UTF-8 text without control characters.")
	}
}

// public adds a fault for an address that is plainly private. Names are checked when
// they are resolved.
func (r ConnectionRequest) public(f *billing.Faults, field, host string) {
	addr, err := netip.ParseAddr(host)
	if r.AllowPrivate || err != nil && !strings.EqualFold(host, "localhost") {
		return
	}
	if err != nil || addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() {
		f.Add(field, billing.FaultNotAllowed, "The address is not public. If the connection may use it, set allow_private to true.")
	}
}

// password returns the content of a password file without the end of its line.
func password(content []byte) string { return strings.TrimRight(string(content), "\r\n") }
