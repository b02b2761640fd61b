package edi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// phrases are messages about a procedure that the plan pays in full, with what they
// limit: the frequency, max_age, and whether patients of some ages on the service date
// are covered now (yes), over or under the age limit (no), or not known to be (?).
var phrases = []struct{ message, want string }{
	// An upper age. Payers who write TO do not say whether the last age counts.
	{"COVERED TO AGE 14", "to age 14: 13 yes, 14 ?, 15 no, 41 no"},
	{"Covered to age 14.", "to age 14: 13 yes, 14 ?, 15 no"},
	{"UP TO AGE 19", "to age 19: 18 yes, 19 ?, 20 no"},
	{"UP TO THE AGE OF 19", "to age 19: 18 yes, 19 ?, 20 no"},
	{"LIMITED TO AGE 16", "to age 16: 15 yes, 16 ?, 41 no"},
	{"AGE LIMIT 14", "to age 14: 13 yes, 14 ?, 15 no"},
	{"AGE LIMIT: 14", "to age 14: 13 yes, 14 ?, 15 no"},
	{"THE AGE LIMIT IS 14", "to age 14: 13 yes, 14 ?, 15 no"},
	{"LIMITING AGE 19", "to age 19: 18 yes, 19 ?, 20 no"},
	{"CHILDREN TO 14", "to age 14: 13 yes, 14 ?, 15 no"},
	{"FLUORIDE TO AGE 14", "to age 14: 13 yes, 14 ?, 15 no"},
	{"UNDER AGE 16", "to age 15: 15 yes, 16 no"},
	{"UNDER THE AGE OF 16", "to age 15: 15 yes, 16 no"},
	{"PATIENTS UNDER 16", "to age 15: 15 yes, 16 no"},
	{"UNDER 16 YEARS OF AGE", "to age 15: 15 yes, 16 no"},
	{"CHILDREN UNDER 16 YEARS OLD", "to age 15: 15 yes, 16 no"},
	{"LESS THAN AGE 16", "to age 15: 15 yes, 16 no"},
	{"UNTIL AGE 16", "to age 15: 15 yes, 16 no"},
	{"PRIOR TO AGE 16", "to age 15: 15 yes, 16 no"},
	{"UNTIL THEIR 19TH BIRTHDAY", "to age 18: 18 yes, 19 no"},
	{"COVERED ON ELIGIBLE DEPENDENT CHILDREN WHO ARE LESS THAN 19", "to age 18: 18 yes, 19 no"},
	{"THROUGH AGE 18", "to age 18: 18 yes, 19 no"},
	{"THRU AGE 18 ONLY", "to age 18: 18 yes, 19 no"},
	{"UP TO AND INCLUDING AGE 18", "to age 18: 18 yes, 19 no"},
	{"COVERED FOR AGES UNDER 19", "to age 18: 18 yes, 19 no"},
	{"AGE < 19", "to age 18: 18 yes, 19 no"},
	{"AGE MAX 14", "to age 14: 14 yes, 15 no"},
	{"AGE 18 AND UNDER", "to age 18: 18 yes, 19 no"},
	{"AGES 18 & YOUNGER", "to age 18: 18 yes, 19 no"},
	{"18 YEARS OF AGE OR YOUNGER", "to age 18: 18 yes, 19 no"},
	{"MAX AGE 18", "to age 18: 18 yes, 19 no"},
	{"MAXIMUM AGE: 18", "to age 18: 18 yes, 19 no"},
	{"AGE 19 AND OVER NOT COVERED", "to age 18: 18 yes, 19 no"},
	{"NOT COVERED FOR PATIENTS AGE 19 AND OLDER", "to age 18: 18 yes, 19 no"},
	{"NOT COVERED OVER AGE 18", "to age 18: 17 yes, 18 ?, 19 no"},
	{"EXCLUDED FOR AGES 14+", "to age 13: 13 yes, 14 no"},
	{"ADULTS AGE 21 AND OVER ARE NOT ELIGIBLE", "to age 20: 20 yes, 21 no"},

	// A range, and a lower age.
	{"AGES 0-14", "to age 14: 0 yes, 14 yes, 15 no, 41 no"},
	{"AGES 0 - 14", "to age 14: 14 yes, 15 no"},
	{"AGE LIMIT 0-14", "to age 14: 14 yes, 15 no"},
	{"AGE 3 TO 14", "to age 14: 2 no, 3 yes, 13 yes, 14 ?, 15 no"},
	{"FROM AGE 6 THROUGH AGE 15", "to age 15: 5 no, 6 yes, 15 yes, 16 no"},
	{"BETWEEN THE AGES OF 6 AND 15", "to age 15: 5 no, 6 yes, 15 ?, 16 no"},
	{"AGE 14 AND OVER", ": 13 no, 14 yes, 41 yes"},
	{"AGES 14 AND UP", ": 13 no, 14 yes"},
	{"AGE 65+", ": 41 no, 65 yes"},
	{"MINIMUM AGE 16", ": 15 no, 16 yes"},
	{"STARTING AT AGE 16", ": 15 no, 16 yes"},
	{"NOT COVERED UNDER AGE 16", ": 15 no, 16 yes"},
	{"NOT COVERED PRIOR TO AGE 16", ": 15 no, 16 yes"},
	{"OVER AGE 16", ": 15 no, 16 ?, 17 yes"},
	{"AGES 0-5 AND AGES 12-14", ": 4 yes, 8 no, 13 yes"},

	// A frequency.
	{"ONE IN 5 YEARS", "1 per 5 years: 41 yes"},
	{"1 PER 36 MONTHS", "1 per 36 months: 41 yes"},
	{"TWO PER CALENDAR YEAR", "2 per calendar_year: 41 yes"},
	{"2 PER BENEFIT YEAR", "2 per plan_year: 41 yes"},
	{"TWICE PER CONTRACT YEAR", "2 per plan_year: 41 yes"},
	{"ONCE EVERY 60 MONTHS", "1 per 60 months: 41 yes"},
	{"ONCE IN ANY 60 CONSECUTIVE MONTHS", "1 per 60 months: 41 yes"},
	{"1 IN A 12 MONTH PERIOD", "1 per 12 months: 41 yes"},
	{"ONE (1) PER 24-MONTH PERIOD", "1 per 24 months: 41 yes"},
	{"1 TIME PER 6 MONTHS", "1 per 6 months: 41 yes"},
	{"2 TIMES A YEAR", "2 per 1 year: 41 yes"},
	{"TWICE A YEAR", "2 per 1 year: 41 yes"},
	{"2X PER YEAR", "2 per 1 year: 41 yes"},
	{"TWICE YEARLY", "2 per 1 year: 41 yes"},
	{"1/36 MO", "1 per 36 months: 41 yes"},
	{"LIMITED TO ONE EVERY FIVE YEARS", "1 per 5 years: 41 yes"},
	{"LIMIT 2 PER CALENDAR YEAR", "2 per calendar_year: 41 yes"},
	{"FREQUENCY: 1 IN 24 MONTHS", "1 per 24 months: 41 yes"},
	{"ONE FULL MOUTH OR PANORAMIC FILM IN 5 YRS", "1 per 5 years: 41 yes"},
	{"NOT MORE THAN ONE PER 3 YEARS", "1 per 3 years: 41 yes"},
	{"NOT COVERED MORE OFTEN THAN ONCE IN 12 MONTHS", "1 per 12 months: 41 yes"},
	{"ONCE PER LIFETIME", "1 per lifetime: 41 yes"},
	{"ONE IN A LIFETIME", "1 per lifetime: 41 yes"},
	{"COVERED EVERY 6 MONTHS", "1 per 6 months: 41 yes"},
	{"ONCE PER TOOTH EVERY 5 YEARS", "1 per 5 years per tooth: 41 yes"},
	{"1 PER QUADRANT PER 24 MONTHS", "1 per 24 months per quadrant: 41 yes"},
	{"ONE PER 2 YEARS PER ARCH", "1 per 2 years per arch: 41 yes"},
	{"ONE PER PERSON PER YEAR", "1 per 1 year: 41 yes"},
	{"1 PER 6 MONTHS OR 2 PER CALENDAR YEAR", "1 per 6 months: 41 yes"},
	{"TWO PER CALENDAR YEAR THROUGH AGE 18", "2 per calendar_year, to age 18: 18 yes, 19 no"},
	{"UNDER AGE 16, ONE PER 12 MONTHS", "1 per 12 months, to age 15: 15 yes, 16 no"},

	// Nothing is limited.
	{"DEDUCTIBLE APPLIES", ": 41 yes"},
	{"DEDUCTIBLE 50 PER CALENDAR YEAR", ": 41 yes"},
	{"$50.00 PER PERSON DEDUCTIBLE", ": 41 yes"},
	{"SUBJECT TO ANNUAL MAXIMUM", ": 41 yes"},
	{"APPLIES TO THE CALENDAR YEAR MAXIMUM", ": 41 yes"},
	{"NEXT ELIGIBLE ON 2020-01-02", ": 41 yes"}, // a day that has come
	{"NO AGE LIMIT", ": 5 yes, 41 yes"},
	{"NO AGE OR FREQUENCY LIMITATIONS", ": 41 yes"},
	{"AGE LIMIT DOES NOT APPLY", ": 41 yes"},
	{"COVERED AT ANY AGE", ": 41 yes"},
	{"ALL AGES", ": 41 yes"},
	{"NO FREQUENCY LIMIT", ": 41 yes"},
	{"NO WAITING PERIOD APPLIES", ": 41 yes"},
	{"PROPHYLAXIS - ADULT", ": 41 yes"},
	{"COVERAGE IS BASED ON PPO ALLOWANCE", ": 41 yes"},
	{"X-RAYS AND NARRATIVE ARE REQUIRED", ": 41 yes"},
	{"ONCE PER TOOTH", ": 41 yes"},
	{"ADDITIONAL IMAGES MAY BE REQUESTED", ": 41 yes"},
	{"D0210 OR D0330", ": 41 yes"},
	{"COVERED AT 80 PERCENT", ": 41 yes"},
	{"PAID AS A TWO SURFACE FILLING", ": 41 yes"},
	{"CLASS 2", ": 41 yes"},
	{"DEDUCTIBLE HAS BEEN MET", ": 41 yes"},
	{"WAITING PERIOD HAS BEEN MET", ": 41 yes"},
	{"NO MISSING TOOTH CLAUSE", ": 41 yes"},
	{"LIMITED ORAL EVALUATION", ": 41 yes"},
	{"MINOR RESTORATIVE", ": 41 yes"},
	{"PALLIATIVE (EMERGENCY) TREATMENT", ": 41 yes"},

	// Not read for sure: the words are near those of a limit, and are none, or another one.
	{"COVERED AGE 14", ": 14 ?, 41 ?"},
	{"REPLACEMENT OF CROWNS LESS THAN 5 YEARS OLD IS NOT COVERED", ": 41 ?"},
	{"WHEN PERFORMED WITHIN 6 MONTHS AFTER OSSEOUS SURGERY", ": 41 ?"},
	{"12 MONTH WAITING PERIOD", ": 41 ?"},
	{"ONE YEAR WAITING PERIOD", ": 41 ?"},
	{"5 YEAR REPLACEMENT RULE", ": 41 ?"},
	{"TO AGE 19, OR 23 IF A FULL TIME STUDENT", ": 18 ?, 41 ?"},
	{"DEPENDENT CHILDREN TO AGE 26", ": 41 ?"},
	{"DEPENDENT AGE LIMIT 26", ": 41 ?"},
	{"TWICE PER YEAR TO AGE 14, ONCE PER YEAR THEREAFTER", ": 41 ?"},
	{"2 PER YEAR TO AGE 14, 1 PER YEAR AGE 15 AND OVER", ": 41 ?"},
	{"NOT COVERED AGES 14-18", ": 16 ?, 41 ?"},
	{"BENEFITS END AT AGE 19", ": 18 ?, 41 ?"},
	{"COVERED FOR CHILDREN ONLY", ": 10 ?, 41 ?"},
	{"ADULTS ONLY", ": 10 ?, 41 ?"},
	{"NOT COVERED", ": 41 ?"},
	{"NOT A BENEFIT", ": 41 ?"},
	{"EXCLUDED UNLESS DUE TO ACCIDENT", ": 41 ?"},
	{"ONE PER DENTIST PER 36 MONTHS", ": 41 ?"},
	{"1 PER 36 MONTHS PER PROVIDER", ": 41 ?"},
	{"EVERY OTHER YEAR", ": 41 ?"},
	{"COVERED ONCE", ": 41 ?"},
	{"LIMITED TO 2", ": 41 ?"},
	{"LIFETIME MAXIMUM OF 2", ": 41 ?"},
	{"50 PERCENT IN THE SECOND YEAR", ": 41 ?"},
	{"1-2 PER YEAR", ": 41 ?"},
	{"SEMI-ANNUALLY", ": 41 ?"},
	{"COVERED TO AGE 14 EXCEPT FOR SPECIAL NEEDS", ": 10 ?, 41 ?"},
	{"AGE 200 TO 3", ": 41 ?"},
	{"COVERAGE ENDS AT 19", ": 18 ?, 41 ?"},
	{"1 / 60M", ": 41 ?"},
	{"0 - 18 YEARS", ": 18 ?, 41 ?"},
	{"PATIENT AGE MUST BE LESS THAN 19", ": 18 ?, 41 ?"},
	{"UP TO AGE 19 (END OF MONTH)", ": 18 ?, 41 ?"},
	{"LIMITED TO 4 FILMS", ": 41 ?"},
	{"UNDER FOURTEEN", ": 10 ?, 41 ?"},
	{"COVERED TO AGE NINETEEN", "to age 19: 18 yes, 19 ?, 20 no"},
	{"THIRTEEN AND BELOW", ": 10 ?, 41 ?"},
	{"MAX TWENTY", ": 41 ?"},
	{"STUDENTS ONLY", ": 10 ?, 41 ?"},
	{"COVERED FOR MINORS", ": 10 ?, 41 ?"},
	{"KIDS ONLY", ": 41 ?"},
	{"COVERED FOR PEDO PATIENTS", ": 41 ?"},
	{"ADOLESCENTS", ": 41 ?"},
	{"COVERED FOR DEPENDENTS ONLY", ": 41 ?"},
	{"SUBSCRIBER ONLY", ": 41 ?"},
	{"WAITING PERIOD APPLIES", ": 41 ?"},
	{"LATE ENTRANT PROVISION", ": 41 ?"},
	{"MISSING TOOTH CLAUSE APPLIES", ": 41 ?"},
	{"REPLACEMENT RULE APPLIES", ": 41 ?"},
	{"FREQUENCY LIMITATIONS APPLY", ": 41 ?"},
	{"SEE PLAN LIMITATIONS", ": 41 ?"},
	{"RESTRICTIONS APPLY", ": 41 ?"},
	{"BENEFITS EXHAUSTED", ": 41 ?"},
	{"N/C", ": 41 ?"},
	{"NC", ": 41 ?"},
	{"BENEFITS WITHHELD", ": 41 ?"},
	{"GRADE SCHOOL ONLY", ": 10 ?, 41 ?"},
	{"DUE IN JANUARY", ": 41 ?"},
	{"CALL PAYER", ": 41 ?"},
	{"INCLUDED IN THE EXAM", ": 41 yes"},
	{"ANNUAL MAXIMUM MET", ": 41 ?"},
	{"MAXIMUM HAS BEEN REACHED", ": 41 ?"},
	{"COVERAGE TERMINATED", ": 41 ?"},
	{"ONCE PER QUARTER", ": 41 ?"},
	{"SEMIANNUAL", ": 41 ?"},
	{"NEXT ELIGIBLE IN JANUARY", ": 41 ?"},
	{"EMERGENCY ONLY", ": 41 ?"},
	{"NOTCOVERED", ": 41 ?"},

	// A condition on the tooth or on the treatment. A check names neither.
	{"PRIMARY TEETH ONLY", ": 10 ?, 41 ?"},
	{"LIMITED TO UNRESTORED PERMANENT MOLARS.", ": 10 ?"},
	{"ANTERIOR TEETH", ": 41 ?"},
	{"FIRST AND SECOND MOLARS", ": 10 ?"},
	{"COSMETIC", ": 41 ?"},
	{"COVERED WHEN MEDICALLY NECESSARY", ": 41 ?"},
	{"WHEN THE APPLIANCE IS NO LONGER USEABLE.", ": 41 ?"},
	{"COVERED WHEN THERE IS A LIABILITY.", ": 41 ?"},
	{"WHEN THERE IS EVIDENCE OF DECAY", ": 41 ?"},
	{"WHEN THERE IS RADIOGRAPHIC AND POCKET CHARTING EVIDENCE OF BONE LOSS.", ": 41 yes"},
	{"WHEN THERE IS EVIDENCE OF BONE LOSS, TO AGE 30", "to age 30: 29 yes, 41 no"},
	{"IF PERFORMED WITH A SURGICAL SERVICE", ": 41 ?"},
	{"ONCE PER 5 YEARS, IF DENTALLY NECESSARY", ": 41 ?"},
	{"PREFERRED PROVIDERS ONLY", ": 41 ?"},
	{"SPECIFIC BENEFITS ARE IN THE BOOKLET", ": 41 yes"},
	{"DEDUCTIBLE APPLIES", ": 41 yes"},
}

