// Package acknowledgements reads and writes what a clearinghouse or payer sends
// back for a file of claims before it pays.
//
// Functional says whether a file could be read: the implementation
// acknowledgment (999, 005010X231A1), the functional acknowledgment (997) and
// the interchange acknowledgment (TA1).
//
//	f, warnings, err := acknowledgements.DecodeFunctional(file) // io.Reader -> *Functional
//	verdict, why := f.About(acknowledgements.Sent{Interchange: 907, Group: 31, Set: "0007"})
//	bytes := acknowledgements.EncodeFunctional(f) // *Functional -> []byte
//
// Report is the status of claims (277): the claim acknowledgment (277CA,
// 005010X214), the request for additional information (005010X213), and the
// response to a status inquiry (005010X212).
//
//	reports, warnings, err := acknowledgements.DecodeReports(file) // io.Reader -> []Report
//	bytes := acknowledgements.EncodeReport(&report) // *Report -> []byte
//
// A decoder returns an *x12.Error, or the error of its reader. Decoding accepts
// the faults that real senders make. Codes are kept as sent; the words for them
// are our own.
package acknowledgements
