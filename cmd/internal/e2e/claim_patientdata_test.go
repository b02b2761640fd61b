package e2e_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// claimDataStaysIn searches for the patients of claims, their files and
// remittances. It searches every row of the database too: names are only in the
// columns of patients, claims, remittance claims and stored replies; files
// are encrypted.
func (s *watchedSystem) claimDataStaysIn(t *testing.T) {
	s.provide()
	c := &canary{system: s.system, t: t, sentinels: []string{
		"Zyxcanaryfirst", "Zyxcanarylast", "1947-03-29", "19470329", "ZYXCANARYMEMBER", "ZYXCANARYGROUP", "Zyxcanarystreet", "Zyxcanarycity",
		"Zyxcanarychild", "2011-07-23", "20110723", "Zyxcanarynote", "Zyxcanaryauth", "Zyxcanarywrong",
	}}
	ids := c.claims()
	c.misuse(ids)
	await(t, "the end of all work", func() bool { return s.count(claimWork) == 0 })
	_, remittances := get(t, s.urls[0]+"/eras?limit=100", s.key)
	_, metrics := get(t, s.eras[0].opsURL()+"/metrics", "")
	s.eras[0].kill() // without a worker the job stays in the queue, where the test reads it
	c.claim("CHTEST", "claim", "")
	message := c.message("molar.era")
	c.stray()

	texts := map[string]string{
		"remittances": remittances, "metrics of the eraworker": metrics, "queue": message, "messages to the caller": c.shown.String(),
		"quarantine, as the operator sees it": s.molar("era", "quarantine"),
	}
	_, texts["events"] = get(t, s.urls[0]+"/events?limit=100", s.key)
	_, texts["batches"] = get(t, s.urls[0]+"/batches?limit=100", s.key)
	for _, want := range []string{
		"claim.validated", "claim.needs_attention", "claim.queued", "claim.submitted", "claim.accepted", "claim.rejected", "claim.paid",
		"claim.denied", "claim.payment_reversed", "claim.voided", "batch.acknowledged", "era.received", "payer_request.received", "predetermination.returned",
	} {
		if !strings.Contains(texts["events"], `"`+want+`"`) {
			t.Errorf("no %s came", want)
		}
	}
	named := map[string]*process{"api": s.apis[0], "payerworker": s.workers[0]}
	s.metrics(texts, named)
	named["eraworker"] = s.eras[0]
	s.logs(texts, named)
	for name, text := range s.tables("claims", "patients", "patient_words", "era_claims") {
		texts["table "+name] = text
	}
	search(t, c.sentinels, texts)
	var encoded []string // as PostgreSQL shows bytes
	for _, canary := range c.sentinels {
		encoded = append(encoded, hex.EncodeToString([]byte(strings.ToUpper(canary))), hex.EncodeToString([]byte(canary)))
	}
	for _, name := range []string{"batches", "acknowledgements", "eras", "quarantine", "sandbox_mail", "sandbox_notes", "events", "jobs"} {
		search(t, encoded, map[string]string{name: texts["table "+name]})
	}
}

func (c *canary) claimBody(payer, kind, ending, more string) string {
	day := `"service_date":"2026-01-05",`
	if kind == "predetermination" {
		day = ""
	}
	c.steps++
	return fmt.Sprintf(`{"kind":%q,"office_id":%q,"payer_id":%q,"note":"Zyxcanarynote","prior_authorization":"Zyxcanaryauth",
		"subscriber":{"first_name":"Zyxcanaryfirst","last_name":"Zyxcanarylast","date_of_birth":"1947-03-29","member_id":"ZYXCANARYMEMBER%d%s",
			"group_number":"ZYXCANARYGROUP","gender":"female","address":{"line1":"1 Zyxcanarystreet","city":"Zyxcanarycity","state":"IL","zip":"62701"}},
		"patient":{"first_name":"Zyxcanarychild%s","last_name":"Zyxcanarylast","date_of_birth":"2011-07-23","relationship":"child","gender":"male"},
		"lines":[{"procedure_code":"D0120",%s"fee":"100.00"}]%s}`,
		kind, c.office, payer, c.steps, ending, strings.Repeat("x", c.steps), day, more)
}

