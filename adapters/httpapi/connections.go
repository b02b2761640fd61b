package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
)

// listConnections handles GET /connections.
func (a *api) listConnections(x *exchange) (*reply, error) {
	org := x.caller.Scope.Org
	return unfiltered(a, x, "connections", a.connections.Own, func(c *network.Connection) connectionJSON { return connectionShape(c, org, a.connections.Show(c)) })
}

type connectionJSON struct {
	Object  string                `json:"object"`
	Name    string                `json:"name"`
	Kind    string                `json:"kind"`
	Carries []network.Transaction `json:"carries"`
	Own     *ownConnectionJSON    `json:"own"`
}

// ownConnectionJSON is what an organization sees of its own connection.
type ownConnectionJSON struct {
	ID                billing.ConnectionID  `json:"id"`
	Mode              billing.Mode          `json:"mode"`
	State             network.State         `json:"state"`
	PausedAt          *string               `json:"paused_at"`
	PauseReason       *network.Reason       `json:"pause_reason"`
	Address           *string               `json:"address"`
	User              *string               `json:"user"`
	Usage             string                `json:"usage"`
	SenderQualifier   string                `json:"sender_qualifier"`
	SenderID          string                `json:"sender_id"`
	ReceiverQualifier string                `json:"receiver_qualifier"`
	ReceiverID        string                `json:"receiver_id"`
	Payers            []connectionPayerJSON `json:"payers"`
	Options           network.Options       `json:"options"`
	CreatedAt         string                `json:"created_at"`
}

type connectionPayerJSON struct {
	PayerID        string                `json:"payer_id"`
	NetworkPayerID string                `json:"network_payer_id"`
	Transactions   []network.Transaction `json:"transactions"`
}

// connectionShape returns a connection as the organization may see it; shown are the
// settings that only its kind knows.
func connectionShape(c *network.Connection, org billing.OrgID, shown []network.Shown) connectionJSON {
	out := connectionJSON{Object: "connection", Name: c.Name, Kind: c.Kind, Carries: listOf(c.Carries)}
	if c.Org != org {
		return out
	}
	s := c.Settings
	own := &ownConnectionJSON{
		ID: c.ID, Mode: c.Mode, State: c.State(), PausedAt: timeOrNull(c.Pause.At), Usage: s.Envelope.Usage,
		SenderQualifier: s.Envelope.Sender.Qualifier, SenderID: s.Envelope.Sender.ID,
		ReceiverQualifier: s.Envelope.Receiver.Qualifier, ReceiverID: s.Envelope.Receiver.ID,
		Payers: []connectionPayerJSON{}, Options: s.Options, CreatedAt: event.Timestamp(c.CreatedAt),
	}
	if !c.Pause.IsZero() {
		own.PauseReason = &c.Pause.Reason
	}
	for i := range shown {
		if shown[i].Address {
			own.Address = &shown[i].Value
		}
		if shown[i].Name == "user" {
			own.User = &shown[i].Value
		}
	}
	for _, p := range s.Payers {
		own.Payers = append(own.Payers, connectionPayerJSON{p.PayerID, p.NetworkID, listOf(p.Transactions)})
	}
	out.Own = own
	return out
}
