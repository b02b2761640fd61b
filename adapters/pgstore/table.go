package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// field is a column, and the field of a value that it stores.
type field struct {
	column string
	at     any // a pointer, or a column type: Scan sets it and valueOf reads it
}

// scoped returns the columns that the rows of an organization have, with those of the
// rest.
func scoped(id any, in *billing.Scope, rest []field) []field {
	return slices.Concat([]field{{"id", id}, {"org_id", &in.Org}, {"mode", &in.Mode}}, rest)
}

// given is a column that only the database writes.
type given struct{ to any }

// writable returns the fields without the given ones.
func writable(fields []field) []field {
	return slices.DeleteFunc(fields, func(f field) bool {
		_, is := f.at.(given)
		return is
	})
}

// table is how values are stored, each in a row. The first field is the ID. A field that
// is added is read and written.
type table[V any] struct {
	name, what string // what names a value in messages
	fields     func(*V) []field
	fixed      int // save does not write the first fields

	columns      string
	selecting    string // without a condition
	into, params string // for INSERT
	inserting    string
}

// newTable returns a table. Save writes its columns from saved on. Insert also writes the
// columns in extra, which hold no field.
func newTable[V any](name, what string, fields func(*V) []field, saved string, extra ...string) *table[V] {
	all := fields(new(V))
	t := &table[V]{name: name, what: what, fields: fields, columns: columnsOf(all)}
	t.selecting = "SELECT " + t.columns + "\nFROM " + name + "\n"
	all = writable(all)
	for t.fixed < len(all) && all[t.fixed].column != saved {
		t.fixed++
	}
	t.into = "\nINSERT INTO " + name + " (" + strings.Join(append([]string{columnsOf(all)}, extra...), ", ") + ")"
	t.params = parameters(len(all) + len(extra))
	t.inserting = t.into + "\nVALUES (" + t.params + ")"
	return t
}

func columnsOf(fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.column
	}
	return strings.Join(names, ", ")
}

// qualified returns columns of the table, or of its alias.
func qualified(by, columns string) string {
	return by + "." + strings.ReplaceAll(columns, ", ", ", "+by+".")
}

// targets returns what Scan reads the columns into.
func targets(fields []field) []any {
	to := make([]any, len(fields))
	for i, f := range fields {
		to[i] = f.at
		if g, ok := f.at.(given); ok {
			to[i] = g.to
		}
	}
	return to
}

// valueOf returns a copy of the field that at points to. Later changes of the field
// do not affect a queued row.
func valueOf(at any) (any, error) {
	if v, ok := at.(driver.Valuer); ok {
		return v.Value()
	}
	return reflect.ValueOf(at).Elem().Interface(), nil
}

// rowOf returns columns as a row to write.
func rowOf(fields []field) (row, error) {
	out := make(row, len(fields))
	for _, f := range fields {
		v, err := valueOf(f.at)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.column, err)
		}
		out[f.column] = v
	}
	return out, nil
}

// values returns the ID of a value, and the arguments of inserting. A row belongs to the
// organization and the mode of its transaction, if that has them.
func (t *table[V]) values(in *tx, v *V, extra ...any) (id driver.Valuer, args []any, err error) {
	fields := writable(t.fields(v))
	args = make([]any, len(fields), len(fields)+len(extra))
	for i, f := range fields {
		switch {
		case f.column == "org_id" && !in.scope.Org.IsZero():
			args[i] = in.scope.Org
		case f.column == "mode" && in.scope.Mode != "":
			args[i] = in.scope.Mode
		default:
			if args[i], err = valueOf(f.at); err != nil {
				return nil, nil, fmt.Errorf("column %s of %s: %w", f.column, t.name, err)
			}
		}
	}
	return idOf(fields), append(args, extra...), nil
}

func idOf(fields []field) driver.Valuer {
	return reflect.ValueOf(fields[0].at).Elem().Interface().(driver.Valuer)
}

