// Package eligibility reads and writes the health care eligibility inquiry (270)
// and its response (271), implementation guide 005010X279A1. A provider writes
// 270s and reads 271s; a payer does the reverse.
//
//	request := eligibility.EncodeInquiry(&inquiry) // *Inquiry -> []byte
//	inquiry, err := eligibility.DecodeInquiry(request) // []byte -> *Inquiry
//	bytes := eligibility.Encode(&reply) // *Reply -> []byte
//	reply, err := eligibility.Decode(bytes) // []byte -> *Reply
//
// The error of a decoder is an *x12.Error.
//
// Decoding accepts what payers send: 4010 versions, replies without BHT or HL,
// levels in any numbering, wrong counts, rejections in every loop. Values are
// kept as sent; the caller interprets them. Encoding writes upper-case ASCII
// without delimiters (see x12.Text).
package eligibility
