// Package edi translates between billing values and EDI messages, on top of the
// codecs of adapters/x12. The codecs know the syntax; this package knows what
// payers mean by it.
//
// An eligibility check is written as a 270 (Inquiry). Answer reads the 271s as
// benefits or as a rejection, by these rules:
//
//   - A reply with benefits of the patient is an answer, whatever else it
//     rejects. Without benefits, its AAA segments decide: rejection.go and the
//     table in reasons.go.
//   - Each EB is read once into a row (row.go): its patient and subject, its
//     network, money, share and quantity.
//   - When rows of several networks differ, in network comes before any network,
//     then no network stated, then out of network. The others go to the notes.
//   - A field without a segment stays empty, and NotReturned names it
//     (missing.go).
//   - A payer's message (MSG) goes to one place: a plan rule, the notes of a
//     category, the note of a procedure, else PayerNotes.
//
// Payers differ in their phrases and codes. A new one goes where the others of
// its kind are:
//
//   - rules.go: phrases of plan rules. procedures.go: downgrades and the next
//     date. frequency.go: "per tooth" and the like, HSD, EB09, EB06 of limits.
//     plan.go: the benefit period, EB04. A phrase is only searched in messages
//     that contain its stem.
//   - row.go: EB03, EB12, BENEFITCLASS and names of networks. amounts.go: EB02,
//     EB05 and EB06 of money. dates.go: DTP. reasons.go: AAA03.
//
// Every value comes from the reply. Only two things are computed, as the
// interface promises: the third of amount, used and remaining, and the next day
// on which a service is covered.
//
// Claims are written as an 837D (File). What comes back is an acknowledgement or
// a remittance (Kind):
//
//   - Acknowledgement reads verdicts on files (997, 999, TA1) and reports on
//     claims (277CA, 277): the side that reports, the meaning of the claim status
//     category, and what a payer requests. A rejected level is a report on all
//     claims of a batch. A claim without an identifier is skipped.
//   - Payments reads a whole 835 and balances each line, claim and payment.
//     Claims reads one payment again, claim by claim.
//
// A file is read whole or refused with a position. Control numbers are padded to
// nine digits, as ours are.
package edi
