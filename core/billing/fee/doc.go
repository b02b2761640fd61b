// Package fee has fee schedules: what an office charges for a procedure, and what a payer
// allows. It decides which row of which schedule counts on a day.
package fee
