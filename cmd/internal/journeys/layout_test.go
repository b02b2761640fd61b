package journeys_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Every screen of the router keeps its parts in their places while it loads, and is no
// taller than what it shows. The network is slow enough that what waits is drawn.
func TestScreensStayInPlace(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	ids := practice.oneOfEach(page)
	paths := screens(t, ids)
	paths["/estimates/new of a check"] = "/estimates/new?check_id=" + ids["/eligibility/$id"]
	paths["/patients/$id with claims"] = "/patients/" + practice.patientOf("/claims/"+ids["/claims/$id"])
	if err := (proto.NetworkEmulateNetworkConditions{Latency: 60, DownloadThroughput: -1, UploadThroughput: -1}).Call(page.rod); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		page.open("/test" + path)
		page.settles()
		page.still(path)
		page.whole(path)
	}
}

// Someone who only reads finds no form on any screen but that of the own account.
func TestAViewerFindsNoForm(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("viewer")
	page.mayBeRefused(http.StatusForbidden, "") // what an owner reads
	for screen, path := range screens(t, practice.oneOfEach(page)) {
		if screen == "/settings" {
			continue
		}
		page.open("/test" + path)
		page.settles()
		page.finds(screen+" has ", `() => [...document.querySelectorAll("main form, main textarea")]
			.filter((f) => !f.closest(".filters")).map((f) => f.tagName + " " + f.innerText).join("; ")`)
	}
	page.open("/test/settings/offices/new")
	page.sees("Only an owner adds offices.")
	page.open("/test/claims/new")
	page.sees("Your role can read, but not change anything.", "An owner can change your role.")
	page.screen("viewer")
}

// In forced colors, which take backgrounds away, bars still have a length, and badges a
// frame.
func TestForcedColors(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	check := practice.checks("W96-ACTIVE-FULL")
	page := practice.signsIn("viewer")
	page.open("/test/eligibility/" + check)
	page.sees("Maximums and deductibles")
	err := proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "forced-colors", Value: "active"}}}.Call(page.rod)
	if err != nil {
		t.Fatal(err)
	}
	page.picture("forced-colors")
	page.finds("without colors ", `() => {
		const style = (of) => getComputedStyle(document.querySelector(of))
		if (style(".bar > div").backgroundColor === style(".bar").backgroundColor) return "a bar has no length"
		return ["badge", "bar"].filter((of) => style("." + of).borderTopWidth !== "1px").map((of) => "a " + of + " has no frame").join()
	}`)
}

// A plan that does not cover the patient, and a payer that does not say, are said in a
// banner, and nothing stands empty beside the plan. A note is in the row of its procedure.
func TestWhatAnAnswerSaysFirst(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	for ending, says := range map[string]string{"INACTIVE": "Not covered. The plan ended on", "UNKNOWN": "Not known. The payer does not say whether the plan covers the patient."} {
		page.open("/test/eligibility/" + practice.checks("W97-"+ending))
		page.sees(says)
		page.finds(ending+" ", `() => [...document.querySelectorAll(".columns > *")].some((c) => c.checkVisibility() && c.childElementCount === 0)
			? "has an empty column" : ""`)
		if ending == "INACTIVE" {
			page.seesNo("What the payer did not return")
		}
		page.screen("eligibility-" + strings.ToLower(ending))
	}
	page.open("/test/eligibility/" + practice.checks("W98-ACTIVE-FULL"))
	page.sees("ONCE PER TOOTH")
	page.finds("a note ", `() => [...document.querySelectorAll("td:first-child .sub")].some((n) => n.innerText.includes("ONCE PER TOOTH") && n.closest("tr").innerText.includes("D1351"))
		? "" : "is parted from its procedure"`)
}

// screens returns the paths of the router's screens, with the IDs of resources.
func screens(t *testing.T, ids map[string]string) map[string]string {
	t.Helper()
	router, err := os.ReadFile("../../../adapters/dashboard/web/src/routes.tsx")
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, match := range regexp.MustCompile(`"(/[^"]*)": shown\(`).FindAllSubmatch(router, -1) {
		screen := string(match[1])
		id, ok := ids[screen]
		if strings.Contains(screen, "$id") && !ok {
			t.Errorf("no resource for %s", screen)
		}
		paths[screen] = strings.Replace(screen, "$id", id, 1)
	}
	return paths
}

