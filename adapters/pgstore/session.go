package pgstore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// role is the database role that a transaction has.
type role string

const (
	roleApp    role = "molar_app"    // the rows of one scope
	roleScopes role = "molar_scopes" // the rows of several scopes, in the tables that checks need
	roleSystem role = "molar_system" // the few tables that are used across scopes
)

// session is the role and the scopes of a transaction.
type session struct {
	role   role
	scope  billing.Scope   // for roleApp
	scopes []billing.Scope // for roleScopes
	clock  *clock          // set by the reply to begin
}

// sessionOf returns the session of a transaction of one scope or of several.
func sessionOf(scopes ...billing.Scope) session {
	scopes = slices.Clone(scopes)
	slices.SortFunc(scopes, func(a, b billing.Scope) int {
		return cmp.Or(bytes.Compare(a.Org[:], b.Org[:]), strings.Compare(string(a.Mode), string(b.Mode)))
	})
	scopes = slices.Compact(scopes)
	if len(scopes) == 1 {
		return session{role: roleApp, scope: scopes[0]}
	}
	return session{role: roleScopes, scopes: scopes}
}

// clock holds the times at the start of a transaction: the database's, and that of the
// business, which is the same unless the organization's sandbox clock was touched; and
// whether test mode is being reset, of one of the organizations.
type clock struct {
	now, business time.Time
	touched       map[billing.OrgID]time.Time // in a transaction of several scopes: the time of the business in test mode
	resetting     bool
	running       *running
}

// of returns the time of the business of a scope.
func (c *clock) of(scope billing.Scope) time.Time {
	if at, touched := c.touched[scope.Org]; touched && scope.Mode == billing.ModeTest {
		return at
	}
	return c.business
}

// set reads the times from the reply to begin, in microseconds: the database's, and that of
// the business, which is empty if it is the same. With several scopes there is one for each organization whose clock
// differs, behind its ID, all joined by commas.
func (c *clock) set(now, business string, sent, received time.Time) (err error) {
	if c.now, err = timeOf(now); err != nil {
		return err
	}
	c.running.set(c.now, sent, received)
	c.business, c.resetting = c.now, strings.Contains(business, resetting)
	business = strings.ReplaceAll(business, resetting, "")
	if !strings.Contains(business, " ") {
		if business != "" {
			c.business, err = timeOf(business)
		}
		return err
	}
	c.touched = map[billing.OrgID]time.Time{}
	for one := range strings.SplitSeq(business, ",") {
		id, at, _ := strings.Cut(one, " ")
		var org billing.OrgID
		if err := org.Scan(id); err != nil {
			return fmt.Errorf("begin: the reply has no organization: %w", err)
		}
		if c.touched[org], err = timeOf(at); err != nil {
			return err
		}
	}
	return nil
}

func timeOf(microseconds string) (time.Time, error) {
	us, err := strconv.ParseInt(microseconds, 10, 64)
	if err != nil {
		return time.Time{}, errors.New("begin: the reply has no time")
	}
	return time.UnixMicro(us).UTC(), nil
}

// opening is one of the statements that begin a transaction. The server prepares each
// once per connection.
type opening struct {
	name string // for the server
	text string
	args []string
}

// begin returns the statements that begin the transaction. The second statement sets
// the role and scope, and returns the time in microseconds since 1970. Setting the
// role as a parameter saves a third statement.
func (s session) begin(readOnly bool) ([]opening, error) {
	begin := opening{name: "begin_write", text: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"}
	if readOnly {
		begin = opening{name: "begin_read", text: "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"}
	}
	set := opening{
		name: "set_" + string(s.role),
		text: "SELECT (extract(epoch FROM now()) * 1000000)::bigint::text, set_config('role', $1, true)",
		args: []string{string(s.role)},
	}
	if s.role == roleSystem {
		return []opening{begin, set}, nil
	}
	scopes := s.scopes
	if len(scopes) == 0 {
		scopes = []billing.Scope{s.scope}
	}
	for _, one := range scopes {
		if one.Org.IsZero() || one.Mode != billing.ModeTest && one.Mode != billing.ModeLive {
			return nil, errors.New("begin: a transaction needs an organization and a mode")
		}
	}
	if s.role == roleScopes {
		return []opening{begin, s.setScopes(set)}, nil
	}
	set.text += ", set_config('molar.org', $2, true), set_config('molar.mode', $3, true)"
	set.args = append(set.args, s.scope.Org.UUID(), string(s.scope.Mode))
	if s.scope.Mode == billing.ModeTest {
		set.name, set.text = set.name+"_test", set.text+testTime
	}
	return []opening{begin, set}, nil
}

// scopesLockTimeout is how long a transaction of several scopes waits for a lock. Who holds up one scope does not hold up
// the others: the transaction fails, and the work of each scope is tried by itself.
const scopesLockTimeout = "100ms"

// setScopes adds the scopes to the statement that sets the role.
func (s session) setScopes(set opening) opening {
	names, tests := make([]string, len(s.scopes)), []string{}
	for i, one := range s.scopes {
		names[i] = one.Org.UUID() + string(one.Mode)
		if one.Mode == billing.ModeTest {
			tests = append(tests, one.Org.UUID())
		}
	}
	set.text += ", set_config('molar.scopes', $2, true), set_config('lock_timeout', '" + scopesLockTimeout + "', true)"
	set.args = append(set.args, strings.Join(names, ","))
	if len(tests) > 0 {
		set.name, set.text = set.name+"_test", set.text+testTimes
		set.args = append(set.args, "{"+strings.Join(tests, ",")+"}")
	}
	return set
}

// testTimes is testTime of several organizations.
const testTimes = ", (SELECT string_agg(c.org_id || ' ' || " + clockColumn + ", ',') FROM sandbox_clocks c WHERE c.org_id = ANY ($3::text::uuid[]))"

// testTime reads the organization's sandbox clock, in the statement that begins a
// transaction of test mode. Live mode never reads it. It comes after the settings that its
// row-level security needs, because the server evaluates the columns in order.
const testTime = ", (SELECT " + clockColumn + " FROM sandbox_clocks c WHERE c.org_id = $2::text::uuid)"

const clockColumn = "CASE WHEN c.reset_job IS NULL THEN '' ELSE '" + resetting + "' END || (extract(epoch FROM " + clockTime + ") * 1000000)::bigint"

// resetting stands before the time of an organization whose test mode is being reset.
const resetting = "resetting "

// businessColumn is the column of testTime, from 0.
const businessColumn = 4

// clockTime is the time of a row c of sandbox_clocks.
const clockTime = "coalesce(c.stands_at, now() + c.ahead)"

// literally returns the statement with its arguments in the text. The arguments are a
// role, UUIDs and modes, which need no escaping.
func (o opening) literally() string {
	text := o.text
	for i, a := range o.args {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i+1), "'"+a+"'")
	}
	return text
}
