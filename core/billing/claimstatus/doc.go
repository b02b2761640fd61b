// Package claimstatus is what payers answer when they are asked about a claim that was sent: the
// inquiry, which of the payer's claims is ours, and what the answer does to the claim.
//
// The codes are those of the response (277, implementation guide 005010X212). Only a
// rejection of a claim that is surely ours moves its state, as that of an acknowledgement
// (277CA) does. Everything else is shown: payers answer early inquiries with "not found" when
// a claim is merely not loaded, and a payment that they announce has not come.
package claimstatus
