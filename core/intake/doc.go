// Package intake reads what callers ask for: the bodies of requests, field by
// field as they were written, and what is wrong with them.
//
// A request has the texts of a body, in which nil is a value that was left out
// or null, and the faults that its form has already. Its methods return values
// of package billing with every fault at once. What a value must be for the
// business is a rule of billing; intake knows how callers write it.
package intake
