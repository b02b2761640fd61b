package intake

import (
	"strings"
	"testing"
)

// TestScheduleTimes reads days from which a program left out the time, and midnight stands there.
func TestScheduleTimes(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"date,time,3/3/2026 12:00:00 AM,8:30 AM":         "2026-03-03T15:30Z",
		"date,time,3/3/2026 0:00,2:15 PM":                "2026-03-03T21:15Z",
		"date,time,2026-03-03T00:00:00,14:15":            "2026-03-03T21:15Z",
		"date,time,3/3/2026 12:00:00 AM,":                "- 2026-03-03",
		"date,time,3/3/2026 12:00:00 AM,12:00 AM":        "2026-03-03T07:00Z", // the time says it
		"date,note,3/3/2026 0:00,":                       "- 2026-03-03",
		"aptdatetime,note,3/3/2026 12:00:00 AM,":         "- 2026-03-03",
		"aptdatetime,time,3/3/2026 12:00:00 AM,8:30 AM":  "2026-03-03T15:30Z",
		"aptdatetime,time,3/3/2026 8:30:00 AM,8:30 AM":   "2026-03-03T15:30Z",
		"aptdatetime,time,3/3/2026 8:30:00 AM,9:30 AM":   "2.6 appointment_at conflict",
		"aptdatetime,time,3/3/2026 8:30:00 AM,1 hour":    "2026-03-03T15:30Z", // the length of the visit
		"date,time,3/3/2026 12:00:00 AM,late":            "2.6 appointment_at format",
		"date,time,3/3/2026 8:30 AM,":                    "2026-03-03T15:30Z",
		"service date,time,3/3/2026 12:00:00 AM,8:30 AM": "- 2026-03-03",
	} {
		part := strings.Split(at, ",")
		s, faults := readSchedule(t, "name,dob,payer,member id,"+part[0]+","+part[1]+"\n\"Ruiz, Ana\",4/30/1980,Aetna Dental,W1,"+part[2]+","+part[3]+"\n")
		got := strings.Join(s.faulty(), ", ")
		if row := s.Rows[0]; got == "" && row.AppointmentAt.IsZero() {
			got = "- " + *row.Request.ServiceDate
		} else if got == "" {
			got = row.AppointmentAt.UTC().Format("2006-01-02T15:04Z")
		}
		if len(faults) > 0 || got != want {
			t.Errorf("%s: %s %v, want %s", at, got, faults, want)
		}
	}
}

// TestScheduleNames reads names with suffixes and signs.
func TestScheduleNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Smith, John, Jr.":    "John/Smith",
		"Smith, John A., III": "John/Smith",
		"Smith, Jr., John":    "John/Smith",
		"Smith Jr., John":     "John/Smith",
		"Smith, John Jr":      "John/Smith",
		"Smith Sr, John Q.":   "John/Smith",
		"John Smith Jr.":      "John/Smith",
		"John Q. Smith, Jr.":  "John/Smith",
		"Jr, John":            "John/Jr", // a name of its own
		"Smith, V":            "V/Smith",
		"'t Hooft, Gerard":    "Gerard/'t Hooft",
		"'=Roe, Kim":          "Kim/=Roe",
		"O'Brien, D'Arcy":     "D'Arcy/O'Brien",
		"Smith, John, Peter":  "2.1 subscriber.last_name format Smith, John Peter?",
		"#N/A":                "2.1 subscriber.last_name format",
		"#NAME?":              "2.1 subscriber.last_name format",
	} {
		s, faults := readSchedule(t, "name,dob,payer,member id\n\""+name+"\",4/30/1980,Aetna Dental,W1\n")
		got := strings.Join(s.faulty(), ", ")
		if q := s.Rows[0].Request; got == "" {
			got = q.Subscriber.FirstName + "/" + q.Subscriber.LastName
		}
		if len(faults) > 0 || got != want {
			t.Errorf("%s: %s %v, want %s", name, got, faults, want)
		}
	}
	s, _ := readSchedule(t, "last name,first name,dob,payer,member id\n'Hara,#REF!,4/30/1980,Aetna Dental,W1\n't Hooft,Gerard,4/30/1980,Aetna Dental,'0123\n")
	if got := strings.Join(s.faulty(), ", "); got != "2.2 subscriber.first_name format" || s.Rows[1].Request.Subscriber.LastName != "'t Hooft" || s.Rows[1].Request.Subscriber.MemberID != "0123" {
		t.Errorf("names in two columns: %s %+v", got, s.Rows[1].Request.Subscriber)
	}
}

// TestScheduleLost refuses what a spreadsheet wrote in place of a value.
func TestScheduleLost(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"1E+11": "2.4 subscriber.member_id format", "1.2E+5": "2.4 subscriber.member_id format", "1,23E+11": "2.4 subscriber.member_id format", "12E+10": "2.4 subscriber.member_id format",
		"#N/A": "2.4 subscriber.member_id format", "#REF!": "2.4 subscriber.member_id format", "#DIV/0!": "2.4 subscriber.member_id format",
		"1E11": "", "E+11": "", "#1234": "", "W1E+11": "",
	} {
		s, faults := readSchedule(t, "name,dob,payer,member id,group,appt id\n\"Ruiz, Ana\",4/30/1980,Aetna Dental,\""+id+"\",,\n")
		if got := strings.Join(s.faulty(), ", "); len(faults) > 0 || got != want {
			t.Errorf("%s: %s %v, want %s", id, got, faults, want)
		}
	}
	s, _ := readSchedule(t, "name,dob,payer,member id,group,appt id\n\"Ruiz, Ana\",4/30/1980,Aetna Dental,W1,#N/A,#VALUE!\n")
	if got := strings.Join(s.faulty(), ", "); got != "2.5 subscriber.group_number format, 2.6 appointment_id format" {
		t.Errorf("a group and an appointment: %s", got)
	}
}
