// Package statusrequest reads and writes the health care claim status request (276),
// implementation guide 005010X212. A provider writes 276s, and a payer reads them. The
// response (277 of the same guide) is a report of package acknowledgements.
//
//	request := statusrequest.Encode(&inquiry) // *Inquiry -> []byte
//	inquiry, err := statusrequest.Decode(request) // []byte -> *Inquiry
//	reports, warnings, err := statusrequest.DecodeResponse(reply) // []byte -> []acknowledgements.Report
//
// The error of a decoder is an *x12.Error. Values are kept as sent; the caller interprets
// them. Encoding writes upper-case ASCII without delimiters (see x12.Text).
package statusrequest
