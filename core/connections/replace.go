package connections

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Replace changes the connection that has the document's name to the document. It keeps
// its ID, so batches that it sent stay its own, and its mode, kind and organization. A
// pause ends. Whether it is enabled stays, too, unless the document says it. Running
// services use it within two seconds. It returns CodeInvalidRequest for a document with
// faults, and CodeNotFound if no connection has the name.
func (s *Service) Replace(ctx context.Context, r intake.ConnectionRequest) (*network.Connection, error) {
	c, err := s.read(r)
	if err != nil {
		return nil, err
	}
	err = s.locked(ctx, c.Name, func(ctx context.Context, tx ports.SystemTx, old *network.Connection) error {
		if faults := kept(old, c); len(faults) > 0 {
			return invalid(faults)
		}
		c.ID, c.Name, c.CreatedAt, c.Revision = old.ID, old.Name, old.CreatedAt, old.Revision+1
		if r.Enabled == nil {
			c.Enabled = old.Enabled
		}
		return tx.Connections.Replace(ctx, c)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// kept returns a fault for each field of c that must be that of the old connection.
func kept(old, c *network.Connection) (f billing.Faults) {
	org := func(c *network.Connection) string {
		if c.Org.IsZero() {
			return "null"
		}
		return c.Org.String()
	}
	for _, field := range []struct{ name, was, is string }{
		{"mode", string(old.Mode), string(c.Mode)}, {"kind", old.Kind, c.Kind}, {"org_id", org(old), org(c)},
	} {
		if field.is != field.was {
			f.Add(field.name, billing.FaultNotAllowed, "It must stay "+field.was+". For "+field.is+", add another connection under another name.")
		}
	}
	return f
}

// Remove deletes a connection with its secrets. It returns CodeConflict while batches need
// the connection, unless it is forced.
func (s *Service) Remove(ctx context.Context, name string, force bool) error {
	return s.locked(ctx, name, func(ctx context.Context, tx ports.SystemTx, c *network.Connection) error {
		needing, err := tx.Routes.Unsettled(ctx, c.Network(), time.Time{})
		if err != nil {
			return err
		}
		if len(needing) > 0 && !force {
			return inUse(c, needing)
		}
		return tx.Connections.Delete(ctx, c.ID)
	})
}

// inUse is the error for a connection that batches need.
func inUse(c *network.Connection, needing []*clearing.Batch) error {
	var unsent, unknown, unacknowledged int
	for _, b := range needing {
		switch {
		case !b.UnknownSince.IsZero():
			unknown++
		case b.State == clearing.BatchPending:
			unsent++
		default:
			unacknowledged++
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{unsent, "not sent yet"}, {unknown, "with an unknown outcome"}, {unacknowledged, "without all acknowledgements"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return &billing.Error{Code: billing.CodeConflict, Message: fmt.Sprintf(
		"Batches still need %s: %s. Wait until they are sent and acknowledged; molar batches list shows those on which you have to decide. "+
			"To change the account, use molar connections replace. To remove it all the same, add --force.", c.Name, strings.Join(parts, ", "))}
}
