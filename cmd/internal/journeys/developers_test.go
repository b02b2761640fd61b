package journeys_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod"
)

// paidCrown is a claim that the sandbox pays.
func (p *practice) paidCrown(member string) map[string]any {
	return map[string]any{
		"office_id": p.office, "payer_id": "CHTEST",
		"subscriber": map[string]any{
			"first_name": "Sam", "last_name": "Example", "date_of_birth": "1984-02-29", "member_id": member, "gender": "male",
			"address": map[string]any{"line1": "2 Oak St", "city": "Albany", "state": "NY", "zip": "12207"},
		},
		"lines": []any{map[string]any{"procedure_code": "D2740", "service_date": "2026-01-02", "fee": "1250.00", "tooth": "14"}},
	}
}

// One endpoint works, one fails and one is gone. The developer finds the failing
// one, reads an attempt, and resends what it missed once it works again.
func TestAFailingEndpointIsFoundAndItsDeliveriesResent(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.receives("Front desk", nil)
	path := practice.receives("Practice software", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		http.Error(w, "database is locked <b>again</b>", http.StatusInternalServerError)
	})
	practice.receives("Old server", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	practice.receives("Moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://example.com/the-new-place", http.StatusPermanentRedirect)
	})
	page := practice.signsIn("owner")
	for _, name := range []string{"Warehouse", "Kiosk"} {
		practice.s.molar(t, "keys", "create", "--org", practice.org, "--name", name)
		// An endpoint that is gone is never asked again, so nothing may wait for it.
		page.until("the first attempts", func(*rod.Page) error {
			waiting := practice.get("/webhook_deliveries?state=pending")["data"].([]any)
			for _, d := range waiting {
				if len(d.(map[string]any)["attempts"].([]any)) == 0 {
					return errors.New("one has no attempt")
				}
			}
			return nil
		})
	}
	page.open("/test")
	page.click("2 webhook endpoints are failing Your software is not receiving events.")
	page.at("/test/developers/webhooks?failing=true")
	page.sees("Only endpoints that are failing are shown.", "Practice software", "Moved")
	page.seesNo("Front desk", "Old server")
	page.open("/test/developers")
	page.sees("Healthy", "Failing", "Gone")
	page.screen("developers")
	page.tabTo("Practice software")
	page.press("Enter")
	page.sees("Failing since", "Every type")
	page.screen("developers-endpoint")
	page.click("Undelivered events")
	page.sees("Retrying", "500 Internal error")
	page.screen("developers-deliveries")

	page.click("Resend all that match")
	page.within("dialog", "Resend all that match?").sees("State: Waiting or retrying", "Endpoint: Practice software", "Molar sends 2 events again")
	page.screen("developers-resend")
	receiver.reply(path, nil) // not earlier, since a retry that comes now leaves less to resend
	page.click("Resend them")
	page.sees("2 deliveries queued")
	page.choose("State", "Delivered")
	page.sees("204 No content")
	page.choose("State", "All states")
	page.choose("Endpoint", "Moved")
	page.sees("308 Permanent redirect")
	page.choose("Endpoint", "Old server")
	page.sees("410 Gone")
	page.open("/test/developers/webhooks")
	page.screen("developers-webhooks")
}

// The attempts of a delivery show what came back, as text.
func TestTheAttemptsOfADelivery(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.receives("Moved", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Trace", "<img src=x onerror=alert(1)>")
		w.Header().Set("Location", "https://example.com/"+strings.Repeat("the-new-place/", 12))
		w.WriteHeader(http.StatusPermanentRedirect)
		_, _ = fmt.Fprint(w, "<script>alert(1)</script>", strings.Repeat("moved", 60))
	})
	practice.s.molar(t, "keys", "create", "--org", practice.org, "--name", "Kiosk")
	page := practice.signsIn("biller")
	page.open("/test/developers/deliveries")
	page.sees("308 Permanent redirect")
	page.tabTo("API key created")
	page.press("Enter")
	page.sees("Attempt 1", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "Molar does not follow redirects")
	page.screen("developers-delivery")
	page.click("Resend")
	page.sees("1 delivery queued")
	page.open("/test/developers/webhooks")
	page.sees("Only an owner creates and changes endpoints.")
	page.seesNo("New endpoint")
}

// An owner creates an endpoint, whose secret is shown once, and tests it.
func TestAnEndpointIsCreatedAndTested(t *testing.T) {
	t.Parallel()
	practice := newOrganization(t)
	page := practice.signsIn("owner")
	page.sees("Set up your practice", "Add your office, with its NPI and tax ID, as payers know it.", "Add your dentists")
	page.screen("today-new")
	page.click("Developers")
	page.sees("No webhook endpoints", "No delivery failed", "No requests in the last day")
	page.screen("developers-empty")
	page.open("/test/developers/webhooks")
	page.sees("No endpoints yet")
	page.click("New endpoint")
	page.refused(http.StatusUnprocessableEntity, "POST /api/v1/webhook_endpoints")
	page.fill("URL", "https://127.0.0.1/hooks")
	page.fill("Description (optional)", "Practice software")
	page.click("Every type")
	page.click("Claim paid")
	page.screen("developers-endpoint-new")
	page.click("Create the endpoint")
	page.sees("The URL must")
	page.fill("URL", "https://example.com/"+practice.org)
	page.click("Create the endpoint")
	page.within("dialog", "The endpoint's secret").sees("whsec_", "Molar does not show it again")
	page.screen("developers-secret")
	page.click("I have stored it")
	page.seesNo("whsec_")
	page.tabTo("Practice software")
	page.press("Enter")
	page.sees("Claim paid", "No deliveries yet")
	page.click("Send a test event")
	page.within("dialog", "Test event").sees("204 No content")
	page.screen("developers-ping")
	page.click("Done")
}

