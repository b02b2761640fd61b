// Package quarantine is the files, and payments of files, that wait for a person: their
// payee is uncertain, or they cannot be read.
package quarantine
