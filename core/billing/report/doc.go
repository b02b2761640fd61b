// Package report has what the reports of a practice add up: the figures of each claim, the sums
// of them, and the lists of claims that a sum is of.
//
// A sum and its list are the same selection of the same figures, so they agree to the cent.
package report
