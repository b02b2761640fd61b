package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
)

// connectionJSON is a connection in the words of its document, without secrets. Its
// members come in the order of the parts.
type connectionJSON struct {
	of   *network.Connection
	own  []network.Shown
	head connectionHead
	tail connectionTail
}

type connectionHead struct {
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
}

type connectionTail struct {
	AllowPrivate bool                  `json:"allow_private"`
	Payers       []connectionPayerJSON `json:"payers"`
	Options      network.Options       `json:"options"`
	CreatedAt    string                `json:"created_at"`
}

type connectionPayerJSON struct {
	PayerID        string                `json:"payer_id"`
	NetworkPayerID string                `json:"network_payer_id"`
	Transactions   []network.Transaction `json:"transactions"`
}

// connectionShape returns the shape of a connection; own are the settings that only its
// kind knows.
func connectionShape(c *network.Connection, own []network.Shown) connectionJSON {
	s := c.Settings
	out := connectionJSON{
		of: c, own: own,
		head: connectionHead{
			ID: c.ID, Name: c.Name, Mode: c.Mode, Kind: c.Kind, Carries: c.Carries, Enabled: c.Enabled, State: c.State(),
			Usage: s.Envelope.Usage, SenderQualifier: s.Envelope.Sender.Qualifier, SenderID: s.Envelope.Sender.ID,
			ReceiverQualifier: s.Envelope.Receiver.Qualifier, ReceiverID: s.Envelope.Receiver.ID,
		},
		tail: connectionTail{AllowPrivate: s.AllowPrivate, Options: s.Options, CreatedAt: event.Timestamp(c.CreatedAt)},
	}
	if !c.Org.IsZero() {
		out.head.OrgID = &c.Org
	}
	if !c.Pause.IsZero() {
		out.head.PausedAt, out.head.PauseReason, out.head.PauseDetail = new(event.Timestamp(c.Pause.At)), &c.Pause.Reason, &c.Pause.Detail
	}
	for _, p := range s.Payers {
		out.tail.Payers = append(out.tail.Payers, connectionPayerJSON{p.PayerID, p.NetworkID, p.Transactions})
	}
	return out
}

// MarshalJSON writes one object.
func (c connectionJSON) MarshalJSON() ([]byte, error) {
	out, err := json.Marshal(c.head)
	if err != nil {
		return nil, err
	}
	out = out[:len(out)-1]
	for _, s := range c.own {
		value, err := json.Marshal(s.Value)
		if err != nil {
			return nil, err
		}
		out = append(fmt.Appendf(out, `,"%s":`, s.Name), value...)
	}
	tail, err := json.Marshal(c.tail)
	if err != nil {
		return nil, err
	}
	return append(append(out, ','), tail[1:]...), nil
}

// rows returns the settings for people, each a name and a value.
func (c *connectionJSON) rows() (all []string) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, name+"\t"+value)
		}
	}
	add("id", c.head.ID.String())
	add("kind", c.head.Kind)
	add("mode", string(c.head.Mode))
	add("carries", carried(c.head.Carries))
	add("organization", servedBy(c.of))
	add("usage", c.head.Usage)
	if c.head.SenderID != "" {
		add("sender", c.head.SenderQualifier+" "+c.head.SenderID)
	}
	if c.head.ReceiverID != "" {
		add("receiver", c.head.ReceiverQualifier+" "+c.head.ReceiverID)
	}
	for _, s := range c.own {
		add(s.Label, s.Value)
	}
	if c.tail.AllowPrivate {
		add("private addresses", "allowed")
	}
	if len(c.tail.Payers) == 0 {
		add("payers", "every payer")
	}
	for _, p := range c.tail.Payers {
		add("payer", fmt.Sprintf("%s as %s: %s", p.PayerID, p.NetworkPayerID, carried(p.Transactions)))
	}
	if options, err := json.Marshal(c.tail.Options); err == nil && string(options) != "{}" {
		add("options", strings.TrimSpace(string(options)))
	}
	add("added", c.tail.CreatedAt)
	return all
}
