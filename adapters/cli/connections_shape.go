package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// connectionJSON is a connection in the words of its document, without secrets.
type connectionJSON struct {
	ID                billing.ConnectionID  `json:"id"`
	Name              string                `json:"name"`
	Mode              billing.Mode          `json:"mode"`
	Kind              string                `json:"kind"`
	Carries           []network.Transaction `json:"carries"`
	OrgID             *billing.OrgID        `json:"org_id"`
	Enabled           bool                  `json:"enabled"`
	State             network.State         `json:"state"`
	PausedAt          *string               `json:"paused_at"`
	PauseReason       *network.Reason       `json:"pause_reason"`
	PauseDetail       *string               `json:"pause_detail"`
	Usage             string                `json:"usage"`
	SenderQualifier   string                `json:"sender_qualifier,omitempty"`
	SenderID          string                `json:"sender_id,omitempty"`
	ReceiverQualifier string                `json:"receiver_qualifier,omitempty"`
	ReceiverID        string                `json:"receiver_id,omitempty"`
	Addr              string                `json:"addr,omitempty"`
	URL               string                `json:"url,omitempty"`
	Envelope          network.COREEnvelope  `json:"envelope,omitempty"`
	User              string                `json:"user,omitempty"`
	HostKey           string                `json:"host_key,omitempty"`
	Outbox            string                `json:"outbox,omitempty"`
	Inbox             string                `json:"inbox,omitempty"`
	Archive           string                `json:"archive,omitempty"`
	TestMember        string                `json:"test_member,omitempty"`
	AllowPrivate      bool                  `json:"allow_private"`
	Payers            []connectionPayerJSON `json:"payers"`
	Options           network.Options       `json:"options"`
	CreatedAt         string                `json:"created_at"`
}

type connectionPayerJSON struct {
	PayerID        string                `json:"payer_id"`
	NetworkPayerID string                `json:"network_payer_id"`
	Transactions   []network.Transaction `json:"transactions"`
}

func connectionShape(c *network.Connection) connectionJSON {
	s := c.Settings
	out := connectionJSON{
		ID: c.ID, Name: c.Name, Mode: c.Mode, Kind: c.Kind, Carries: c.Carries, Enabled: c.Enabled, State: c.State(),
		Usage: s.Envelope.Usage, SenderQualifier: s.Envelope.Sender.Qualifier, SenderID: s.Envelope.Sender.ID,
		ReceiverQualifier: s.Envelope.Receiver.Qualifier, ReceiverID: s.Envelope.Receiver.ID,
		AllowPrivate: s.AllowPrivate, Options: s.Options, CreatedAt: billing.Timestamp(c.CreatedAt),
	}
	if !c.Org.IsZero() {
		out.OrgID = &c.Org
	}
	if !c.Pause.IsZero() {
		out.PausedAt, out.PauseReason, out.PauseDetail = new(billing.Timestamp(c.Pause.At)), &c.Pause.Reason, &c.Pause.Detail
	}
	for _, p := range s.Payers {
		out.Payers = append(out.Payers, connectionPayerJSON{p.PayerID, p.NetworkID, p.Transactions})
	}
	if f := s.SFTP; f != nil {
		out.Addr, out.User, out.HostKey, out.Outbox, out.Inbox, out.Archive = f.Addr, f.User, f.HostKey, f.Outbox, f.Inbox, f.Archive
	}
	if e := s.CORE; e != nil {
		out.URL, out.Envelope, out.User = e.URL, e.Envelope, e.User
		if e.TestMember != nil {
			out.TestMember = e.TestMember.MemberID
		}
	}
	return out
}

// rows returns the settings for people, each a name and a value.
func (c *connectionJSON) rows() (all []string) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, name+"\t"+value)
		}
	}
	add("id", c.ID.String())
	add("kind", string(c.Kind))
	add("mode", string(c.Mode))
	add("carries", carried(c.Carries))
	if c.OrgID != nil {
		add("organization", c.OrgID.String())
	} else {
		add("organization", "every organization")
	}
	add("usage", c.Usage)
	if c.SenderID != "" {
		add("sender", c.SenderQualifier+" "+c.SenderID)
	}
	if c.ReceiverID != "" {
		add("receiver", c.ReceiverQualifier+" "+c.ReceiverID)
	}
	add("address", c.Addr)
	add("url", c.URL)
	add("envelope", string(c.Envelope))
	add("user", c.User)
	add("host key", c.HostKey)
	add("outbox", c.Outbox)
	add("inbox", c.Inbox)
	add("archive", c.Archive)
	add("test member", c.TestMember)
	if c.AllowPrivate {
		add("private addresses", "allowed")
	}
	if len(c.Payers) == 0 {
		add("payers", "every payer")
	}
	for _, p := range c.Payers {
		add("payer", fmt.Sprintf("%s as %s: %s", p.PayerID, p.NetworkPayerID, carried(p.Transactions)))
	}
	if options, err := json.Marshal(c.Options); err == nil && string(options) != "{}" {
		add("options", strings.TrimSpace(string(options)))
	}
	add("added", c.CreatedAt)
	return all
}
