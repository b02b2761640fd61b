package pgstore

// How a connection to PostgreSQL opens.

import (
	"container/list"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lib/pq"
)

// connector makes connections whose transactions begin with a session.
type connector struct {
	config pq.Config
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	// generation increases when a schema change invalidates prepared statements.
	// Connections of an older generation are not reused.
	generation atomic.Int64
}

func (c *connector) Driver() driver.Driver { return &pq.Driver{} }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	d := &dialer{dial: c.dial, plain: c.config.SSLMode == pq.SSLModeDisable}
	generation := c.generation.Load()
	inner, err := connect(ctx, c.config, d)
	if err != nil {
		if pqErr, ok := errors.AsType[*pq.Error](err); ok {
			return nil, fmt.Errorf("connect: %s: %w", pqErr.Message, clean(pqErr)) // no row was read, so the message is safe
		}
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &conn{
		Conn: inner, socket: d.last, pipeline: d.pipeline, dialer: d, connector: c, generation: generation,
		statements: map[statementKey]*list.Element{}, recent: list.New(), opened: map[string]bool{},
	}, nil
}

// connect opens a connection and makes the settings of the configuration. It makes
// them with a statement: PgBouncer refuses them as parameters of the start.
func connect(ctx context.Context, config pq.Config, d *dialer) (driver.Conn, error) {
	settings := config.Runtime
	config.Runtime = nil
	base, err := pq.NewConnectorConfig(config)
	if err != nil {
		return nil, err
	}
	base.Dialer(d)
	settled := func() bool { return true }
	d.opened = func(socket net.Conn) { // lib/pq waits for the server's first reply whatever the context
		settled = context.AfterFunc(ctx, func() { _ = socket.Close() })
	}
	c, err := base.Connect(ctx)
	settled()
	if err != nil {
		return nil, err
	}
	d.connected = true
	ctx, cancel := context.WithTimeout(ctx, config.ConnectTimeout) // PgBouncer may wait for a connection of the server
	defer cancel()
	if _, err := c.(driver.ExecerContext).ExecContext(ctx, set(settings), nil); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("make the settings of the connection: %w", err)
	}
	return c, nil
}

// set returns the statement that makes the settings of a session.
func set(settings map[string]string) string {
	calls := make([]string, 0, len(settings))
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		calls = append(calls, "set_config("+pq.QuoteLiteral(name)+", "+pq.QuoteLiteral(settings[name])+", false)")
	}
	return "SELECT " + strings.Join(calls, ", ")
}

// dialer opens the socket of a connection and keeps it, so that conn can set a
// deadline on it.
type dialer struct {
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	plain     bool // the connection does not use TLS
	opened    func(net.Conn)
	last      net.Conn
	pipeline  *pipeline // wraps last if it is plain
	connected bool      // later sockets are for cancel requests

	network, address string // of the last socket
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialTimeout(network, address, cancelGrace)
}

func (d *dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout) //nolint:forbidigo // lib/pq's interface has no context here
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !d.connected {
		c, err := d.dial(ctx, network, address)
		if err == nil {
			d.opened(c)
			d.network, d.address = network, address
		}
		if d.last = c; err != nil || !d.plain {
			return c, err
		}
		d.pipeline = newPipeline(c)
		return d.pipeline, nil
	}
	return d.another(ctx, network, address)
}

// another opens a socket for a cancel request. The server closes it in reply. It does not if the network is down.
func (d *dialer) another(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cancelGrace)
	defer cancel()
	c, err := d.dial(ctx, network, address)
	if err == nil {
		err = c.SetDeadline(time.Now().Add(cancelGrace))
	}
	return c, err
}

// cancelRequest is the code of a message that asks to cancel.
const cancelRequest = 80877102

// cancel asks the server to cancel the statement that runs on the connection with the key, which is its process
// and a secret. The request may come too late, so the connection must not be used again.
func (d *dialer) cancel(ctx context.Context, key *string) {
	if key == nil {
		return
	}
	c, err := d.another(ctx, d.network, d.address)
	if err != nil {
		return
	}
	defer c.Close()                                              //nolint:errcheck // it has done its work
	m := binary.BigEndian.AppendUint32(nil, uint32(8+len(*key))) //nolint:gosec // G115: a key is short
	m = append(binary.BigEndian.AppendUint32(m, cancelRequest), *key...)
	if _, err := c.Write(m); err == nil {
		_, _ = io.Copy(io.Discard, c) // until the server has the request
	}
}
