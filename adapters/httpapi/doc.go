// Package httpapi is the HTTP API. It translates requests into calls of the
// use cases, and their results into replies.
//
// routes.go lists every operation. What all operations share is done in one
// place each, in the order of a request. The guard checks the header section
// before a byte of the body is read (guard.go). The exchange makes the checks
// that come before an operation (exchange.go). Errors become replies
// (errors.go). Images arrive as forms, which are streamed into unnamed files
// (uploads.go, multipart.go). They leave as streams that outlive their exchange
// (stream.go), and so do changes, as server-sent events (changes.go).
//
// openapi.yaml is the contract. Tests compare it with the routes and validate
// every exchange against it.
package httpapi
