// Package intake reads the bodies of requests, field by field as they were
// written, and lists their faults.
//
// A request has the texts of a body and the faults of its form. Nil is a value
// that was left out or null. Its methods return values of package billing with
// every fault at once. Business rules are in billing; intake has the form.
package intake
