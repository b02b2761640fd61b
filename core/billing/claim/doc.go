// Package claim is the claim from its draft to its reconciliation: what it contains, the
// rules that judge it, its states, and the ledger of what payers have decided about it.
//
// Read claim.go and states.go first. The rules are tables in *_rules.go. The ledger begins
// in ledger.go, and what a claim does after a decision is in settle.go.
package claim
