// Package remit is the remittance (835): a payment, the remittance claims that it pays, what
// does not add up, and how a correction relates to what it corrects. Package claim applies it.
package remit
