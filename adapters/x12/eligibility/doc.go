// Package eligibility is the codec of the health care eligibility inquiry (270)
// and its response (271), implementation guide 005010X279A1, in both
// directions: a clearinghouse's client writes 270s and reads 271s, a payer does
// the reverse.
//
//	request := eligibility.EncodeInquiry(&inquiry) // *Inquiry -> []byte
//	inquiry, err := eligibility.DecodeInquiry(request) // []byte -> *Inquiry
//	bytes := eligibility.Encode(&reply) // *Reply -> []byte
//	reply, err := eligibility.Decode(bytes) // []byte -> *Reply
//
// An error of a decoder is an *x12.Error.
//
// Decoding is lenient, because what payers send is: 4010 versions, replies
// without BHT or HL, levels in any numbering, wrong counts, rejections in every
// loop. What is kept is kept as sent; judging it is the caller's. Encoding
// writes upper-case ASCII without delimiters (see x12.Text).
package eligibility
