package billing

import "strings"

// maxBlobName bounds the name of a blob. Every file system accepts a file name of
// that length, and S3 one four times as long.
const maxBlobName = 255

// ValidBlobName reports whether a blob may have the name. Its parts, between
// single slashes, have letters, digits, '_', '-' and '.', and none is "." or
// "..". A name then means the same in a folder, a URL and a bucket. The service
// itself makes the names, so an invalid name is a bug.
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

// ValidBlobPrefix reports whether names of blobs may begin with the prefix.
func ValidBlobPrefix(prefix string) bool { return ValidBlobName(prefix + "x") }

func notInBlobName(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
}
