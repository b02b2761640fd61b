package intake

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

// sheet is a table of texts from a file that another program wrote: a header, and rows.
type sheet struct {
	header []cell
	rows   [][]cell
}

// cell is a text with its place in the file. Lines and columns count from 1.
type cell struct {
	text         string
	line, column int
}

// readSheet reads a CSV file in UTF-8 or Windows-1252, with commas, semicolons or tabs
// between its columns. The first row is the header. It reads at most so many rows after it.
// Blank lines and blank rows do not count.
func readSheet(file []byte, most int, f *billing.Faults) (s sheet) {
	text := Text(file)
	if bytes.ContainsRune(text, 0) {
		f.Add("body", billing.FaultFormat, "The file is not a CSV file: it has a byte 0. Save it as CSV in UTF-8.")
		return s
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = separator(text), -1, true
	r.TrimLeadingSpace = r.Comma != '\t' // which is a space
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return s
		}
		if at, ok := errors.AsType[*csv.ParseError](err); ok {
			f.Add(place(at.Line, 1), billing.FaultFormat, "Line "+strconv.Itoa(at.Line)+`: a quotation mark is not closed, or stands inside a value. Write "" for one in a quoted value.`)
			return s
		}
		cells := make([]cell, len(record))
		for i, text := range record {
			line, _ := r.FieldPos(i)
			cells[i] = cell{strings.Trim(text, " \t\u00a0"), line, i + 1}
		}
		switch blank := func(c cell) bool { return c.text == "" }; {
		case !slices.ContainsFunc(cells, func(c cell) bool { return !blank(c) }):
		case s.header == nil:
			s.header = cells
		case len(s.rows) == most:
			f.Add(place(cells[0].line, 1), billing.FaultTooMany, "Line "+strconv.Itoa(cells[0].line)+": the file has more than "+strconv.Itoa(most)+" rows. Split it.")
			return s
		default:
			s.rows = append(s.rows, cells)
		}
	}
}

// separator returns what stands between the columns: of comma, semicolon and tab the one
// that the first line has most often.
func separator(text []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	best, most := ',', 0
	for _, r := range []rune{',', ';', '\t'} {
		if n := bytes.Count(line, []byte(string(r))); n > most {
			best, most = r, n
		}
	}
	return best
}

// place returns the field of a fault in a CSV file.
func place(line, column int) string { return "csv." + strconv.Itoa(line) + "." + strconv.Itoa(column) }

// at returns the field of a fault in the cell, and what its message begins with.
func (c cell) at() (field, begin string) {
	return place(c.line, c.column), "Line " + strconv.Itoa(c.line) + ", column " + strconv.Itoa(c.column) + ": "
}

// best returns the number of the header's column with one of the names, which are in lower case, and of which the lists before
// fit better; -1 for none. Two columns that fit equally are a fault, and none of them counts. A header may have other spaces,
// signs and capital letters.
func (s *sheet) best(f *billing.Faults, what string, names ...[]string) int {
	for _, list := range names {
		found := -1
		for i, c := range s.header {
			switch {
			case !slices.Contains(list, words(c.text)):
			case found < 0:
				found = i
			default:
				field, begin := c.at()
				f.Add(field, billing.FaultConflict, begin+what+" is there twice: column "+strconv.Itoa(found+1)+" has it, too. Keep one of the two columns.")
				return -1
			}
		}
		if found >= 0 {
			return found
		}
	}
	return -1
}

// words returns the words of a name in lower case, without signs and with single spaces.
func words(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// in returns the cell of a row in a column. A row may end before it.
func in(row []cell, column int) cell {
	if column < len(row) {
		return row[column]
	}
	return cell{"", row[0].line, column + 1}
}

// Text returns the text of a file in UTF-8 or Windows-1252, without a byte order mark.
func Text(file []byte) []byte {
	text := bytes.TrimPrefix(file, []byte("\ufeff"))
	if !utf8.Valid(text) {
		text = fromWindows1252(text)
	}
	return text
}

// Guarded returns a text for a CSV file that no spreadsheet takes for a formula.
func Guarded(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// fromWindows1252 returns the text of a file that Windows wrote for Western Europe and
// America. Bytes without a character become U+FFFD.
func fromWindows1252(file []byte) []byte {
	const high = "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ" // 0x80 to 0x9f
	table := []rune(high)
	out := make([]byte, 0, len(file)+len(file)/8)
	for _, b := range file {
		switch {
		case b < 0x80:
			out = append(out, b)
		case b < 0xa0:
			out = utf8.AppendRune(out, table[b-0x80])
		default:
			out = utf8.AppendRune(out, rune(b))
		}
	}
	return out
}