func TestLimitsInMessages(t *testing.T) {
	t.Parallel()
	for _, p := range phrases {
		limits, all, _ := strings.Cut(p.want, ":")
		for _, at := range strings.Split(all, ",") {
			var age int
			var want string
			if _, err := fmt.Sscan(at, &age, &want); err != nil {
				t.Fatal(p.message, err)
			}
			q := inquiry270()
			q.Inquiry.ProcedureCodes = []string{"D1206"}
			q.Inquiry.Subscriber.DateOfBirth = q.Inquiry.ServiceDate.AddMonths(-12 * age) // a birthday
			got := answer(t, q, about("EB*A*******0*****AD:D1206", "MSG*"+p.message)).Benefits.Procedures[0]
			status := map[coverage.ProcedureStatus]string{coverage.ProcedureCoveredNow: "yes", coverage.ProcedureAgeLimit: "no", "": "?"}[got.Status]
			if got.Note != p.message || status != want {
				t.Errorf("%s: at age %d %s, note %q, want %s", p.message, age, got.Status, got.Note, want)
			}
			maxAge := ""
			if got.MaxAge != nil {
				maxAge = fmt.Sprint("to age ", *got.MaxAge)
			}
			if line := commas(frequencyLine(got.Frequency), maxAge); line != limits {
				t.Errorf("%s: at age %d %q, want %q", p.message, age, line, limits)
			}
		}
	}
}

