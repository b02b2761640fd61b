// Package claims is the codec of the dental health care claim (837D),
// implementation guide 005010X224A2, in both directions: a clearinghouse's
// client writes batches of claims, a clearinghouse or a payer reads them.
//
//	err := claims.Encode(file, &batch) // *Batch -> io.Writer
//	batches, warnings, err := claims.Decode(file) // io.Reader -> []Batch
//
// Encode writes one claim at a time in bounded memory, in upper-case ASCII without
// delimiters (see x12.Text). It does not validate claims. The caller makes sure
// that a claim has the data that its payer needs.
//
// A claim to a second payer states what the first one decided: once for the claim
// (OtherPayer), and for each line (Adjudication). Its segments stand in the guide's
// order.
//
// Decode accepts the files of real senders, including version 4010. It ignores data
// that has no field: assistant surgeons, contracts, diagnoses of ICD-9. A field that
// the file does not state is zero. Decode fails with an *x12.Error if the file is not
// a valid file of dental claims. Examples are a claim outside a patient, lines of
// medical claims, and malformed amounts or dates.
package claims
