package pgstore

import "github.com/molar-billing/molar/core/billing/retention"

// tenantTable says what becomes of the rows of a table that belong to an organization.
type tenantTable struct {
	name      string
	reset     treatment // of the organization's test mode
	export    treatment // of the organization
	erasure   treatment // of a patient
	retention retention.Kind
	deletion  treatment // of the organization
}

// treatment is what an operation does with rows.
type treatment byte

const (
	keeps       treatment = iota + 1 // leaves them as they are, or out of an export
	removes                          // deletes them
	removesLast                      // deletes them after those that a reset removes
	blanks                           // removes what is about the patient, and keeps figures and control numbers
	writes                           // has them in an export
)

// The ages at which rows go, by real time.
const (
	withOwner retention.Kind = "owner"  // with what they are part of, or with the organization
	briefly   retention.Kind = "sweeps" // at an age that their own sweep has

	audited   = retention.Audit
	billed    = retention.Records
	exchanged = retention.Files
	delivered = retention.Deliveries
	logged    = retention.Requests
)

// deploymentTables are the tables without rows of organizations. Their few rows stay as long as
// the deployment; a turn goes with its holder.
func deploymentTables() []string {
	return []string{"audit_retention", "check_lanes", "data_rotations", "deletions", "encryption_key", "goose_db_version", "key_holders", "live_files", "origin", "restores", "schema_fit", "sweeps", "turns"}
}

// tenantTables has a row for each table with rows of organizations. The order is the one
// in which rows are removed: what names a row comes before it.
func tenantTables() []tenantTable {
	return []tenantTable{
		{"jobs", removes, keeps, keeps, withOwner, removesLast},
		{"webhook_deliveries", removes, keeps, keeps, delivered, removes},
		{"events", removes, writes, blanks, retention.Events, removes},
		{"event_numbers", removes, keeps, keeps, billed, removes}, // the last number outlives the events
		{"idempotency_keys", removes, keeps, removes, briefly, removesLast},
		{"tasks", removes, keeps, removes, withOwner, removes}, // they follow from what an export has
		{"notes", removes, writes, removes, withOwner, removes},
		{"deposits", removes, writes, keeps, billed, removes}, // the bank's words name no patient that an erasure could find
		{"deposit_accounts", removes, writes, keeps, withOwner, removes},
		{"era_claims", removes, writes, blanks, billed, removes},
		{"eras", removes, writes, keeps, billed, removes},
		{"payer_requests", removes, writes, blanks, billed, removes},
		{"documents", removes, writes, removes, billed, removes},
		{"uploads", removes, keeps, removes, briefly, removes},
		{"attachments", removes, writes, blanks, billed, removes},
		{"status_inquiries", removes, writes, blanks, withOwner, removes}, // with their claim
		{"appeals", removes, writes, removes, withOwner, removes},         // with their claim
		{"payer_limits", removes, writes, keeps, withOwner, removes},
		{"status_policies", removes, writes, keeps, withOwner, removes},
		{"batch_acknowledgements", removes, writes, keeps, billed, removes},
		{"acknowledgements", removes, writes, keeps, billed, removes},
		{"batches", removes, writes, keeps, billed, removes},
		{"claim_figures", removes, keeps, keeps, withOwner, removes}, // computed from the claims
		{"claims", removes, writes, blanks, billed, removes},
		{"claim_changes", removes, keeps, keeps, withOwner, removes}, // added up in claim_totals
		{"claim_totals", removes, keeps, keeps, withOwner, removes},  // computed from the claims
		{"eligibility_answers", removes, keeps, removes, briefly, removes},
		{"estimates", removes, writes, removes, briefly, removes},
		{"check_additions", removes, writes, removes, withOwner, removes}, // with their check
		{"check_batch_items", removes, writes, removes, withOwner, removes},
		{"check_batches", removes, writes, keeps, briefly, removes},
		{"check_members", removes, keeps, removes, billed, removes},
		{"eligibility_checks", removes, writes, removes, billed, removes},
		{"patient_words", removes, keeps, removes, billed, removes},
		{"patients", removes, writes, removes, billed, removes},
		{"enrollments", removes, writes, keeps, withOwner, removes},
		{"quarantine", removes, writes, keeps, exchanged, removes},
		{"sandbox_mail", removes, keeps, keeps, briefly, removes},
		{"sandbox_notes", removes, keeps, keeps, briefly, removes},
		{"sandbox_scenarios", removes, writes, keeps, withOwner, removes},
		{"sandbox_faults", removes, keeps, keeps, withOwner, removes},
		{"sandbox_clocks", keeps, keeps, keeps, withOwner, removes}, // its end removes the clock
		{"changes", keeps, keeps, keeps, briefly, removesLast},      // of open streams, for a minute
		{"watches", keeps, keeps, keeps, briefly, removesLast},
		{"received_parts", keeps, writes, keeps, exchanged, removesLast},
		{"received_files", keeps, writes, keeps, exchanged, removesLast}, // by these, a connection knows what it has fetched
		{"connections", keeps, writes, keeps, withOwner, removesLast},
		{"webhook_endpoints", keeps, writes, keeps, withOwner, removesLast},
		{"fee_schedule_rows", keeps, writes, keeps, withOwner, removesLast},
		{"fee_schedules", keeps, writes, keeps, withOwner, removesLast},
		{"automation", keeps, writes, keeps, withOwner, removesLast},
		{"attachment_rules", keeps, writes, keeps, withOwner, removesLast},
		{"import_mappings", keeps, writes, keeps, withOwner, removesLast},
		{"providers", keeps, writes, keeps, withOwner, removesLast},
		{"offices", keeps, writes, keeps, withOwner, removesLast},
		{"requests", keeps, writes, keeps, logged, removesLast},
		{"audit_resources", keeps, writes, keeps, audited, removesLast},
		{"audit_entries", keeps, writes, keeps, audited, removesLast},
		{"sign_in_links", keeps, keeps, keeps, briefly, removesLast},
		{"sessions", keeps, writes, keeps, briefly, removesLast},
		{"api_keys", keeps, writes, keeps, withOwner, removesLast}, // never their secrets
		{"disclosures", keeps, writes, keeps, audited, removesLast},
		{"erasures", keeps, writes, keeps, withOwner, removesLast}, // the record of what is gone
		{"retention", keeps, keeps, keeps, withOwner, removesLast}, // its own ages
		{"holds", keeps, writes, keeps, withOwner, removesLast},    // until they are released
		{"users", keeps, writes, keeps, withOwner, removesLast},
		{"data_keys", keeps, keeps, keeps, withOwner, removes}, // with the organization, by a trigger
		{"organizations", keeps, writes, keeps, withOwner, removes},
	}
}
