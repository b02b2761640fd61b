// Package event is what happened to a resource, as programs read it for years, and the
// kinds of changes that pages follow. The data of each type stands beside the noun that it
// is about.
package event
