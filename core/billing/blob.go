package billing

import "strings"

// maxBlobName is the longest name of a blob: what every file system takes as
// one file's name, and S3 four times.
const maxBlobName = 255

// ValidBlobName reports whether a blob may have the name: letters, digits,
// '_', '-' and '.', in parts between single slashes of which none is "." or
// "..". So a name is the same thing in a folder, in a URL and in a bucket.
// Names are ours, so a wrong one is a fault of the service.
func ValidBlobName(name string) bool {
	if len(name) > maxBlobName {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsFunc(part, notInBlobName) {
			return false
		}
	}
	return true
}

// ValidBlobPrefix reports whether blobs may have names that begin so.
func ValidBlobPrefix(prefix string) bool { return ValidBlobName(prefix + "x") }

func notInBlobName(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
}
