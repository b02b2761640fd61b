package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fee"
)

// feesOf reads a file as the rows of a schedule that is right otherwise.
func feesOf(file string) (fee.Schedule, billing.Faults) {
	return FeeScheduleRequest{Name: "Fees", Kind: "office_fees", EffectiveFrom: "2026-01-01", CSV: []byte(file)}.Schedule()
}

// TestFeeFiles reads files as programs write them.
func TestFeeFiles(t *testing.T) {
	t.Parallel()
	want := []fee.Row{{ProcedureCode: "D0120", Amount: 5800}, {ProcedureCode: "D2740", Amount: 125050}}
	for name, file := range map[string]string{
		"plain":             "procedure_code,amount\nD0120,58.00\nD2740,1250.50\n",
		"CRLF and a mark":   "\ufeffprocedure_code,amount\r\nD2740,1250.50\r\nD0120,58.00\r\n",
		"semicolons":        "Code;Description;Fee\nD0120;Exam, periodic;58\nD2740;Crown;1250.5\n",
		"tabs":              "Proc. Code\t\tUCR Fee\nD0120\t\t$58.00\nd2740\t\t$1,250.50\n",
		"quoted":            "\"ADA Code\",\"Description\",\"Allowed Amount\"\n\"D0120\",\"6\"\" x\",\"58.000\"\n D2740 ,x, \" 1,250.50 \"\n",
		"blank lines":       "\n\nprocedure code,AMOUNT,\n,,\nD0120,58.00,\n\nD2740,1250.50,\n,,\n",
		"without a header":  "D0120,58.00\nD2740,1250.50",
		"Windows-1252":      "code,description,fee\nD0120,Pr\xf3tesis \x96 \x80,58.00\nD2740,x,\xa01250.50\xa0\n",
		"the amount first":  "fee,note,code\n58,,D0120\n1250.50,,D2740\n",
		"one column header": "cdt code,price\nD0120,58\nD2740,1250.50",
	} {
		s, faults := feesOf(file)
		if len(faults) > 0 || !slices.Equal(s.Rows, want) || s.Count != 2 {
			t.Errorf("%s: %v %v", name, s.Rows, faults)
		}
	}
	if s, faults := feesOf("code,fee\n"); len(s.Rows) != 0 || len(faults) != 1 || faults[0].Field != "rows" {
		t.Errorf("a header alone: %v", faults)
	}
}

// TestFeeFileFaults has the line and the column of each fault.
func TestFeeFileFaults(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"":                                   {"body required", "rows required"},
		"name,price\nD0120,1.00":             {"rows required", "csv.1.1 required"},
		"code,fee\nD0120,58,00":              nil, // a third cell is left out
		"code;fee\nD0120;58,00":              {"csv.2.2 format"},
		"code,fee\n,58.00\nD0120":            {"csv.2.1 required", "csv.3.2 required"},
		"code,fee\n\nD012,58.001":            {"csv.3.1 format", "csv.3.2 format"},
		"code,fee\nD0120,-1.00\nD0140,1e3":   {"csv.2.2 range", "csv.3.2 format"},
		"code,fee\nD0120,1000000.00":         {"csv.2.2 range"},
		"code,fee\nD0120,1\nd0120,2":         {"csv.3.1 conflict"},
		"code,fee\nD0120,1,250.00":           nil,
		"code,fee\nD0120,\"1,25.00\"":        {"csv.2.2 format"},
		"code,fee\n\"D0120,1.00\n":           {"rows too_few", "csv.2.1 format"},
		"code,fee\nD0120,1.00\nD01\"40,1.00": {"csv.3.1 format"},
		"code,fee\nD0120,1\x00":              {"body format", "rows required"},
	} {
		_, faults := feesOf(file)
		var got []string
		for _, f := range faults {
			got = append(got, f.Field+" "+string(f.Code))
			if at, ok := strings.CutPrefix(f.Field, "csv."); ok {
				line, column, _ := strings.Cut(at, ".")
				if !strings.HasPrefix(f.Message, "Line "+line) && f.Code != billing.FaultRequired || strings.Contains(f.Message, "column") && !strings.Contains(f.Message, ", column "+column+": ") && f.Code != billing.FaultRequired {
					t.Errorf("%q: %s says %s", file, f.Field, f.Message)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", file, got, want)
		}
	}
	_, faults := feesOf("code,fee\nD0120,1\nD0140,1\nD0120,2")
	if len(faults) != 1 || faults[0].Message != "Line 4, column 1: D0120 has a row already (line 2, column 1). Keep one of them." {
		t.Errorf("%+v", faults)
	}
}

// TestFeeRows has as many rows as a schedule may, and one more.
func TestFeeRows(t *testing.T) {
	t.Parallel()
	var rows []FeeRowInput
	file := "code,fee\n"
	for n := range fee.MaxRows + 1 {
		rows = append(rows, FeeRowInput{fmt.Sprintf("D%04d", n), strconv.Itoa(n) + ".07"})
		file += rows[n].ProcedureCode + "," + rows[n].Amount + "\n"
	}
	r := FeeScheduleRequest{Name: "Fees", Kind: "allowed", EffectiveFrom: "2026-01-01", Rows: rows[:fee.MaxRows]}
	s, faults := r.Schedule()
	if len(faults) > 0 || s.Count != fee.MaxRows || s.Rows[4321] != (fee.Row{ProcedureCode: "D4321", Amount: 432107}) || !s.WriteOffBeyondLimits {
		t.Errorf("%v %v", faults, s.Rows[4321])
	}
	r.Rows = rows
	if _, faults = r.Schedule(); len(faults) != 1 || faults[0].Code != billing.FaultTooMany {
		t.Errorf("one row more: %v", faults)
	}
	if _, faults = feesOf(file); len(faults) != 1 || faults[0].Field != "csv.5002.1" {
		t.Errorf("a file with one row more: %v", faults)
	}
	if _, faults = feesOf(strings.TrimPrefix(file, "code,fee\n")); len(faults) != 1 || faults[0].Code != billing.FaultTooMany {
		t.Errorf("without a header: %v", faults)
	}
}

// TestFeeScheduleFaults has what is wrong with the fields beside the rows.
func TestFeeScheduleFaults(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	r := FeeScheduleRequest{
		Kind: "fees", OfficeID: text("off_1"), PayerID: text(" "), Network: text("both"), EffectiveFrom: "2026-02-30", Replaces: text("x"),
		Rows: []FeeRowInput{{"", ""}, {"D012", "5"}, {"D0120", "5.00"}, {"D0120", "1000000.00"}},
	}
	_, faults := r.Schedule()
	var got []string
	for _, f := range faults {
		got = append(got, f.Field+" "+string(f.Code))
	}
	want := []string{
		"effective_from format", "office_id format", "replaces format", "payer_id required", "rows.0.procedure_code required", "rows.0.amount required",
		"rows.1.amount format", "name required", "kind not_allowed", "network not_allowed", "rows.1.procedure_code format", "rows.3.procedure_code conflict", "rows.3.amount range",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	r = FeeScheduleRequest{Name: "Fees", Kind: "office_fees", EffectiveFrom: "2026-01-01", WriteOffBeyondLimits: new(true), Rows: []FeeRowInput{{"D0120", "5.00"}}}
	if _, faults = r.Schedule(); len(faults) != 1 || faults[0].Field != "write_off_beyond_limits" {
		t.Errorf("%v", faults)
	}
}

// FuzzFees reads any file without a panic. What it accepts is what it says.
func FuzzFees(f *testing.F) {
	for _, file := range []string{"code,fee\nD0120,58.00", "D0120;1", "code\tfee\nD0120\t\"1\"\"\"", "\xff\xfe", "code,fee\nD0120,1\nD0120,2"} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		s, faults := feesOf(file)
		if len(faults) > 0 {
			return
		}
		codes := map[string]bool{}
		for _, r := range s.Rows {
			if codes[r.ProcedureCode] || len(r.ProcedureCode) != 5 || r.Amount < 0 || !strings.Contains(strings.ToUpper(file), r.ProcedureCode) {
				t.Errorf("%q: %v", file, s.Rows)
			}
			codes[r.ProcedureCode] = true
		}
		if len(codes) == 0 {
			t.Errorf("%q is accepted without rows", file)
		}
	})
}

