// Package pgstore stores the service's data in PostgreSQL. It is the only
// adapter of ports.Store.
//
// Every statement runs in a transaction that the Store begins. The connection
// sends BEGIN with the role and the scope in one message (conn.go). Each
// statement is prepared once per connection. Writes whose results are not
// needed are sent together (tx.go). A transaction therefore costs one round
// trip to begin, one for each read, one for the remaining writes, and one to
// commit. When the reply to COMMIT is lost, the Store asks the server for the
// state of the transaction and for a row that it wrote (store.go).
//
// There is one file for each repository. It has a table of the columns of what it
// stores, from which come the lists of columns, reading, INSERT and a plain UPDATE
// (table.go). All other SQL is written out.
package pgstore
