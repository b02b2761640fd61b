package intake

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

const scheduleOffice = "off_01k00000000000000000000000"

// readSchedule reads a file on March 2, 2026, in an office of Denver that is right.
func readSchedule(tb testing.TB, file string, mapped ...directory.ImportMapping) (Schedule, billing.Faults) {
	tb.Helper()
	payers, err := directory.ShippedPayers()
	if err != nil {
		tb.Fatal(err)
	}
	office, err := billing.ParseID[billing.OfficeID](scheduleOffice)
	if err != nil {
		tb.Fatal(err)
	}
	s, faults := ScheduleFile{CSV: file, OfficeID: new(scheduleOffice)}.Open(&append(mapped, directory.ImportMapping{})[0])
	if len(faults) > 0 {
		return *s, faults
	}
	offices := map[billing.OfficeID]*directory.Office{office: {ID: office, TimeZone: "America/Denver"}}
	s.Read(payers, offices, time.Date(2026, time.March, 3, 6, 30, 0, 0, time.UTC)) // March 2 in Denver
	return *s, nil
}

// line writes what a row says, for a comparison.
func (i ScheduleRow) line() string {
	q, text := i.Request, func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	at := "-"
	if !i.AppointmentAt.IsZero() {
		at = i.AppointmentAt.UTC().Format("2006-01-02T15:04Z")
	}
	s := fmt.Sprint(i.ItemID, " ", at, " ", text(q.ServiceDate), " ", q.Subscriber.FirstName, "/", q.Subscriber.LastName, " ", q.Subscriber.DateOfBirth, " ",
		q.Subscriber.MemberID, " ", text(q.Subscriber.GroupNumber), " ", text(q.Subscriber.Gender))
	if p := q.Patient; p != nil {
		s += fmt.Sprint(" | ", p.Relationship, " ", p.FirstName, "/", p.LastName, " ", p.DateOfBirth, " ", text(p.Gender))
	}
	if len(q.ProcedureCodes) > 0 {
		s += " " + strings.Join(q.ProcedureCodes, "+")
	}
	return s
}

// TestScheduleFiles reads the same two patients as programs write them.
func TestScheduleFiles(t *testing.T) {
	t.Parallel()
	payers, err := directory.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	aetna, _ := payers.Find("AETNA")
	for name, c := range map[string]struct{ file, first, second string }{
		"our own names": {
			"item_id,appointment_at,payer_id,member_id,group_number,first_name,last_name,date_of_birth,gender,procedure_codes\n" +
				"a1,2026-03-03T08:30,60054,W1,G7,Ana,Ruiz,1980-04-30,female,D0120 D1110\na2,2026-03-03 14:00,aetna,W2,,Bo,Li,2001-01-09,male,\n",
			"a1 2026-03-03T15:30Z 2026-03-03 Ana/Ruiz 1980-04-30 W1 G7 female D0120+D1110", "a2 2026-03-03T21:00Z 2026-03-03 Bo/Li 2001-01-09 W2 - male",
		},
		"Open Dental, tabs": {
			"AptNum\tAptDateTime\tPatient\tBirthdate\tCarrierName\tSubscriberID\tNote\n" +
				"17\t3/3/2026 8:30:00 AM\tRuiz, Ana M\t4/30/1980\tAetna Dental\tW1\tx\n18\t3/3/2026 2:00 PM\t\"Li, Bo \"\"Bobby\"\"\"\t1/9/2001\tAETNA DENTAL INC.\tW2\t\n",
			"line-2 2026-03-03T15:30Z 2026-03-03 Ana/Ruiz 1980-04-30 W1 - -", "line-3 2026-03-03T21:00Z 2026-03-03 Bo/Li 2001-01-09 W2 - -",
		},
		"Dentrix, a mark and quotes": {
			"\ufeff\"Date\",\"Time\",\"Patient Name\",\"DOB\",\"Sex\",\"Primary Insurance\",\"Subscriber ID\",\"Rel. to Subscriber\"\r\n" +
				"\"03/03/2026\",\"8:30a\",\"Ruiz, Ana\",\"04/30/1980\",\"F\",\"Aetna Dental\",\"=\"\"W1\"\"\",\"Self\"\r\n\"03/03/2026\",\"2:00 p.m.\",\"Li, Bo\",\"01-09-2001\",\"M\",\"Aetna Dental\",\"'W2\",\"\"\r\n",
			"line-2 2026-03-03T15:30Z 2026-03-03 Ana/Ruiz 1980-04-30 W1 - female", "line-3 2026-03-03T21:00Z 2026-03-03 Bo/Li 2001-01-09 W2 - male",
		},
		"Eaglesoft, semicolons, dependents": {
			"Appt Date;Patient First Name;Patient Last Name;Patient DOB;Relationship;Policy Holder Name;Policy Holder DOB;Insurance Company;Policy ID\n" +
				"3/3/2026;Eva;Ruiz;5/6/2015;Daughter;Ruiz, Ana;4/30/1980;Aetna Dental;W1\n3/3/2026;Bo;Li;1/9/2001;;Bo Li;1/9/2001;Aetna Dental;W2\n",
			"line-2 - 2026-03-03 Ana/Ruiz 1980-04-30 W1 - - | child Eva/Ruiz 2015-05-06 -", "line-3 - 2026-03-03 Bo/Li 2001-01-09 W2 - -",
		},
		"Curve, Windows-1252, subscribers only": {
			"Subscriber;Subscriber DOB;Carrier;Member ID\nN\xfa\xf1ez, Jos\xe9;4/30/1980;Aetna Dental;W1\nBo T. Li;1/9/2001;Aetna Dental;W2\n",
			"line-2 - - José/Núñez 1980-04-30 W1 - -", "line-3 - - Bo/Li 2001-01-09 W2 - -",
		},
	} {
		s, faults := readSchedule(t, c.file)
		if len(faults)+len(s.Faults) > 0 || len(s.Rows) != 2 {
			t.Errorf("%s: %v %+v", name, faults, s.Faults)
			continue
		}
		for n, want := range []string{c.first, c.second} {
			if got := s.Rows[n].line(); got != want {
				t.Errorf("%s:\n got %s\nwant %s", name, got, want)
			}
			if q := s.Rows[n].Request; q.PayerID != aetna.ID.String() || q.OfficeID != scheduleOffice {
				t.Errorf("%s: payer %s, office %s", name, q.PayerID, q.OfficeID)
			}
		}
	}
}

