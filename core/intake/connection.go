package intake

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
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
	EveryPayer        bool `body:"-"` // payers was left out or null
	Enabled           *bool
	Options           []byte // a JSON object; nil for the defaults

	Own    map[string][]byte `body:"-"` // the fields that only some kinds have, as network.Field says
	Given  map[string]bool   // the names of the fields that were given
	Null   []string          `body:"-"` // those of them that were null
	Faults billing.Faults    // found when the document was decoded
}

// ConnectionPayerRequest is a payer of a connection.
type ConnectionPayerRequest struct {
	PayerID        string
	NetworkPayerID string
	Transactions   []string
	Everything     bool `body:"-"` // transactions was left out or null
}

// The limits of a connection, in characters.
const (
	maxConnectionName = 64
	maxInterchangeID  = 15 // ISA06 and ISA08
	maxNetworkPayerID = 80 // NM109
	maxPayers         = 10_000
)

// everyKind lists the fields of the connections of every kind.
func everyKind() []string {
	return []string{
		"name", "mode", "kind", "carries", "org_id", "usage", "payers", "options", "enabled",
		"sender_id", "sender_qualifier", "receiver_id", "receiver_qualifier",
	}
}

// Connection validates the request and returns the requested connection, of one of the
// kinds, without ID and times.
func (r ConnectionRequest) Connection(kinds network.Kinds, payers *directory.PayerDirectory) (network.Connection, billing.Faults) {
	f := slices.Clone(r.Faults)
	c := network.Connection{
		Name: r.Name, Mode: billing.Mode(r.Mode), Kind: r.Kind, Enabled: r.Enabled == nil || *r.Enabled, Revision: 1,
		Org: optionalID[billing.OrgID](&f, "org_id", r.OrgID, "organization"),
	}
	r.fields(&f, kinds)
	switch {
	case !f.Required("name", r.Name, maxConnectionName):
	case strings.TrimSpace(r.Name) != r.Name || strings.ContainsFunc(r.Name, unicode.IsControl) || !utf8.ValidString(r.Name):
		f.Add("name", billing.FaultFormat, "The name must have no control characters, and no spaces at its ends.")
	}
	if f.Required("mode", r.Mode, 0) && c.Mode != billing.ModeTest && c.Mode != billing.ModeLive {
		f.Add("mode", billing.FaultNotAllowed, "The mode must be test or live.")
	}
	kind := kinds.Find(c.Kind)
	if f.Required("kind", r.Kind, 0) && kind == nil {
		f.Add("kind", billing.FaultNotAllowed, "The kind must be "+kinds.Names()+".")
	}
	c.Carries = r.carries(&f, kind)
	r.usage(&f, &c)
	c.Settings.Payers = r.payers(&f, payers, c.Carries)
	if kind == nil {
		return c, f
	}
	r.ends(&f, &c, kind.Ends)
	kind.Read(&c, r.Own, r.Options, payers, &f)
	if kind.OwnOrg != "" && r.OrgID == nil {
		f.Add("org_id", billing.FaultRequired, kind.OwnOrg)
	}
	return c, f
}

// fields checks that the connection's kind has the given fields.
func (r ConnectionRequest) fields(f *billing.Faults, kinds network.Kinds) {
	for _, name := range slices.Sorted(maps.Keys(r.Given)) {
		if f.Full() {
			return
		}
		if !slices.Contains(everyKind(), name) && (!slices.Contains(r.Null, name) || kinds.Field(r.Kind, name) == nil) {
			kinds.Judge(r.Kind, name, f)
		}
	}
}

func (r ConnectionRequest) carries(f *billing.Faults, kind *network.Kind) (all []network.Transaction) {
	if len(r.Carries) == 0 {
		f.Add("carries", billing.FaultRequired, "The connection must carry eligibility, claims or claim_status.")
	}
	for i, word := range r.Carries {
		field, t := "carries."+strconv.Itoa(i), network.Transaction(word)
		switch {
		case f.Full():
			return all
		case !carried(f, field, word):
		case kind != nil && !slices.Contains(kind.Carries, t):
			f.Add(field, billing.FaultNotAllowed, fmt.Sprintf("A connection of the kind %s carries only %s.", kind.Name, kind.Carries[0]))
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
	if t == network.Eligibility || t == network.Claims || t == network.ClaimStatus {
		return true
	}
	f.Add(field, billing.FaultNotAllowed, "The transaction must be eligibility, claims or claim_status.")
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
}

// isX12 reports whether the text has only characters of X12's basic and extended sets
// that no interchange uses as a delimiter.
func isX12(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune("*~:^>|", c) })
}

func (r ConnectionRequest) payers(f *billing.Faults, payers *directory.PayerDirectory, carries []network.Transaction) (all []network.Payer) {
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
		if f.Required(field+"payer_id", in.PayerID, 1024) {
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
