// Package edi translates between billing values and EDI messages, on top of the
// codecs of adapters/x12. The codecs handle the syntax; this package interprets
// what payers mean by it.
//
// An eligibility check is written as a 270 (Inquiry). Answer reads the 271s as
// benefits or as a rejection, by these rules:
//
//   - A reply with benefits for the patient is a success, even if it also rejects
//     something. Without benefits, its AAA segments decide: see rejection.go and
//     the table in reasons.tsv.
//   - Each EB becomes one row (row.go) with its service, network, amount, share and
//     quantity.
//   - If rows for several networks differ, the best network is shown: in network,
//     then any network, then not stated, then out of network. Notes describe the
//     others.
//   - If the reply has no segment for a field, the field stays empty and
//     NotReturned lists it (missing.go).
//   - Each message of the payer (MSG) goes to one place: a plan rule, the notes of
//     a category, the note of a procedure, or else PayerNotes.
//
// Payers use different phrases and codes. Add a new one to the file for its kind:
//
//   - rules.go: phrases for plan rules. procedures.go: downgrades and the next
//     eligible date. frequency.go: scopes such as "per tooth", HSD, and EB06 and
//     EB09 of limits. plan.go: the benefit period and EB04. A pattern only runs on
//     messages that contain its stem.
//   - limits.go: phrases for ages and frequencies. words.go: the spellings of their
//     words. A word that may limit and is in no phrase leaves the status open, so
//     that no procedure is covered now by mistake; see ADR 73.
//   - row.go: EB03, EB12, EB13, BENEFITCLASS, names of classes and of networks.
//     amounts.go: EB02, EB05 and EB06 of amounts. dates.go: DTP. reasons.tsv: AAA03.
//
// For each fault that was once found in reading real replies, testdata/samples has a
// 271 and what a person read from it, with the segments.
//
// Every value comes from the reply, except two that the API contract allows the
// service to compute: the third of amount, used and remaining, and the next
// eligible date of a procedure.
//
// File writes claims as an 837D. The clearinghouse returns acknowledgements and
// remittances; Kind distinguishes them:
//
//   - Acknowledgement reads verdicts on files (997, 999, TA1) and reports on claims
//     (277CA, 277). A report has the reporting side, the outcome for the claim, and
//     any information that the payer requests. A rejected level rejects all claims
//     of a batch. Acknowledgement skips a claim without an identifier.
//   - Payments reads a whole 835 and checks that each line, claim and payment
//     balances. Claims reads one payment again, claim by claim.
//
// Each file is read whole or refused with an error that gives the position. Control
// numbers are padded to nine digits, as in the files that Molar sends.
package edi
