package intake

import "strings"

// ScheduleParts cuts the file of a schedule into files of at most so many rows and bytes, since a request has limits. Each
// part begins with what stands before the first row, and keeps the lines of the whole file: it has blank lines, which do
// not count, in place of the rows before its own. A file that needs no cut is its own part. So is the rest of a file from
// a row that is larger than a part, such as one whose quotation mark is not closed; reading it says so.
//
// Size says how many bytes a text takes in a request.
func ScheduleParts(file string, rows, bytes int, size func(text string) int) (parts []string) {
	records := sheetRecords(file)
	first := min(1, len(records)) // of the rows
	if len(records)-first <= rows && size(file) <= bytes {
		return []string{file}
	}
	head := strings.Join(records[:first], "")
	lines := 0 // of the rows before the part
	for at := first; at < len(records); {
		begin, used := at, size(head)+lines*size("\n")
		passed := 0
		for at < len(records) && at-begin < rows && (at == begin || used+size(records[at]) <= bytes) {
			used += size(records[at])
			passed += strings.Count(records[at], "\n")
			at++
		}
		part := head + strings.Repeat("\n", lines) + strings.Join(records[begin:at], "")
		if used > bytes {
			return append(parts, part[:min(len(part), bytes/2)])
		}
		parts, lines = append(parts, part), lines+passed
	}
	if parts == nil { // the names of the columns are larger than a part
		return []string{file[:min(len(file), bytes/2)]}
	}
	return parts
}

// blankOfSheet is what a row without values has.
const blankOfSheet = "\r\n\t ,;\"\u00a0\ufeff"

// sheetRecords cuts a CSV file behind each line end that does not stand in quotation marks. Blank rows are at the end of the
// record before them, or at the begin of the first.
func sheetRecords(file string) (records []string) {
	begin, quoted, blank := 0, false, true
	cut := func(to int) {
		row := file[begin:to]
		is := strings.Trim(row, blankOfSheet) == ""
		if n := len(records); n > 0 && (is || blank) {
			records[n-1] += row
		} else {
			records = append(records, row)
		}
		blank = blank && is // until the names of the columns
		begin = to
	}
	for i := range len(file) {
		switch {
		case file[i] == '"':
			quoted = !quoted
		case file[i] == '\n' && !quoted:
			cut(i + 1)
		}
	}
	if begin < len(file) {
		cut(len(file))
	}
	return records
}