// FuzzLimitsInMessages proves of any message that letters and spaces do not change how
// it is read, and that a condition after it leaves no patient covered for sure.
func FuzzLimitsInMessages(f *testing.F) {
	for _, p := range phrases {
		f.Add(p.message, 10)
	}
	f.Fuzz(func(t *testing.T, message string, age int) {
		message = strings.Map(func(c rune) rune {
			if c < ' ' || c > '~' || strings.ContainsRune("*:^~", c) {
				return ' '
			}
			return c
		}, message[:min(len(message), 264)])
		age = max(age, -age) % 120
		read := func(message string) coverage.ProcedureBenefit {
			q := inquiry270()
			q.Inquiry.ProcedureCodes = []string{"D1206"}
			q.Inquiry.Subscriber.DateOfBirth = q.Inquiry.ServiceDate.AddMonths(-12 * age)
			return answer(t, q, about("EB*A*******0*****AD:D1206", "MSG*"+message)).Benefits.Procedures[0]
		}
		got := read(message)
		if f := got.Frequency; f != nil && (*f.Count < 1 || f.Period == "") || got.MaxAge != nil && (*got.MaxAge < 0 || *got.MaxAge > 999) {
			t.Errorf("%q: %s", message, procedureLine(got))
		}
		if other := read(strings.ToLower(strings.ReplaceAll(message, " ", "  "))); procedureLine(other) != procedureLine(got) {
			t.Errorf("%q: %s, in lower case %s", message, procedureLine(got), procedureLine(other))
		}
		if other := read(message + " . UNLESS ALREADY DONE"); other.Status == coverage.ProcedureCoveredNow {
			t.Errorf("%q: covered now, whatever the condition is", message)
		}
	})
}
