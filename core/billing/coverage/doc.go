// Package coverage is what a payer says of a patient's plan: the eligibility check, and the
// benefits that it returns. Their JSON is written here once, when the check is completed,
// and kept.
package coverage
