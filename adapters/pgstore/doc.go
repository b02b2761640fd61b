// Package pgstore keeps the service's data in PostgreSQL. It is the one
// adapter of ports.Store.
//
// Every statement runs in a transaction that the Store opens: the connection
// sends BEGIN together with the role and the scope in one message (conn.go),
// each statement is prepared once for a connection, and writes whose results
// nobody needs travel together (tx.go). What a transaction costs is therefore
// one round trip to begin, one for each read, one for all the rest of the
// writes, and one to commit. A COMMIT whose answer is lost is resolved by
// asking the server what became of the transaction and of something that it
// wrote (store.go).
//
// The SQL is written out, one file for each repository.
package pgstore
