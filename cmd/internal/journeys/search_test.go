package journeys_test

import "testing"

// A front desk types what the patient says, in any order, and everything about the
// patient is one key away: checks too, before there is a claim.
func TestAPatientFoundOpensWhatThereIs(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	person := map[string]any{"first_name": "Mary Ann", "last_name": "Garcia-Lopez", "date_of_birth": "1985-02-03", "member_id": "W77-ACTIVE-FULL"}
	practice.post("/eligibility", map[string]any{"office_id": practice.office, "payer_id": "CHTEST", "subscriber": person})
	page := practice.signsIn("biller")
	search := func(text string) {
		page.press("Control+K")
		page.focuses("Find a patient, claim or command")
		page.types(text)
		page.sees("born Feb 3, 1985") // in the list of what is found
	}
	search("lopez garcia")
	page.press("Enter")
	page.sees("Born Feb 3, 1985", "Owes nothing", "Member ID W77-ACTIVE-FULL, Molar Test Payer", "Eligibility checks", "Covered", "No claims")
	page.focuses("Mary Ann Garcia-Lopez") // the heading
	search("w77")                         // the start of the member ID of a check
	page.press("Enter")
	page.sees("Eligibility checks")
	page.click("New check")
	page.has("Payer", "Molar Test Payer (CHTEST)")
	for label, value := range map[string]string{"First name": "Mary Ann", "Last name": "Garcia-Lopez", "Date of birth": "1985-02-03", "Member ID": "W77-ACTIVE-FULL"} {
		page.has(label, value)
	}

	claim := practice.claims("Mary Ann", "W77-ACTIVE-FULL", map[string]any{"subscriber": map[string]any{
		"first_name": "Mary Ann", "last_name": "Garcia-Lopez", "date_of_birth": "1985-02-03", "member_id": "W77-ACTIVE-FULL",
		"address": map[string]any{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
	}}, aFilling())
	practice.post("/attachments", map[string]any{"claim_id": claim})
	practice.post("/payer_requests", map[string]any{
		"claim_id": claim, "payer_id": "CHTEST", "reference_number": "R-77", "requested": "Please send the X-rays.", "due_date": "2030-01-09",
	})
	search("2/3/85 mar")
	page.press("Enter")
	page.sees("$180.00", "No images", "Please send the X-rays.", "Remittances")
	page.screen("patient")
	search("w77") // the start of a member ID
}

// The same person under two names is found, and each page leads to the other. A check's number
// and a claim's control number lead to the patient, and who was seen last stays first.
func TestOnePatientUnderTwoNames(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	check := func(first string) string {
		return practice.post("/eligibility", map[string]any{"office_id": practice.office, "payer_id": "CHTEST", "subscriber": map[string]any{
			"first_name": first, "last_name": "Moss", "date_of_birth": "1985-02-03", "member_id": "W78-ACTIVE-FULL",
		}})["id"].(string)
	}
	check("Liz")
	second := check("Elizabeth")
	page := practice.signsIn("biller")
	page.press("Control+K")
	page.focuses("Find a patient, claim or command")
	page.types(second) // the number of the check
	page.sees("born Feb 3, 1985")
	page.clickA("option", "Elizabeth Moss born Feb 3, 1985")
	page.sees("This may be the same person under another name.", "Liz Moss")
	page.click("Liz Moss")
	page.seesA("heading", "Liz Moss")
	page.sees("Elizabeth Moss, born Feb 3, 1985, has the same member ID.")
	page.screen("patient-twice")
	page.press("Control+K")
	page.sees("Recent patients", "Elizabeth Moss")
	page.press("Escape")
	page.within("navigation", "Screens").click("Eligibility")
	page.seesA("heading", "Eligibility")
	page.focuses("Eligibility")
	page.choosesAPatient("eliz", "Elizabeth Moss")
	page.seesNo("Liz Moss")
	page.click("All patients")
	page.sees("Liz Moss", "Elizabeth Moss")
}

// choosesAPatient narrows the list of checks to a patient.
func (p *page) choosesAPatient(text, name string) {
	p.tb.Helper()
	p.fill("Patient", text)
	p.sees(name + " born")
	p.press("Enter")
}

// Ctrl-K knows the words on buttons, and other words for them; a viewer is offered no action.
func TestCommandsByTheirWords(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	find := func(text, label string) {
		page.press("Control+K")
		page.focuses("Find a patient, claim or command")
		page.types(text)
		page.seesA("option", label)
		page.press("Enter")
	}
	for text, label := range map[string]string{"covered": "New check", "quarantine": "Quarantine"} {
		find(text, label)
		page.seesA("heading", label)
	}
	for text, of := range map[string]struct{ label, dialog, screen string }{
		"prices":  {"Import a fee schedule", "Import a fee schedule", "Settings"},
		"835":     {"Import a remittance", "Import a remittance", "Remittances"},
		"dentist": {"New provider", "New provider", "Settings"},
		"token":   {"New key", "New API key", "API keys"},
		"hook":    {"New endpoint", "New endpoint", "Webhooks"},
	} {
		for range 2 { // from another screen, and from its own
			find(text, of.label)
			page.seesA("dialog", of.dialog)
			page.press("Escape")
			page.seesA("heading", of.screen)
		}
	}
	check := practice.checks("W85-ACTIVE-FULL")
	page.open("/test/eligibility/" + check)
	page.seesA("heading", "Nora Rivers")
	find("curl", "Copy as curl")
	page.sees("Copied as curl")
	find("add what", "Add what the payer said by phone")
	page.seesA("dialog", "What the payer said")
	page.press("Escape")
	find("estim", "Estimate")
	page.seesA("heading", "New estimate")
	viewer := practice.signsIn("viewer")
	viewer.press("Control+K")
	viewer.focuses("Find a patient, claim or command")
	viewer.sees("Go to", "Claims")
	viewer.seesNo("New check", "New claim", "New key", "Users")
}

// A viewer sees no form that the role may not use, also by an address that somebody sent.
func TestAViewerSeesNoForm(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Nora", "W83-PAID-ERA", nil, aFilling())
	viewer := practice.signsIn("viewer")
	for path, says := range map[string]string{
		"/eligibility/new": "Only reading", "/claims/new": "Only reading", "/claims/" + claim + "/edit": "Only reading", "/attachments/new": "Only reading",
		"/settings/users": "Only for owners", "/settings/offices/new": "Only an owner adds offices.", "/settings/offices/" + practice.office: "NPI",
	} {
		viewer.open("/test" + path)
		viewer.sees(says)
		viewer.finds("on "+path+", ", `() => document.querySelector("main form") ? "there is a form" : ""`)
	}
}
