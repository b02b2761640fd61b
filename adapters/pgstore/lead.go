package pgstore

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"
)

// The first statement of a transaction goes to the server in one message with
// BEGIN, the role and the scope: a round trip less for each transaction, of
// three for a read. lib/pq sends several statements at once only without
// arguments, so the statement is prepared under a name and executed with
// literals.

// queryFirst begins the transaction with a query.
func (c *conn) queryFirst(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	name, known := c.leads[query]
	if !known && len(c.leads) >= maxStatements {
		if err := c.begin(ctx); err != nil {
			return nil, err
		}
		return c.QueryContext(ctx, query, args)
	}
	var text strings.Builder
	text.WriteString(c.pending)
	if !known {
		c.prepares++
		name = "lead_" + strconv.Itoa(c.prepares)
		text.WriteString("; PREPARE " + name + " AS " + query)
	}
	text.WriteString("; EXECUTE " + name)
	for i, a := range args {
		literal, err := literalOf(a.Value)
		if err != nil {
			return nil, err
		}
		text.WriteString(map[bool]string{true: "(", false: ", "}[i == 0] + literal)
	}
	if len(args) > 0 {
		text.WriteString(")")
	}
	c.pending = ""
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, text.String(), nil)
	if err == nil {
		c.leads[query] = name
	}
	return rows, c.judgeFirst(ctx, err)
}

// begin begins the transaction alone.
func (c *conn) begin(ctx context.Context) error {
	text := c.pending
	c.pending = ""
	_, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, text, nil)
	return c.judgeFirst(ctx, err)
}

// judgeFirst is judge for a message that begins a transaction. When the server
// is gone, all connections of the pool are: they were lost with it.
func (c *conn) judgeFirst(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil && isNetwork(err) {
		c.connector.generation.Add(1)
	}
	return c.judge(ctx, err)
}

// literalOf writes an argument into a statement. The statement is prepared, so
// its parameters have types, to which the literal is converted.
func literalOf(v driver.Value) (string, error) {
	switch v := v.(type) {
	case nil:
		return "NULL", nil
	case int64:
		return "'" + strconv.FormatInt(v, 10) + "'", nil
	case float64:
		return "'" + strconv.FormatFloat(v, 'g', -1, 64) + "'", nil
	case bool:
		return strconv.FormatBool(v), nil
	case []byte:
		return `'\x` + hex.EncodeToString(v) + "'", nil
	case string:
		return pq.QuoteLiteral(v), nil
	case time.Time:
		return "'" + string(pq.FormatTimestamp(v)) + "'", nil
	default:
		return "", fmt.Errorf("argument of type %T", v)
	}
}
