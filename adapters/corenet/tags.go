package corenet

import "bytes"

// maxTag is the most bytes of a tag. The decoder keeps all attributes of one in memory,
// at 35 times their size.
const maxTag = 16 << 10

// longestTag returns the length of the longest tag of a document. What it takes for a tag
// is one for the decoder too, or an error.
func longestTag(b []byte) (longest int) {
	for {
		begin := bytes.IndexByte(b, '<')
		if begin < 0 {
			return longest
		}
		b = b[begin:]
		var size int
		switch {
		case bytes.HasPrefix(b, []byte("<![CDATA[")):
			size = through(b, "<![CDATA[", "]]>")
		case bytes.HasPrefix(b, []byte("<!--")):
			size = through(b, "<!--", "-->")
		case bytes.HasPrefix(b, []byte("<?")):
			size = through(b, "<?", "?>")
		default:
			size = tag(b)
			longest = max(longest, size)
		}
		b = b[size:]
	}
}

// through returns the length of b from its begin to the end, or of all without one.
func through(b []byte, begin, end string) int {
	if n := bytes.Index(b[len(begin):], []byte(end)); n >= 0 {
		return len(begin) + n + len(end)
	}
	return len(b)
}

// tag returns the length of the tag with which b begins. A quoted value may have any
// character.
func tag(b []byte) int {
	var quote byte
	for i, c := range b {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '>':
			return i + 1
		}
	}
	return len(b)
}
