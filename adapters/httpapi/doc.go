// Package httpapi is the HTTP API. It translates requests into calls of the
// use cases, and their results into replies.
//
// routes.go lists every operation. What all operations share is done in one
// place each, in the order of a request. The server below judges the header
// section before a byte of the body is read, and reads the body (httpserver). The
// exchange makes the checks that come before an operation (exchange.go). Errors
// become replies (errors.go). Images arrive as forms, whose file is an unnamed one
// (uploads.go). They leave as streams that outlive their exchange (stream.go), and
// so do changes, as server-sent events (changes.go).
//
// openapi.yaml is the contract. Tests compare it with the routes and validate
// every exchange against it.
package httpapi
