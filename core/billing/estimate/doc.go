// Package estimate computes what a patient will pay, from the answer of a completed check.
// It is pure: no clock, no store, no network.
//
// A value that the payer did not return is a range of values, and so is each result. The
// two ends of a result are scenarios: each has definite values, and its parts add up to
// the fee. Every rule is monotone in each value that may be missing, so trying both ends
// of each value finds both ends of the result. What is left of a maximum or a deductible
// is a range as well, which follows the lines in their order.
//
//	plan.go        what the answer of a check says
//	category.go    the category of a procedure
//	pots.go        deductibles and maximums, and what is left of them
//	claimed.go     what claims use that the check cannot know of
//	periods.go     the benefit period of a service date
//	terms.go       the terms of one line under one plan
//	conditions.go  what strikes a line, and what may
//	repeats.go     lines that have the service of an earlier one
//	benefit.go     deductible, copayment, percent, maximum of one line
//	coordinate.go  the second plan
//	compute.go     the lines of an estimate in their order
//	total.go       the ends of the total
//	words.go       the steps in words
//	second.go      those of the second plan
//	record.go      an estimate that is kept, and where its amounts come from
//
// See ADR 130.
package estimate
