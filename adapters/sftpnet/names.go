package sftpnet

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789ABCDEF"

// escaped returns a name for logs, the store and people. Characters that are not
// printed, bytes that are no text, and the percent sign become %XX.
func escaped(name string) string {
	var out strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError && size <= 1 || !unicode.IsPrint(r) || r == '%' {
			for i := range size {
				out.WriteByte('%')
				out.WriteByte(hexDigits[name[i]>>4])
				out.WriteByte(hexDigits[name[i]&0xf])
			}
		} else {
			out.WriteString(name[:size])
		}
		name = name[size:]
	}
	return out.String()
}

// unescaped returns the name that escaped had. It reports false for a name that escaped
// does not return, or that is no name in a folder.
func unescaped(name string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			out.WriteByte(name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		b, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", false
		}
		out.Write(b)
		i += 2
	}
	raw := out.String()
	return raw, raw != "" && raw != "." && raw != ".." && !strings.Contains(raw, "/") && escaped(raw) == name
}
