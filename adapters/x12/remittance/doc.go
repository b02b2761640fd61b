// Package remittance is the codec of the health care claim payment and advice
// (835), implementation guide 005010X221A1, in both directions: whoever was
// paid reads it, a payer writes it. A file may hold many payments, and a payment
// many thousand claims, so both stream.
//
//	d := remittance.NewDecoder(file)
//	for {
//		payment, err := d.Next() // io.EOF after the last one
//		...
//		for {
//			claim, err := d.NextClaim() // io.EOF after the payment's last one
//			...
//			if claim.Balanced() { // apply it
//			}
//		}
//		report := payment.Balance // whole now, as payment.Adjustments is
//	}
//
// While it reads, the decoder adds up each line, each claim and the payment, in
// cents (see Balance). An error is an *x12.Error, or that of the reader. Whoever
// must not act on half a file reads it to the end once before acting on it: a
// file may break off after claims that were read without a fault.
//
// Decoding is lenient, because what payers send is: 4010 versions, any
// delimiters, missing segments, codes in lower case, empty slots, wrong counts,
// something after the last trailer. Values are kept as sent, except that codes
// become upper case; amounts are cents and dates days. What no type here has a
// field for (such as LX, TS2, TS3, QTY and bank accounts) is left out. Encoding writes
// upper-case ASCII without delimiters (see x12.Text). Extract cuts one payment
// out of a file without touching a byte of it.
package remittance