// TestFeeColumns takes the amount of the column that means the kind of the fee schedule, wherever it stands.
func TestFeeColumns(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][2]string{ // the amount of an office's fees, and of what a payer allows; a fault for neither
		"Code,Fee,Allowed Amount":      {"58.00", "41.00"},
		"Code,UCR Fee,Allowed":         {"58.00", "41.00"},
		"Code,Allowed,UCR Fee":         {"41.00", "58.00"},
		"Code,PPO Fee,UCR":             {"41.00", "58.00"},
		"Code,Fee,PPO Fee":             {"58.00", "41.00"},
		"Code,Fee,Office Fee":          {"41.00", "58.00"},
		"Code,Note,Allowed Amount":     {"41.00", "41.00"}, // one amount is that of the kind which the caller names
		"Code,UCR,Note":                {"58.00", "58.00"},
		"Code,Fee,Amount":              {"csv.1.3 conflict", "csv.1.3 conflict"},
		"Code,Allowed,Allowed Amount":  {"csv.1.3 conflict", "csv.1.3 conflict"},
		"Code,UCR Fee,Office Fee":      {"csv.1.3 conflict", "csv.1.3 conflict"},
		"Code,Allowed Amount,PPO Fee ": {"csv.1.3 conflict", "csv.1.3 conflict"},
	} {
		for i, kind := range []string{"office_fees", "allowed"} {
			in := FeeScheduleRequest{Name: "Fees", Kind: kind, EffectiveFrom: "2026-01-01", CSV: []byte(header + "\nD0120,58.00,41.00\n")}
			s, faults := in.Schedule()
			var got string
			for _, f := range faults {
				if f.Field != "rows" {
					got += f.Field + " " + string(f.Code)
				}
			}
			if len(faults) == 0 && len(s.Rows) == 1 {
				got = s.Rows[0].Amount.String()
			}
			if got != want[i] {
				t.Errorf("%s as %s: %s, want %s", header, kind, got, want[i])
			}
		}
	}
	_, faults := feesOf("Code,ADA Code,CDT Code,Fee\nD0120,D0120,D0120,1.00")
	if len(faults) != 2 || faults[1].Message != "Line 1, column 3: the procedure code is there twice: column 2 has it, too. Keep one of the two columns." {
		t.Errorf("two columns of codes: %+v", faults)
	}
	if s, faults := feesOf("Procedure,Code,Fee\nPeriodic exam,D0120,1.00"); len(faults) > 0 || s.Rows[0].ProcedureCode != "D0120" {
		t.Errorf("a column of names beside the codes: %+v", faults)
	}
}
