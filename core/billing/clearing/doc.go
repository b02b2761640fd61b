// Package clearing is what is exchanged with clearinghouses: batches of claims, the files
// that were received, and what acknowledgements say. It knows no claim, only its control
// number.
package clearing
