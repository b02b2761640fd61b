package intake

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestScheduleParts reads a long file in parts as it reads the whole.
func TestScheduleParts(t *testing.T) {
	t.Parallel()
	file := "\n;;\n\"Patient\n\";DOB;Payer;Member ID\r\n"
	const rows = 95
	for n := range rows {
		file += fmt.Sprintf("\"Ruiz, Ana \"\"A;\n%d\"\"\";4/30/19%d;Aetna Dental;W%d\r\n", n, n, n)
		if n%10 == 0 {
			file += "\n;;;\r\n"
		}
	}
	whole, _ := readSchedule(t, file)
	if len(whole.Rows) != rows || len(whole.Faults) != 10 { // years of one digit
		t.Fatalf("%d rows, %+v", len(whole.Rows), whole.Faults)
	}
	bytesOf := func(s string) int { return len(s) }
	for name, limit := range map[string]struct{ rows, bytes, parts int }{
		"as it is": {1000, 1 << 20, 1}, "by rows": {20, 1 << 20, 5}, "by bytes": {1000, 1500, 0}, "of one row": {1, 1 << 20, rows},
	} {
		parts := ScheduleParts(file, limit.rows, limit.bytes, bytesOf)
		var lines []string
		var faults []string
		for _, part := range parts {
			s, refused := readSchedule(t, part)
			if len(part) > limit.bytes || len(refused) > 0 || len(s.Rows) > limit.rows {
				t.Errorf("%s: a part of %d bytes and %d rows: %v", name, len(part), len(s.Rows), refused)
			}
			for _, r := range s.Rows {
				lines = append(lines, fmt.Sprint(r.Line, r.ItemID, r.Cells))
			}
			faults = append(faults, s.faulty()...)
		}
		var want []string
		for _, r := range whole.Rows {
			want = append(want, fmt.Sprint(r.Line, r.ItemID, r.Cells))
		}
		if !slices.Equal(lines, want) || !slices.Equal(faults, whole.faulty()) || limit.parts > 0 && len(parts) != limit.parts || len(parts) < 2 && limit.parts != 1 {
			t.Errorf("%s: %d parts, %q %q", name, len(parts), lines, faults)
		}
	}
}

// TestScheduleWithoutParts has files that cannot be cut. Reading them says what is wrong.
func TestScheduleWithoutParts(t *testing.T) {
	t.Parallel()
	bytesOf := func(s string) int { return len(s) }
	const head = "name,dob,payer,member id\n"
	for file, want := range map[string][]string{
		"":                    {""},
		"\n\n":                {"\n\n"},
		head:                  {head},
		head + "a,b,c,d\n":    {head + "a,b,c,d\n"},
		head + "a,b,c,d\ne":   {head + "a,b,c,d\n", head + "\ne"},
		head + "\"a,b\nc,d\n": {head + "\"a,b\nc,d\n"},
	} {
		if got := ScheduleParts(file, 1, 1<<20, bytesOf); !slices.Equal(got, want) {
			t.Errorf("%q: %q", file, got)
		}
	}
	open := head + "\"Ruiz, Ana\",4/30/1980,Aetna Dental,W1\n\"Ruiz\n" + strings.Repeat("x,y,z\n", 1000)
	parts := ScheduleParts(open, 5000, 1000, bytesOf)
	_, faults := readSchedule(t, parts[len(parts)-1])
	if len(parts) != 2 || len(parts[1]) > 1000 || len(faults) != 1 || !strings.HasPrefix(faults[0].Field, "csv.") {
		t.Errorf("a quotation mark that is not closed: %d parts, %v", len(parts), faults)
	}
	long := strings.Repeat("x", 2000)
	if parts = ScheduleParts(long, 5000, 1000, bytesOf); len(parts) != 1 || len(parts[0]) > 1000 {
		t.Errorf("one long line: %q", parts)
	}
}

// FuzzScheduleParts cuts any file without a panic. The parts begin alike, and the last one ends with the file and on its line.
func FuzzScheduleParts(f *testing.F) {
	for _, file := range []string{"", "\n;\n", "a,b\n1,2\n3,4", "a\n\"1\n2\"\n\n,\n3\n", "a\n\"", "\"a\n\"\nb\n\"c"} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		parts := ScheduleParts(file, 1, 1<<20, func(s string) int { return len(s) })
		last := parts[len(parts)-1]
		if len(file) < 1<<19 && strings.Count(last, "\n") != strings.Count(file, "\n") || !strings.HasSuffix(file, last[strings.LastIndexByte(last, '\n')+1:]) {
			t.Errorf("%q: the last part is %q", file, last)
		}
		for _, part := range parts {
			if line, _, _ := strings.Cut(file, "\n"); !strings.HasPrefix(part, line) {
				t.Errorf("%q: a part is %q", file, part)
			}
		}
	})
}
