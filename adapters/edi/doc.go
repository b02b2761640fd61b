// Package edi turns billing values into the bytes of EDI messages and back, on
// top of the codecs of adapters/x12. It holds what payers mean by what they
// send; how they send it is the codecs' business.
//
// An eligibility check becomes a 270 (Inquiry). The 271s that come back become
// either benefits or a rejection (Answer), by these rules:
//
//   - A reply with benefits of the patient is an answer, whatever it rejects
//     besides. A reply without is judged by its AAA segments: rejection.go and
//     the table in reasons.go.
//   - Each EB is read once into a row (row.go): whom and what it is about,
//     which network it holds for, its money, share and quantity.
//   - Where rows for several networks say the same thing differently, in
//     network goes before any network, that before no word of networks, and
//     that before out of network; what the others say stands in the notes.
//   - What no segment says is empty and named in NotReturned (missing.go).
//   - Words of a payer (MSG) go to the one place that they belong to: a plan
//     rule, the notes of a category, the note of a procedure, else PayerNotes.
//
// Every value has its source in the reply; the only sums are those that the
// interface promises: the third of amount, used and remaining, and the day on
// which a service is paid for again.
//
// Claims become an 837D (File). What comes back for them is an acknowledgement
// or a remittance (Kind):
//
//   - Acknowledgement gives verdicts on files (997, 999, TA1) and reports on
//     claims (277CA, 277): who says so, what it means (the categories of the
//     claim status), and what a payer wants to know. A rejected level is a report
//     on all claims of a batch; a claim that nothing identifies is none.
//   - Payments reads an 835 whole and weighs it: each line, each claim and each
//     payment. Claims reads one payment again, claim by claim.
//
// A file is taken whole or refused with a position. Numbers that files are known
// by are padded to nine digits, as ours are.
package edi
