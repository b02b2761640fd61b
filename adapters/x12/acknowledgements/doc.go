// Package acknowledgements is the codec of what comes back for a file of claims
// before any payment, in both directions: a clearinghouse's client reads them,
// a clearinghouse or a payer writes them.
//
// Functional is whether a file could be read: the implementation acknowledgment
// (999, 005010X231A1), the functional acknowledgment (997) and the interchange
// acknowledgment (TA1).
//
//	f, warnings, err := acknowledgements.DecodeFunctional(file) // io.Reader -> *Functional
//	verdict, why := f.About(acknowledgements.Sent{Interchange: 907, Group: 31, Set: "0007"})
//	bytes := acknowledgements.EncodeFunctional(f) // *Functional -> []byte
//
// Report is where claims stand (277): the claim acknowledgment (277CA,
// 005010X214), the request for additional information (005010X213), and the
// answer to an inquiry (005010X212), which is read as well.
//
//	reports, warnings, err := acknowledgements.DecodeReports(file) // io.Reader -> []Report
//	bytes := acknowledgements.EncodeReport(&report) // *Report -> []byte
//
// An error of a decoder is an *x12.Error, or the reader's. Decoding is lenient
// with what real senders get wrong; codes are kept as sent, and words for them
// are our own.
package acknowledgements
