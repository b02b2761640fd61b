// Package claims is the codec of the dental health care claim (837D),
// implementation guide 005010X224A2, in both directions: a clearinghouse's
// client writes batches of claims, a clearinghouse or a payer reads them.
//
//	err := claims.Encode(file, &batch) // *Batch -> io.Writer
//	batches, warnings, err := claims.Decode(file) // io.Reader -> []Batch
//
// Encoding writes claim by claim in bounded memory, in upper-case ASCII without
// delimiters (see x12.Text). It judges nothing: that a claim has what a payer
// needs is for whoever makes it to see to.
//
// Decoding takes what real senders write, 4010 included, and leaves out what
// the values have no place for: other payers, service facilities, diagnoses. It
// refuses, with an *x12.Error that says where, what cannot be read as a dental
// claim: a claim outside a patient, lines of other kinds of claims, malformed
// amounts, dates and quantities.
package claims