// oneOfEach creates a resource for each screen of one, and returns their IDs by the
// screens' paths.
func (p *practice) oneOfEach(page *page) map[string]string {
	p.t.Helper()
	p.receives("Practice software", nil)
	check := p.checks("W90-ACTIVE-FULL", "D2740", "D1110")
	draft := p.claims("Dora", "W91", map[string]any{"draft": true}, aFilling())
	estimate := p.claims("Kim", "W92-ESTIMATE", map[string]any{"kind": "predetermination", "submit": true},
		map[string]any{"procedure_code": "D2740", "fee": "1250.00", "tooth": "3"})
	paid := p.claims("Rosa", "W93-PAID-ERA", map[string]any{"submit": true}, aFilling())
	attachment := p.post("/attachments", map[string]any{"claim_id": draft, "narrative": "The old filling is broken."})["id"].(string)
	request := p.post("/payer_requests", map[string]any{
		"claim_id": paid, "reference_number": "REF-1", "requested": "Please send the full-mouth series.", "due_date": lastWeek,
	})["id"].(string)
	fees := p.post("/fee_schedules", map[string]any{
		"name": "Office fees", "kind": "office_fees", "effective_from": "2026-01-01", "rows": []map[string]any{{"procedure_code": "D2740", "amount": "1250.00"}, {"procedure_code": "D1110", "amount": "104.00"}},
	})["id"].(string)
	cost := p.post("/estimates", map[string]any{
		"eligibility_id": check, "lines": []map[string]any{{"procedure_code": "D2740", "tooth": "14"}},
	})["id"].(string)
	batch := p.post("/eligibility/batches", map[string]any{"name": "Tomorrow", "items": []map[string]any{{
		"item_id": "1", "office_id": p.office, "payer_id": "CHTEST",
		"subscriber": map[string]string{"first_name": "Nora", "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": "W95-INACTIVE"},
	}}})["id"].(string)
	p.imports("Date,Description,Amount\n2026-01-02,HCCLAIMPMT SOMEBODY ELSE,12.00\n")
	page.becomes(p, estimate, "returned")
	page.becomes(p, paid, "paid")
	appeal := p.post("/claims/"+paid+"/appeals", map[string]any{"reason": "The film shows decay."})["id"].(string)
	return map[string]string{
		"/eligibility/$id": check, "/claims/$id": paid, "/claims/$id/edit": draft, "/claims/$id/replace": paid,
		"/claims/$id/secondary": paid, "/claims/$id/convert": estimate, "/attachments/$id": attachment, "/payer-requests/$id": request,
		"/remittances/$id": p.comes("/eras"), "/developers/events/$id": p.comes("/events"),
		"/developers/deliveries/$id": p.comes("/webhook_deliveries"), "/developers/webhooks/$id": p.comes("/webhook_endpoints"),
		"/developers/requests/$id": p.comes("/requests"), "/settings/offices/$id": p.office, "/settings/fees/$id": fees,
		"/estimates/$id": cost, "/schedule/$id": batch, "/deposits/$id": p.comes("/deposits"), "/appeals/$id": appeal,
		"/patients/$id": p.patientOf("/eligibility/" + check),
	}
}

// imports imports a file of the practice's bank.
func (p *practice) imports(csv string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "bank.csv")
	if err := os.WriteFile(file, []byte(csv), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.s.molar(p.t, "deposits", "import", file, "--account", "6789", "--api-key", p.key, "--api-url", p.s.origin)
}

// patientOf returns the ID of the patient that a resource is about.
func (p *practice) patientOf(path string) (id string) {
	p.t.Helper()
	return p.get(path)["patient_id"].(string)
}

// checks checks the coverage of Nora Rivers, and returns the ID of the check.
func (p *practice) checks(memberID string, procedures ...string) (id string) {
	p.t.Helper()
	return p.post("/eligibility", map[string]any{
		"office_id": p.office, "payer_id": "CHTEST", "procedure_codes": append([]string{}, procedures...),
		"subscriber": map[string]string{"first_name": "Nora", "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": memberID},
	})["id"].(string)
}

// comes waits until a list has a resource, and returns the ID of the first one.
func (p *practice) comes(list string) (id string) {
	p.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		if all := p.get(list)["data"].([]any); len(all) > 0 {
			return all[0].(map[string]any)["id"].(string)
		}
		if time.Now().After(end) {
			p.t.Fatalf("nothing comes in %s", list)
		}
	}
}

// settles waits until the page waits for nothing.
func (p *page) settles() {
	p.tb.Helper()
	p.until("a settled page", func(r *rod.Page) error {
		waits, err := p.eval(r, `() => document.querySelector("h1") && !document.querySelector("[aria-label=Loading]") ? "" : "it loads"`)
		if err == nil && waits != "" {
			err = errors.New(waits)
		}
		return err
	})
	if err := p.rod.Timeout(patience).WaitRepaint(); err != nil {
		p.tb.Fatal(err)
	}
}

// What the keyboard reaches on a long form is never below the bar that saves it, or
// below the one that names the mode.
func TestTheSaveBarCoversNothing(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	draft := practice.claims("Dora", "W94", map[string]any{"draft": true}, aFilling(), aFilling(), aFilling())
	page := practice.signsIn("biller")
	for _, width := range []int{desktop, phone} {
		page.shows(width, false)
		page.open("/test/claims/" + draft + "/edit")
		page.seesA("button", "Save as draft")
		for _, key := range []string{"Tab", "Shift+Tab"} {
			for around, stops := false, 0; !around; stops++ {
				if page.press(key); stops == 200 {
					t.Fatal("Tab never comes around")
				}
				page.finds(fmt.Sprintf("%s at %d pixels: ", key, width), `() => {
					const at = document.activeElement, box = at.getBoundingClientRect()
					const covers = [...document.querySelectorAll(".save-bar, .mode-bar, .top")].filter((bar) => {
						const { top, bottom } = bar.getBoundingClientRect()
						return bottom > top && !bar.contains(at) && at.closest(".main") && box.top < bottom && box.bottom > top
					})
					return covers.map((bar) => bar.className + " covers " + (at.labels?.[0] ?? at).innerText).join(", ")
				}`)
				at, err := page.eval(page.rod.Timeout(patience), `() => document.activeElement === document.body ? "the window" : ""`)
				if err != nil {
					t.Fatal(err)
				}
				around = at != ""
			}
		}
	}
}
