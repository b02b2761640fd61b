// Package acknowledgements reads and writes the replies of a clearinghouse or payer
// to a file of claims, except the payment.
//
// Functional reports whether a file could be read: the implementation
// acknowledgment (999, 005010X231A1), the functional acknowledgment (997) and
// the interchange acknowledgment (TA1).
//
//	f, warnings, err := acknowledgements.DecodeFunctional(file) // io.Reader -> *Functional
//	verdict, why := f.Groups[0].Set("0007")
//	bytes := acknowledgements.EncodeFunctional(f) // *Functional -> []byte
//
// Report is the status of claims (277): the claim acknowledgment (277CA,
// 005010X214), the request for additional information (005010X213), and the
// response to a status inquiry (005010X212).
//
//	reports, warnings, err := acknowledgements.DecodeReports(file) // io.Reader -> []Report
//	bytes := acknowledgements.EncodeReport(&report) // *Report -> []byte
//
// The error of a decoder is an *x12.Error, or the reader's. Decoders tolerate the
// faults of real senders. They keep codes as sent. The package describes the codes
// in its own words.
package acknowledgements
