package main

// This file writes JSON by hand: the same bytes are promised in every language, and
// encoders differ in what they escape and how they print numbers.

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// jsonText quotes a text. What is no UTF-8 in it becomes U+FFFD.
func jsonText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// jsonKey is the field of a key: as text where it is UTF-8, else in hexadecimal digits.
func jsonKey(key []byte) string {
	if utf8.Valid(key) {
		return `"key":` + jsonText(string(key))
	}
	return fmt.Sprintf(`"key_hex":"%x"`, key)
}
