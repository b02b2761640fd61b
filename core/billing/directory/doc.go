// Package directory is who bills and who pays: offices, providers, patients and payers, and
// the state of an office's enrollment with a payer.
package directory
