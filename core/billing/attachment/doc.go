// Package attachment is the images and narratives that payers want to see, the document
// types, and the requests of payers that they answer.
package attachment
