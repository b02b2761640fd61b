package journeys_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
)

// theSchedule is tomorrow's 30 patients as another program exports them: in Windows-1252,
// with semicolons, and not in the order of the day. "Molar Test" is the name of no payer. A spreadsheet
// has taken the zeros of Finn's member ID; Ida's year has two digits, and Otto's birth date is
// written as in Europe. The payer does not know Nora's member ID.
func theSchedule(t *testing.T) (file string) {
	t.Helper()
	firsts := strings.Fields("Ana Bea Cem Dan Finn Ida Eve Otto Gil Nora Hal Ike Kim Lou Max Ned Oda Pia Rob Sam Tim Uma Val Wes Xia Yan Zoé Abe Bob Cal")
	ids := map[string]string{"Finn": "1234567", "Nora": "W9-NOT-FOUND", "Kim": "W12-INACTIVE", "Ned": "W15-DIFFERENT", "Rob": "W18-ACTIVE-USED-UP"}
	born := map[string]string{"Ida": "4/30/80", "Otto": "31/12/1980"}
	tomorrow := time.Now().AddDate(0, 0, 1).Format("1/2/2006")
	lines := "Date;Time;Patient Name;DOB;Insurance;Subscriber ID;Chart\r\n"
	for i, first := range firsts {
		at := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(i*7%len(firsts)) * 15 * time.Minute)
		payer, id, day := "Aetna Dental", fmt.Sprint(100234500+i), fmt.Sprintf("%d/%d/19%d", i%12+1, i%28+1, 50+i)
		if i%3 == 0 {
			payer, id = "Molar Test", fmt.Sprintf("W%d-ACTIVE-FULL", i)
		}
		if special, ok := ids[first]; ok {
			id = special
		}
		if special, ok := born[first]; ok {
			day = special
		}
		lines += fmt.Sprintf("%s;%s;\"Rivers, %s\";%s;%s;%s;C-%d\r\n", tomorrow, at.Format("3:04 PM"), first, day, payer, id, i)
	}
	file = filepath.Join(t.TempDir(), "tomorrow.csv")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(lines, "é", "\xe9")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The front desk verifies tomorrow's patients from the file of its own program: it says once which
// payer a name means, corrects two cells, and starts. In the morning the list has those who need a
// person first, one of whom is corrected and asked about again, and prints.
func TestTomorrowsPatients(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.within("navigation", "Screens").click("Schedule")
	page.sees("No schedules yet")
	page.click("Verify the first schedule")
	page.seesA("button", "Choose a CSV file")
	page.screen("schedule-new")
	page.upload("Choose a CSV file", theSchedule(t))
	page.sees("18 patients can be asked about. 12 rows need a correction, or are left out.", "1 left out (Chart)", "Read as 001234567")
	page.screen("schedule-faults")
	page.row("Rivers, Ana").click("Molar Test Payer")
	page.sees("“Molar Test” is kept as Molar Test Payer.", "Means Molar Test Payer", "28 patients can be asked about. 2 rows need a correction, or are left out.")
	page.row("Rivers, Ida").click("4/30/1980")
	page.sees("29 patients can be asked about.")
	page.focuses("DOB of line 9")
	page.press("Control+A")
	page.types("12/31/1980")
	page.press("Enter")
	page.sees("30 patients can be asked about.")
	page.focuses("Ask about 30 patients")
	page.within("navigation", "Screens").click("Claims")
	page.sees("Leave without saving?", "The corrections of the file are not saved.")
	page.click("Stay")
	page.seesNo("Leave without saving?")
	page.click("Ask about 30 patients")
	page.sees("Done", "30 patients", "3 need a person", "$1,640.00 of the year's maximum is left.")
	todo, others := page.within("region", "Needs a person"), page.within("region", "By appointment")
	todo.row("Nora Rivers").sees("Molar Test Payer", "Not known yet")
	todo.row("Kim Rivers").sees("Not covered")
	todo.sees("Ask the patient for another plan before the visit.", "The payer has other details on file.")
	others.row("Zoé Rivers").sees("Aetna Dental", "Covered", "$1,640.00", "$0.00")
	others.row("Rob Rivers").sees("The year's maximum is used up")
	page.screen("schedule-morning")
	page.click("Correct and ask again about Nora Rivers")
	page.sees("Send again")
	page.screen("schedule-correct")
	page.fill("Member ID", "W9-ACTIVE-FULL")
	page.click("Send again")
	page.sees("2 need a person")
	others.row("Nora Rivers").sees("Covered")
	page.finds("by appointment: ", `() => {
		const times = [...document.querySelectorAll("section[aria-label='By appointment'] tbody tr td[data-head=Time]")].map((td) => Date.parse("2026-01-01 " + td.innerText.trim()))
		return times.length === 28 && times.every((t, i) => i === 0 || times[i - 1] < t) ? "" : times.join()
	}`)
	sheets := page.printed()
	if len(sheets) > 3 {
		t.Errorf("the list prints on %d pages", len(sheets))
	}
	for i, sheet := range sheets {
		if !strings.Contains(sheet, "Testmode") || !strings.Contains(sheet, "MainStreet") || !strings.Contains(sheet, "appointmentson") {
			t.Errorf("page %d of the list does not say what it is: %s", i+1, sheet)
		}
	}
	if all := strings.Join(sheets, ""); strings.Contains(all, "Correctandaskagain") || !strings.Contains(all, "NoraRivers") {
		t.Errorf("the list prints as %s", all)
	}
	page.click("Only those that need a person")
	page.seesNo("Nora Rivers")
	page.at(page.address())
	if !strings.HasSuffix(page.address(), "?needs_a_person=true") {
		t.Errorf("the filter is not in the address %s", page.address())
	}
	page.click("Only those that need a person")
	page.sees("Nora Rivers")
	page.click("Select Kim Rivers")
	page.click("Select Nora Rivers")
	page.click("Mark as handled 1 of 2")
	page.sees("1 of 2 handled, 1 left as it is.", "Nora Rivers: Nothing is to do about the patient.", "done, nothing more to do until something changes.")
	page.printsAPageForEachPatient(30)
}