// claim creates a claim and submits it.
func (c *canary) claim(payer, kind, ending string) (id string) {
	c.t.Helper()
	r := c.json(http.StatusCreated, "/claims", c.claimBody(payer, kind, ending, `,"submit":true`))
	if r.body["state"] != "queued" {
		c.t.Errorf("the claim is %v: %v", r.body["state"], r.body["findings"])
	}
	return idOf(r)
}

// claims creates claims of every ending and waits until one is voided.
func (c *canary) claims() (ids []string) {
	c.t.Helper()
	for _, f := range claimFates {
		ids = append(ids, c.claim(f.payer, f.kind, f.ending))
	}
	await(c.t, "a claim at its payer", func() bool { return c.read("/claims/" + ids[0])["state"] == "accepted_payer" })
	c.json(http.StatusCreated, "/claims/"+ids[0]+"/void", "{}")
	await(c.t, "a claim that is voided", func() bool { return c.read("/claims/" + ids[0])["state"] == "voided" })
	return ids
}

// misuse sends requests that are refused, with words that no message may
// repeat.
func (c *canary) misuse(ids []string) {
	c.t.Helper()
	const refused = http.StatusUnprocessableEntity
	c.json(refused, "/claims", c.claimBody("60054", "claim", "", `,"extra":"Zyxcanarywrong"`))
	c.json(refused, "/claims", c.claimBody("60054", "claim", "", `,"place_of_service":"Zyxcanarywrong"`))
	c.json(refused, "/claims", strings.Replace(c.claimBody("60054", "claim", "", ""), "1947-03-29", "Zyxcanarywrong", 1))
	c.json(refused, "/claims", strings.Replace(c.claimBody("60054", "claim", "", ""), `"gender":"male"`, `"gender":"Zyxcanarywrong"`, 1))
	c.json(http.StatusNotFound, "/claims", c.claimBody("Zyxcanarywrong", "claim", "", ""))
	c.json(http.StatusConflict, "/claims/"+ids[0]+"/replace", c.claimBody("60054", "claim", "", ""))
	c.json(http.StatusCreated, "/claims", strings.Replace(c.claimBody("60054", "claim", "", ""), "1947-03-29", "1847-03-29", 1)) // needs attention
	for _, query := range []string{"patient_control_number=Zyxcanarylast", "sent_from=Zyxcanarylast", "state=Zyxcanarylast", "cursor=Zyxcanarylast", "Zyxcanarylast=1"} {
		get(c.t, c.urls[0]+"/claims?"+query, c.key)
	}
	get(c.t, c.urls[0]+"/claims/Zyxcanarylast", c.key)
}

// stray sends a remittance from outside for an unverified office. Before that
// another organization creates an office with the same NPI, which changes
// nothing.
func (c *canary) stray() {
	c.t.Helper()
	org := c.molar("orgs", "create", "Twin Dental")
	c.molar("offices", "create", "--org", org, "--name", "Twin", "--npi", "1234567893")
	had := c.count("SELECT count(*) FROM eras") // the eraworker is down: they are stored and not applied
	c.claim("CHTEST", "claim", "")
	await(c.t, "a remittance although another office has the NPI", func() bool { return c.count("SELECT count(*) FROM eras") > had })
	for _, change := range []string{
		"CREATE FUNCTION outside() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.org_id := NULL; NEW.mode := NULL; RETURN NEW; END'",
		"CREATE TRIGGER outside BEFORE INSERT ON sandbox_mail FOR EACH ROW EXECUTE FUNCTION outside()",
		"UPDATE offices SET verified_at = NULL",
	} {
		if _, err := c.db.Exec(change); err != nil {
			c.t.Fatal(err)
		}
	}
	c.claim("CHTEST", "claim", "")
	await(c.t, "a remittance in quarantine", func() bool { return c.count("SELECT count(*) FROM quarantine") > 0 })
}
