// Package billing is the domain model of Molar: the nouns of dental insurance
// billing and the rules that hold for them.
//
// Fields are exported; there is no storage and no network. Dates and IDs know
// their form in SQL and in JSON, and the data of events and benefits is JSON that
// is made here once and kept. A rule that needs only values lives here as a
// method or a table; what needs a store or a payer is a use case in one of the
// sibling packages of core, and reading what a caller wrote is package intake.
// Time is always a parameter.
package billing
