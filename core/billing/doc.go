// Package billing has the values that all nouns of dental insurance billing use: IDs, money,
// dates, scopes, pages of lists, errors with their codes, and delays. The nouns are in the
// packages below it, and core/doc.go draws their order.
//
// There is no storage and no network. Fields are exported. Dates and IDs convert themselves
// to SQL and JSON. A rule that needs only values is a method or a table of its noun. A use
// case, which needs a store or a payer, is in a sibling package of core. Package intake
// reads request bodies. Time is always a parameter.
package billing
