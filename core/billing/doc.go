// Package billing is the domain model of Molar: the nouns of dental insurance
// billing and their rules.
//
// Fields are exported; there is no storage and no network. Dates and IDs
// convert themselves to SQL and JSON. The data of events and benefits is JSON
// that is written here once and kept. A rule that needs only values is a method
// or a table here. A use case, which needs a store or a payer, is in a sibling
// package of core. Package intake reads request bodies. Time is always a
// parameter.
package billing
