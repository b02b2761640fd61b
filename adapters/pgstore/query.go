package pgstore

import (
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// query builds a SELECT with the filters that are set. Each % in a condition is a
// placeholder for the next argument.
type query struct {
	built strings.Builder
	args  []any
}

func (t *tx) query(columns, table string) *query {
	q := &query{}
	q.built.WriteString("SELECT " + columns + "\nFROM " + table)
	if t.several { // row-level security leaves out the others
		q.add("\nWHERE true")
	} else {
		q.add("\nWHERE org_id = % AND mode = %", t.scope.Org, t.scope.Mode)
	}
	return q
}

func (q *query) where(condition string, args ...any) { q.add("\n\tAND "+condition, args...) }

func (q *query) page(p billing.Page) string { return q.pageBy("created_at", p) }

func (q *query) pageBy(order string, p billing.Page) string {
	q.before(order, p)
	return q.text(turn(order, p)+"\nLIMIT %", p.Limit+1)
}

// turn returns the order of the rows on a page.
func turn(order string, p billing.Page) string {
	if p.Oldest {
		return "ORDER BY " + order + ", id"
	}
	return "ORDER BY " + order + " DESC, id DESC"
}

// before skips the rows of earlier pages.
func (q *query) before(order string, p billing.Page) {
	if p.After != nil {
		q.where("("+order+", id) "+beyond(p)+" (%, %)", micro(p.After.Time), billing.JobID(p.After.ID))
	}
}

// beyond compares a row with the last one of the page before.
func beyond(p billing.Page) string {
	if p.Oldest {
		return ">"
	}
	return "<"
}

func (q *query) text(end string, args ...any) string {
	q.add("\n"+end, args...)
	return q.built.String()
}

func (q *query) add(text string, args ...any) {
	for _, a := range args {
		head, tail, _ := strings.Cut(text, "%")
		q.args = append(q.args, a)
		q.built.WriteString(head + "$" + strconv.Itoa(len(q.args)))
		text = tail
	}
	q.built.WriteString(text)
}

// span restricts a column to times from one bound to before another. Zero bounds add no
// condition.
func (q *query) span(column string, from, to time.Time) {
	whereSet(q, column+" >= %", from.UTC())
	whereSet(q, column+" < %", to.UTC())
}

// whereSet adds a condition on a filter's value, unless the value is zero.
func whereSet[T comparable](q *query, condition string, value T) {
	if value != *new(T) {
		q.where(condition, value)
	}
}
