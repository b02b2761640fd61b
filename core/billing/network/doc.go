// Package network is the domain's knowledge of networks of payers: the connections to
// them, the routes between practices and payers, the enrollments of offices, what is
// asked of a network, and the habits of networks in inquiries and files of claims.
//
// It knows claims, batches and inquiries, which networks carry; these know no network. It
// knows no transport: the settings and options of one belong to the adapter that speaks
// it, as a ports.ConnectionKind.
package network