// printsAPageForEachPatient prints the sheets for the patients, without codes. The dialog of the browser
// would hold the page, so the page is kept as it would print.
func (p *page) printsAPageForEachPatient(patients int) {
	p.tb.Helper()
	if _, err := p.rod.Timeout(patience).Eval(`() => { window.print = () => { window.sheets = document.querySelector(".page").cloneNode(true) } }`); err != nil {
		p.tb.Fatal(err)
	}
	p.click("Print")
	p.click("A page for each patient, without codes")
	p.until("the sheets for the patients", func(r *rod.Page) error {
		done, err := p.eval(r, `() => {
			if (!window.sheets || document.querySelector(".patient-sheets")) return ""
			document.querySelector("main").replaceChildren(window.sheets)
			return "done"
		}`)
		if err == nil && done == "" {
			err = errors.New("were not printed")
		}
		return err
	})
	sheets := p.printed()
	if len(sheets) != patients {
		p.tb.Errorf("%d patients print on %d pages:\n%s", patients, len(sheets), strings.Join(sheets, "\n"))
	}
	for i, sheet := range sheets {
		for _, text := range []string{"Testmode", "MainStreet", "Rivers,born", "MemberID", "checked"} {
			if !strings.Contains(sheet, text) {
				p.tb.Errorf("page %d lacks %q: %s", i+1, text, sheet)
			}
		}
		if code := regexp.MustCompile(`[^I]D\d{4}`).FindString(sheet); code != "" { // the I is of MemberID
			p.tb.Errorf("page %d has the code %s", i+1, code)
		}
	}
}

// Rows can be pasted, columns can be mapped, and a row that is not corrected is left out.
func TestAScheduleThatIsPasted(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	page.open("/test/schedule/new")
	page.fill("Or paste the rows", "Who\tDOB\tInsurance\tSubscriber ID\tRel\nRivers, Nora\t2/29/1984\tCHTEST\tW1-PAYER-DOWN\t\nRivers, Finn\t2/29/2016\tCHTEST\tW1-PAYER-DOWN\tchild\nRivers, Otto\t2/28/1984\tCHTEST\tW2-PAYER-DOWN\t\n")
	page.sees("The file is not read yet.", "No column has this: Patient's name.")
	page.screen("schedule-columns")
	page.choose("Who", "Patient's name")
	page.sees("The column Who is kept as: Patient's name.", "2 patients can be asked about. 1 row needs a correction, or is left out.", "Subscriber's first name", "Subscriber's date of birth")
	page.fill("Name", "Pasted")
	page.click("Ask about 2 patients")
	page.seesA("heading", "Pasted")
	page.sees("Waiting for the payer", "It did not respond, and is asked again at ")
	page.screen("schedule-running")
	page.click("Ask no more about Otto Rivers")
	page.within("dialog", "Ask no more about Otto Rivers?").click("Ask no more")
	page.row("Otto Rivers").sees("Canceled")
	page.row("Nora Rivers").sees("Waiting for the payer")
	page.click("Ask nothing more")
	page.within("dialog", "Ask nothing more?").click("Ask nothing more")
	page.sees("Canceled")
	page.within("navigation", "Screens").click("Schedule")
	page.row("Pasted").sees("Canceled")
	page.screen("schedule-list")
	viewer := practice.signsIn("viewer")
	viewer.open("/test/schedule")
	viewer.row("Pasted").sees("Canceled")
	viewer.seesNo("Verify a schedule")
}
