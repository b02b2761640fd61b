// Package billing is the domain model of Molar: the nouns of dental insurance
// billing and the rules that hold for them.
//
// Values are plain: fields are exported, there are no struct tags, no storage
// and no network. A rule that needs only values lives here as a method or a
// table; what needs a clock, a store or a payer is a use case in one of the
// sibling packages of core. Time is always a parameter.
package billing