// insert queues the row of a new value. Extra are the values of the extra columns.
func (t *table[V]) insert(ctx context.Context, in *tx, v *V, extra ...any) error {
	id, args, err := t.values(in, v, extra...)
	if err != nil {
		return err
	}
	in.evidence = rowEvidence(t.name, id)
	return in.later(ctx, id, t.inserting, args...)
}

// insertUnless inserts the row of a new value at once, unless there is the conflict.
func (t *table[V]) insertUnless(ctx context.Context, in *tx, v *V, conflict string, extra ...any) (bool, error) {
	id, args, err := t.values(in, v, extra...)
	if err != nil {
		return false, err
	}
	n, err := in.do(ctx, "insert "+t.what, t.inserting+"\n"+conflict, args...)
	if n == 1 {
		in.evidence = rowEvidence(t.name, id)
	}
	return n == 1, err
}

// save queues the fields of a value that can change. Also are other columns to set, such
// as "number = %".
func (t *table[V]) save(ctx context.Context, in *tx, v *V, also ...field) error {
	id, args, err := t.values(in, v)
	if err != nil {
		return err
	}
	q, set := &query{}, "\nUPDATE "+t.name+"\nSET "
	for i, f := range writable(t.fields(v))[t.fixed:] {
		q.add(set+f.column+" = %", args[t.fixed+i])
		set = ", "
	}
	for _, f := range also {
		q.add(", "+f.column, f.at)
	}
	q.add("\nWHERE org_id = % AND mode = % AND id = %", in.scope.Org, in.scope.Mode, id)
	return in.later(ctx, id, q.built.String(), q.args...)
}

// of builds a SELECT of the rows of the transaction's scope.
func (t *table[V]) of(in *tx) *query { return in.query(t.columns, t.name) }

// get reads a value of the transaction's scope.
func (t *table[V]) get(ctx context.Context, in *tx, id driver.Valuer, end string) (*V, error) {
	q := t.of(in)
	q.where("id = %", id)
	return t.one(ctx, in, q.text(end), q.args...)
}

// one reads the value that a statement selects. It returns CodeNotFound if there is no
// row.
func (t *table[V]) one(ctx context.Context, in *tx, text string, args ...any) (*V, error) {
	all, err := t.many(ctx, in, "get "+t.what, text, args...)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, billing.NotFound(t.what, "")
	}
	return all[0], nil
}

// page reads a page of a list in order of time and ID, newest first. It reads one row
// more than the page has.
func (t *table[V]) page(ctx context.Context, in *tx, q *query, p billing.Page) ([]*V, error) {
	text := q.page(p)
	return t.many(ctx, in, "list "+t.name, text, q.args...)
}

// many reads the values that a statement selects. What says in errors what it does.
func (t *table[V]) many(ctx context.Context, in *tx, what, text string, args ...any) ([]*V, error) {
	return read(ctx, in, what, t.fields, text, args...)
}

// read reads rows with the columns of the fields. All rows are read through one value,
// so that only the first costs more than its copy.
func read[V any](ctx context.Context, in *tx, what string, fields func(*V) []field, text string, args ...any) ([]*V, error) {
	var v V
	all := []*V{}
	err := in.each(ctx, what, targets(fields(&v)), func() {
		all = append(all, new(v))
		v = *new(V)
	}, text, args...)
	return all, err
}

// columnOf reads the only column of rows.
func columnOf[V any](ctx context.Context, in *tx, what, text string, args ...any) (all []V, err error) {
	var v V
	err = in.each(ctx, what, []any{&v}, func() {
		all = append(all, v)
		v = *new(V)
	}, text, args...)
	return all, err
}

