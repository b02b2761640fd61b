// Package httpapi is the HTTP API: it turns requests into calls of the use
// cases, and what they answer into replies.
//
// routes.go lists every operation. What holds for all of them is done in one
// place each, in the order in which a request meets it: the guard judges the
// header section before a byte of the body is read (guard.go), the exchange
// does the checks that come before an operation (exchange.go), and errors
// become replies (errors.go). Images come as forms that are read as streams,
// into files without a name (uploads.go, multipart.go), and leave as streams
// that outlive their exchange (stream.go).
//
// openapi.yaml is the contract; tests compare it with the routes and validate
// every exchange against it.
package httpapi