// faulty writes the faults of a schedule: line, column, field, code, and what the cell may mean.
func (s *Schedule) faulty() (all []string) {
	for _, f := range s.Faults {
		text := fmt.Sprintf("%d.%d %s %s", f.Line, f.Column, f.Field, f.Code)
		for _, c := range f.Candidates {
			text += " " + c.Value + "?"
		}
		all = append(all, text)
	}
	return all
}

func TestScheduleFaults(t *testing.T) {
	t.Parallel()
	const header = "name,dob,payer,member id,date,time,relationship,subscriber,item id,office id\n"
	for row, want := range map[string][]string{
		`"Ruiz, Ana",4/30/1980,Aetna Dental,W1,3/3/2026,8:30,,`:                      nil,
		`"Ruiz, Ana",4/30/80,Aetna Dental,W1,3/3/2026,8:30,,`:                        {"2.2 subscriber.date_of_birth format 4/30/1980?"},
		`"Ruiz, Ana",3/1/26,Aetna Dental,W1,3/3/2026,8:30,,`:                         {"2.2 subscriber.date_of_birth format 3/1/1926? 3/1/2026?"},
		`"Ruiz, Ana",13/30/80,Aetna Dental,W1,3/3/2026,8:30,,`:                       {"2.2 subscriber.date_of_birth format"},
		`"Ruiz, Ana",13/30/1980,Aetna Dental,W1,3/3/2026,8:30,,`:                     {"2.2 subscriber.date_of_birth format"},
		`"Ruiz, Ana",,Aetna Dental,W1,3/3/2026,8:30,,`:                               {"2.2 subscriber.date_of_birth required"},
		`"Ruiz, Ana",4/30/2027,Aetna Dental,W1,3/3/2026,8:30,,`:                      {"2.2 subscriber.date_of_birth range", "2.5 service_date range"},
		`Ana Maria Ruiz Soto,4/30/1980,Aetna Dental,W1,3/3/2026,8:30,,`:              {"2.1 subscriber.last_name format Maria Ruiz Soto, Ana? Ruiz Soto, Ana Maria? Soto, Ana Maria Ruiz?"},
		`"Ruiz, Ana",4/30/1980,,W1,3/3/2026,8:30,,`:                                  {"2.3 payer_id required"},
		`"Ruiz, Ana",4/30/1980,Nobody,W1,3/3/2026,8:30,,`:                            {"2.3 payer_id not_allowed"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,,3/3/2026,8:30,,`:                        {"2.4 subscriber.member_id required"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,1.23457E+11,3/3/2026,8:30,,`:             {"2.4 subscriber.member_id format"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,W1,3/3/26 8:30,,,`:                       {"2.5 appointment_at format 3/3/2026 8:30?"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,W1,3/3/2026,late,,`:                      {"2.6 appointment_at format"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,W1,3/3/2028,8:30,,`:                      {"2.5 service_date range"},
		`"Ruiz, Eva",4/30/2015,Aetna Dental,W1,3/3/2026,8:30,neighbor,"Ruiz, Ana"`:   {"2.0 subscriber.date_of_birth required", "2.7 patient.relationship not_allowed"},
		`"Ruiz, Eva",4/30/2015,Aetna Dental,W1,3/3/2026,8:30,,"Ruiz, Ana"`:           {"2.0 subscriber.date_of_birth required", "2.7 patient.relationship required"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,W1,,,,,` + strings.Repeat("é", 101):      {"2.9 item_id too_long"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,W1,,,,,1,off_7`:                          {"2.10 office_id format"},
		`"Ruiz, Ana",4/30/1980,Aetna Dental,W1,,,,,1,off_01k00000000000000000000001`: {"2.10 office_id not_allowed"},
	} {
		s, faults := readSchedule(t, header+row)
		if got := s.faulty(); len(faults) > 0 || !slices.Equal(got, want) || s.Rows[0].Faulty != (len(want) > 0) {
			t.Errorf("%s\n got %q %v\nwant %q", row, got, faults, want)
		}
		cells := slices.DeleteFunc(slices.Clone(s.Rows[0].Cells), func(c string) bool { return len(c) < 3 })
		for _, f := range s.Faults {
			if slices.ContainsFunc(cells, func(c string) bool { return strings.Contains(f.Message, c) }) {
				t.Errorf("%s: a message says the value: %s", row, f.Message)
			}
		}
	}
	for file, want := range map[string][]string{
		"":                              {"csv required"},
		"name,dob,payer,member id\n\"x": {"csv.2.1 format"},
	} {
		_, faults := readSchedule(t, file)
		var got []string
		for _, f := range faults {
			got = append(got, f.Field+" "+string(f.Code))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
	for file, want := range map[string]string{
		"name,dob,payer\nx,y,z\n":               "1.0 member_id required",
		"\nname,dob,payer,member id,patient\nx": "2.5 name conflict",
	} {
		s, faults := readSchedule(t, file)
		if got := strings.Join(s.faulty(), ", "); len(faults) > 0 || got != want || len(s.Rows) != 1 || s.Rows[0].Cells[0] != "x" || !s.Rows[0].Faulty {
			t.Errorf("%q: %v %s, want %s; %+v", file, faults, got, want, s.Rows)
		}
	}
	s, _ := readSchedule(t, "item id,name,dob,payer,member id\n1,\"R, A\",4/30/1980,Aetna Dental,W1\n1,\"R, B\",4/30/1980,Aetna Dental,W2\n")
	if len(s.Faults) != 1 || s.Faults[0].Line != 3 || s.Faults[0].Column != 1 || s.Faults[0].Code != billing.FaultConflict {
		t.Errorf("one ID twice: %+v", s.Faults)
	}
}

// TestScheduleMapping maps what no synonym and no name says.
func TestScheduleMapping(t *testing.T) {
	t.Parallel()
	const file = "Who,Born,Plan,No.,Patient,Note\n\"Ruiz, Ana\",4/30/1980,Blue Cross,W1,chart 7,x\n"
	m := directory.ImportMapping{Columns: mappedColumns("WHO", "name", "born", "date_of_birth", "plan", "payer", "No", "member_id", "patient", "")}
	s, faults := readSchedule(t, file, m)
	if len(faults) > 0 || len(s.Faults) != 1 || s.Faults[0].Field != "payer_id" || len(s.Faults[0].Candidates) != 5 {
		t.Fatalf("a payer's name that several have: %v %+v", faults, s.Faults)
	}
	for _, c := range s.Faults[0].Candidates {
		if !strings.HasPrefix(c.Label, "Blue Cross") {
			t.Errorf("candidate %s", c.Label)
		}
	}
	want := []ScheduleColumn{{"Who", "name", true}, {"Born", "date_of_birth", true}, {"Plan", "payer", true}, {"No.", "member_id", true}, {"Patient", "", true}, {"Note", "", false}}
	if !slices.Equal(s.Columns, want) {
		t.Errorf("columns %+v", s.Columns)
	}
	payers, _ := directory.ShippedPayers()
	p, _ := payers.Find("CBID1")
	m.Payers = []directory.MappedPayer{{Name: "BLUE-CROSS", Payer: p.PayerSummary}}
	s, faults = readSchedule(t, file, m)
	if len(faults)+len(s.Faults) > 0 || s.Rows[0].line() != "line-2 - - Ana/Ruiz 1980-04-30 W1 - -" || s.Rows[0].Request.PayerID != p.ID.String() {
		t.Errorf("mapped: %v %+v", faults, s)
	}
}

// mappedColumns returns columns from names and fields.
func mappedColumns(pairs ...string) (all []directory.MappedColumn) {
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, directory.MappedColumn{Name: pair[0], Field: pair[1]})
	}
	return all
}

// TestMappingRequest names what is wrong with a mapping.
func TestMappingRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   MappingRequest
		want string
	}{
		"nothing": {},
		"names":   {MappingRequest{Columns: []MappedColumnInput{{"", nil}, {"Born", new("dob")}, {"BORN ", new("name")}}}, "columns.0.name required, columns.1.field not_allowed, columns.2.name conflict"},
		"payers":  {MappingRequest{Payers: []MappedPayerInput{{"A", ""}, {"a.", "X"}, {"B\n", "X"}}}, "payers.0.payer_id required, payers.1.name conflict, payers.2.name format"},
		"many":    {MappingRequest{Columns: make([]MappedColumnInput, 101), Payers: make([]MappedPayerInput, 1001)}, "columns too_many, payers too_many"},
	} {
		_, faults := c.in.Mapping()
		var got []string
		for _, f := range faults {
			got = append(got, f.Field+" "+string(f.Code))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSchedulePayers reads a payer's ID, beside its name or alone.
func TestSchedulePayers(t *testing.T) {
	t.Parallel()
	payers, err := directory.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	cigna, _ := payers.Find("CIGNA")
	aetna, _ := payers.Find("AETNA")
	mapped := directory.ImportMapping{Payers: []directory.MappedPayer{{Name: "Big Plan", Payer: cigna.PayerSummary}, {Name: "Carrier 17", Payer: aetna.PayerSummary}, {Name: "Anthem", Payer: aetna.PayerSummary}}}
	for row, want := range map[string]string{
		"05030,Delta Dental":              "05030",
		"5030,Delta Dental":               "05030", // a spreadsheet took the zero
		"7000,Delta Dental of Minnesota":  "07000",
		"7000,":                           "07000",
		"5030,Some employer's plan":       "05030",
		"62308,":                          "62308",
		"cigna,Cigna Dental":              "62308",
		"62308,Big Plan":                  "62308",
		"Carrier 17,Aetna":                "60054",
		",Aetna":                          "60054",
		",5030":                           "05030",
		",Anthem":                         "60054", // the mapping goes before the alias
		"Anthem,":                         "84105", // but not before an ID
		"99999,Aetna":                     "2.4 payer_id not_allowed 60054?",
		"99999,Delta Dental of Minnesota": "2.4 payer_id not_allowed 07000?",
		"99999,":                          "2.4 payer_id not_allowed",
		"99999,Twins of Nobody":           "2.4 payer_id not_allowed",
		"62308,Aetna":                     "2.4 payer_id conflict 62308? 60054?",
		"5030,Aetna":                      "2.4 payer_id conflict 05030? 60054?",
		"60054,Big Plan":                  "2.4 payer_id conflict 60054? 62308?",
		"Carrier 17,Cigna":                "2.4 payer_id conflict 60054? 62308?",
	} {
		s, faults := readSchedule(t, "name,dob,member id,payer id,payer\n\"Ruiz, Ana\",4/30/1980,W1,"+row+"\n", mapped)
		got := strings.Join(s.faulty(), ", ")
		if p, ok := payers.Find(s.Rows[0].Request.PayerID); ok && got == "" {
			got = p.PayerID
		}
		if len(faults) > 0 || got != want {
			t.Errorf("%s: %s %v, want %s", row, got, faults, want)
		}
	}
	s, _ := readSchedule(t, "name,dob,member id,payer id,payer\n\"Ruiz, Ana\",4/30/1980,W1,99999,Delta Dental\n")
	if len(s.Faults) != 1 || len(s.Faults[0].Candidates) != 5 {
		t.Errorf("an ID that no payer has, beside the name of several: %+v", s.Faults)
	}
}

// TestScheduleZeros gives zeros back only where the other IDs of the payer tell.
func TestScheduleZeros(t *testing.T) {
	t.Parallel()
	for ids, want := range map[string]string{
		"012345678 112345678 212345678 12345678": "012345678 112345678 212345678 012345678*", // three of nine digits
		"112345678 212345678 12345678":           "112345678 212345678 12345678",             // two are no rule
		"112345678 212345678 312345678 12345":    "112345678 212345678 312345678 12345",      // four digits are more than zeros
		"112345678 212345678 W12345678 12345678": "112345678 212345678 W12345678 12345678",   // not all are digits
		"112345678 212345678 312345678 W1234567": "112345678 212345678 312345678 W1234567",
	} {
		file := "name,dob,payer,member id\n"
		for id := range strings.FieldsSeq(ids) {
			file += "\"R, A\",4/30/1980,Aetna Dental," + id + "\n"
		}
		file += "\"R, A\",4/30/1980,Ameritas,1\n" // of another payer
		s, faults := readSchedule(t, file)
		var got []string
		for _, i := range s.Rows[:len(s.Rows)-1] {
			id := i.Request.Subscriber.MemberID
			if i.Restored {
				id += "*"
			}
			got = append(got, id)
		}
		if len(faults)+len(s.Faults) > 0 || strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s; %v %v", ids, got, want, faults, s.Faults)
		}
	}
}

// FuzzSchedule reads any file without a panic. A row without a fault is a request that the
// rules of a check accept, and a fault has a cell or a whole line.
func FuzzSchedule(f *testing.F) {
	f.Add("name,dob,payer,member id,date,time\n\"Ruiz, Ana\",4/30/1980,Aetna Dental,W1,3/3/2026,8:30\n")
	f.Add("Subscriber;Subscriber DOB;Carrier;Member ID\nBo T. Li;1/9/01;AETNA;1E+5\n")
	f.Add("first name\tlast name\tdob\tpayer id\tmember id\trel\tinsured\n\ta\t2001-01-01\t60054\t1\twife\tB C\n")
	f.Fuzz(func(t *testing.T, file string) {
		s, faults := readSchedule(t, file)
		if len(faults) > 0 {
			return
		}
		bad := map[int]bool{}
		for _, c := range s.Faults {
			if bad[c.Line] = true; c.Line < 1 || c.Column < 0 || c.Column > len(s.Columns) || c.Message == "" || c.Field == "" {
				t.Errorf("a fault without its place: %+v", c)
			}
		}
		for _, i := range s.Rows {
			if _, _, _, f := i.Request.Inquiry(billing.Date{Year: 2026, Month: time.March, Day: 2}); !bad[i.Line] && len(f) > 0 {
				t.Errorf("line %d is accepted here and refused there: %v", i.Line, f)
			}
		}
	})
}

// TestScheduleDays has what is wrong with a day: its form, or that the calendar lacks it.
func TestScheduleDays(t *testing.T) {
	t.Parallel()
	for day, want := range map[string]string{
		"2/29/1984": "", "2/30/1985": "The calendar has no such day.", "31/12/1980": "The calendar has no such day.", "1985-02-30": "The calendar has no such day.",
		"soon": "The date must be like 4/30/1980 or 1980-04-30.", "1985": "The date must be like 4/30/1980 or 1980-04-30.",
	} {
		s, faults := readSchedule(t, "name,dob,payer,member id\n\"Ruiz, Ana\","+day+",Aetna Dental,W1\n")
		got := ""
		for _, f := range s.Faults {
			got += f.Message
		}
		if len(faults) > 0 || !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", day, got, want)
		}
	}
}
