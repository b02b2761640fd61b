// Package advice says what payers want to see with a claim, and what a claim lacks of it. Advice
// stops no claim: the rules that do are in package claim.
package advice
