// Package intake reads the bodies of requests, field by field as they were
// written, and lists their faults.
//
// A request has the texts of a body and the faults of its form. Nil is a value
// that was left out or null. Its methods return values of the nouns with every
// fault at once. The rules of billing are with the nouns; intake has the form.
package intake