// each reads rows into the targets, and calls use after each.
func (t *tx) each(ctx context.Context, what string, to []any, use func(), text string, args ...any) error {
	err := t.scan(ctx, func(row *sql.Rows) error {
		if err := row.Scan(to...); err != nil {
			return err
		}
		use()
		return nil
	}, text, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

//nolint:gochecknoglobals // constants, built from the columns
var (
	officeTable     = newTable("offices", "office", officeFields, "name")
	providerTable   = newTable("providers", "provider", providerFields, "first_name")
	patientTable    = newTable("patients", "patient", patientFields, "")
	attachmentTable = newTable("attachments", "attachment", attachmentFields, "state")
	documentTable   = newTable("documents", "document", documentFields, "")
	uploadTable     = newTable("uploads", "upload", uploadFields, "")
	checkTable      = newTable("eligibility_checks", "check", checkFields, "", "digest")
	eraTable        = newTable("eras", "remittance", eraFields, "state",
		"stated_payer", "payment_date", "trace_number", "needs_attention", "identity", "content")
	remittanceClaimTable = newTable("era_claims", "remittance claim", remittanceClaimFields, "")
	batchTable           = newTable("batches", "batch", batchFields, "state", "number", "content")
	payerRequestTable    = newTable("payer_requests", "payer request", payerRequestFields, "state")
	taskTable            = newTable("tasks", "task", taskFields, "assignee")
	statusTable          = newTable("status_inquiries", "status inquiry", statusFields, "state")
	statusPolicyTable    = newTable("status_policies", "status policy", statusPolicyFields, "payer_code", "waits")
	appealTable          = newTable("appeals", "appeal", appealFields, "state")
	payerLimitTable      = newTable("payer_limits", "payer with limits", payerLimitFields, "payer_code")
	noteTable            = newTable("notes", "note", noteFields, "struck_at", ownColumns()...)
	depositTable         = newTable("deposits", "deposit", depositFields, "method")
	enrollmentTable      = newTable("enrollments", "enrollment", enrollmentFields, "")
	feeScheduleTable     = newTable("fee_schedules", "fee schedule", feeScheduleFields, "")
	attachmentRuleTable  = newTable("attachment_rules", "attachment rule", attachmentRuleFields, "payer_id")
	estimateTable        = newTable("estimates", "estimate", estimateFields, "")
	checkBatchTable      = newTable("check_batches", "batch of checks", checkBatchFields, "not_after")
	checkItemTable       = newTable("check_batch_items", "item", checkItemFields, "")
	connectionTable      = newTable("connections", "connection", sealedConnectionFields, "")
	ownConnectionTable   = newTable("connections", "connection", connectionFields, "")
	endpointTable        = newTable("webhook_endpoints", "webhook endpoint", endpointFields, "url", "secret")
	deliveryTable        = newTable("webhook_deliveries", "webhook delivery", deliveryFields, "")
	eventTable           = newTable("events", "event", eventFields, "")
	userTable            = newTable("users", "user", userFields, "")
	accountTable         = newTable("users", "user", accountFields, "")
	sessionTable         = newTable("sessions", "session", sessionFields, "", "digest")
	linkTable            = newTable("sign_in_links", "sign-in link", linkFields, "", "digest")
	keyTable             = newTable("api_keys", "key", keyFields, "", "digest")
	orgTable             = newTable("organizations", "organization", orgFields, "")
	requestTable         = newTable("requests", "request", requestFields, "")
	auditTable           = newTable("audit_entries", "audit entry", auditFields, "")
	quarantineTable      = newTable("quarantine", "file", quarantineFields, "", "digest", "content")
	receivedTable        = newTable("received_files", "file", receivedFields, "")

	batchColumns, keyColumns    = batchTable.columns, keyTable.columns
	patientColumns, userColumns = patientTable.columns, userTable.columns
)

// values converts rows to the domain's values.
func values[Row, Value any](rows []Row, value func(Row) (Value, error)) ([]Value, error) {
	out := make([]Value, 0, len(rows))
	for _, r := range rows {
		v, err := value(r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
