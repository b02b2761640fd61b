// Package remittance reads and writes the health care claim payment and advice
// (835), implementation guide 005010X221A1. A file may hold many payments, and a
// payment many thousand claims, so both are streamed.
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
//		report := payment.Balance // complete now, like payment.Adjustments
//	}
//
// The decoder checks that each line, each claim and the payment balance to the cent
// (see Balance). Its error is an *x12.Error, or the reader's. A file may be
// truncated after valid claims. A caller that must not post part of a file reads it
// to the end first.
//
// Decoding accepts what payers send: 4010 versions, any delimiters, missing
// segments, codes in lower case, empty slots, wrong counts, content after the
// last trailer. Values are kept as sent, except that codes become upper case;
// amounts are cents. Segments without a field here (LX, TS2, TS3, QTY, bank
// accounts) are dropped. Encoding writes upper-case ASCII without delimiters (see
// x12.Text). Extract copies one payment out of a file byte for byte.
package remittance