// A key is created, shown once, used by a program, and revoked.
func TestAKeyIsCreatedUsedAndRevoked(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	page.click("Developers")
	page.click("API keys")
	page.click("New key")
	page.fill("Name", "Reporting")
	page.choose("May", "Read only")
	page.click("Create the key")
	dialog := page.within("dialog", "The new API key")
	dialog.sees("Molar does not show it again")
	words := strings.Fields(dialog.text())
	at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "molar_test_") })
	if at < 0 {
		t.Fatalf("no key in %q", words)
	}
	secret := words[at]
	page.click("Copy " + secret)
	if copied := page.copied(); copied != secret {
		t.Errorf("copied %q", copied)
	}
	page.click("I have stored it")
	page.sees("Reporting")
	page.seesNo(secret)
	use := func() int {
		reply, _ := practice.s.send(t, http.MethodGet, "/claims", map[string]string{"Authorization": "Bearer " + secret}, nil)
		return reply.status
	}
	if status := use(); status != http.StatusOK {
		t.Fatalf("the key's request: %d", status)
	}
	page.until("the log", func(*rod.Page) error {
		if n := len(practice.get("/requests?operation=GET%20/claims")["data"].([]any)); n != 1 {
			return fmt.Errorf("has %d requests", n)
		}
		return nil
	})
	page.screen("developers-keys")
	page.click("Requests of Reporting")
	page.row("GET /claims").sees("200 OK")
	page.screen("developers-requests")
	page.click("API keys")
	page.click("Revoke Reporting")
	page.click("Revoke the key")
	page.sees("Reporting is revoked.")
	page.row("Reporting").sees("Revoked")
	page.until("the revoked key", func(*rod.Page) error {
		if status := use(); status != http.StatusUnauthorized {
			return fmt.Errorf("got %d", status)
		}
		return nil
	})
}

// Only an owner sees keys. Others see why not.
func TestAViewerSeesNoKeys(t *testing.T) {
	t.Parallel()
	page := newPractice(t).signsIn("viewer")
	page.click("Developers")
	page.click("API keys")
	page.sees("Only an owner sees API keys", "Ask an owner of Cedar Dental")
	page.seesNo("New key")
	page.screen("developers-keys-viewer")
}

// An event is found by its type. Its JSON can be copied, and its deliveries are
// beside it.
func TestAnEventAndItsDeliveries(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.receives("Front desk", nil)
	claim := practice.post("/claims", practice.paidCrown("SANDBOX-PAID-ERA"))["id"].(string)
	page := practice.signsIn("biller")
	page.click("Developers")
	page.click("Events")
	page.sees("claim.validated")
	page.choose("Type", "Claim ready to send")
	page.screen("developers-events")
	page.tabTo("Claim ready to send")
	page.press("Enter")
	page.row("Front desk").sees("Delivered", "204 No content")
	page.sees(`"object": "event"`, `"type": "claim.validated"`)
	page.screen("developers-event")
	page.click("Copy the event")
	if text := page.copied(); !strings.Contains(text, claim) {
		t.Errorf("copied %q, want the claim %s", text, claim)
	}
	page.click("Resend")
	page.click("Resend the event")
	page.sees("1 delivery queued")
	page.click("claim " + claim)
	page.seesA("heading", "Sam Example")
}

// A request is found by its ID, leads to its resource, and the resource leads
// back.
func TestARequestLeadsToItsResourceAndBack(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	headers := map[string]string{"Authorization": "Bearer " + practice.key, "Idempotency-Key": "crown"}
	made, _ := practice.s.send(t, http.MethodPost, "/claims", headers, practice.paidCrown("SANDBOX-PAID-ERA"))
	headers["Idempotency-Key"] = "wrong"
	refused, _ := practice.s.send(t, http.MethodPost, "/claims", headers, map[string]any{"office_id": practice.office})
	page := practice.signsIn("owner")
	page.click("Developers")
	page.click("Requests")
	page.fill("Request or resource ID", refused.id)
	page.press("Enter")
	page.sees("422 Invalid", "INVALID_REQUEST", "A field or parameter of the request is not valid.")
	page.screen("developers-request-refused")
	page.click("Requests")
	page.fill("Request or resource ID", made.id)
	page.press("Enter")
	page.at("/test/developers/requests/" + made.id)
	page.sees("Claim ready to send", "Journey (…"+practice.key[len(practice.key)-4:]+")")
	page.screen("developers-request")
}

// A key without read makes an endpoint. An owner sees that, and asks keys for read.
func TestAnEndpointOfAKeyWithoutRead(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	key := strings.Fields(practice.s.molar(t, "keys", "create", "--org", practice.org, "--name", "Upload", "--permissions", "submit"))[1]
	creates := func(n int) int {
		headers := map[string]string{"Authorization": "Bearer " + key, "Idempotency-Key": fmt.Sprint("endpoint-", n)}
		reply, _ := practice.s.send(t, http.MethodPost, "/webhook_endpoints", headers, map[string]any{"url": "https://example.com/" + practice.org, "description": "Imaging"})
		return reply.status
	}
	if status := creates(1); status != http.StatusOK {
		t.Fatalf("the first endpoint: %d", status)
	}
	page := practice.signsIn("owner")
	page.open("/test/developers/webhooks")
	page.sees("Made by a key without read")
	page.click("A key also needs the read permission")
	page.sees("Saved.")
	page.screen("developers-need-read")
	if status := creates(2); status != http.StatusForbidden {
		t.Errorf("an endpoint without read: %d", status)
	}
	page.click("Imaging")
	page.sees("Upload, an API key without read, made this endpoint.", "Created by")
}
