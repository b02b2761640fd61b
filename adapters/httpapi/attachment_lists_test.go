package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/intake"
)

// wantList walks a list in pages of every size and compares its rows, newest
// first.
func (s *service) wantList(t *testing.T, path string, want ...string) {
	t.Helper()
	newest := slices.Clone(want)
	slices.Reverse(newest)
	for _, limit := range []int{1, 2, 100} {
		if got := s.walk(t, fmt.Sprint(path, "limit=", limit)); fmt.Sprint(got) != fmt.Sprint(newest) {
			t.Errorf("%s: %v, want %v", path, got, newest)
		}
	}
}

func TestAttachmentLists(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := s.claim(t, nil).ID.String()
	_, prq := s.payerRequest(t, nil)
	second := s.newOffice(t, intake.OfficeRequest{
		Name: "Lakeside", NPI: "1245319599", TaxID: "123456789",
		Address: &intake.AddressInput{Line1: "1 Lake St", City: "Albany", State: "NY", ZIP: "122070001"}, Phone: "5185550101",
	})
	var id, at, by [5]string
	for i, body := range []string{
		s.own(nil), jsonOf(anObject{"claim_id": claim}, nil), s.own(with("kind", "solicited", "payer_request_id", prq, "payer_id", nil)),
		s.own(with("office_id", second.String())), jsonOf(anObject{"claim_id": claim}, nil),
	} {
		a := s.must(t, 201, call{path: "/attachments", body: body})
		id[i], at[i], by[i] = a.text(t, "id"), url.QueryEscape(a.text(t, "created_at")), a.Header.Get("X-Request-Id")
	}
	s.must(t, 201, upload("/attachments/"+id[1], chart(jpegOf(1))))
	s.must(t, 200, call{path: "/attachments/" + id[1] + "/close", body: "{}"})

	const list = "/attachments?"
	s.wantList(t, list, id[:]...)
	s.wantList(t, list+"state=open&", id[0], id[2], id[3], id[4])
	s.wantList(t, list+"state=closed&", id[1])
	s.wantList(t, list+"claim_id="+claim+"&", id[1], id[4])
	s.wantList(t, list+"claim_id="+claim+"&state=open&", id[4])
	s.wantList(t, list+"payer_request_id="+prq+"&", id[2])
	s.wantList(t, list+"request_id="+by[3]+"&", id[3])
	s.wantList(t, list+"office_id="+second.String()+"&", id[3])
	s.wantList(t, list+"office_id=off_"+prq[4:]+"&")
	s.wantList(t, list+"claim_id=clm_"+prq[4:]+"&")
	s.wantList(t, list+"created_after="+at[2]+"&", id[2], id[3], id[4])
	s.wantList(t, list+"created_before="+at[2]+"&", id[0], id[1])
	s.wantList(t, list+"created_after="+at[1]+"&created_before="+at[3]+"&", id[1], id[2])

	rows := s.must(t, 200, call{path: "/attachments?state=closed"}).get(t, "data").([]any)
	if one := s.must(t, 200, call{path: "/attachments/" + id[1]}); len(rows) != 1 || fmt.Sprint(rows[0]) != fmt.Sprint(one.get(t)) {
		t.Errorf("the row %v is not %s", rows, one.body)
	}
	s.stableAndBound(t, "/attachments?", "/attachments?state=open&", func() {
		s.must(t, 201, call{path: "/attachments", body: s.own(nil)})
	})
}

// stableAndBound checks that a page which follows another has none of its rows
// when more are made in between, and that its cursor is good for nothing else,
// such as another list.
func (s *service) stableAndBound(t *testing.T, list, another string, insert func()) {
	t.Helper()
	all := s.walk(t, list+"limit=100")
	first := s.must(t, 200, call{path: list + "limit=2"})
	cursor := first.text(t, "next_cursor")
	insert()
	if got := s.walk(t, list+"limit=100&cursor="+cursor); fmt.Sprint(got) != fmt.Sprint(all[2:]) {
		t.Errorf("after the first page %v, want %v", got, all[2:])
	}
	changed := "A" + cursor[1:]
	if changed == cursor {
		changed = "B" + cursor[1:]
	}
	for _, foreign := range []call{
		{path: another + "cursor=" + cursor},
		{path: list + "cursor=" + cursor, key: s.other},
		{path: list + "cursor=" + cursor, key: s.live},
		{path: list + "cursor=" + changed},
	} {
		foreign.bad = true
		wantFields(t, s.do(t, foreign), "cursor format")
	}
}

func TestPayerRequestLists(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := s.claim(t, nil).ID.String()
	aetna := payerOf(t, "60054").ID.String()
	var id [5]string
	for i, change := range []func(anObject){
		nil, with("claim_id", claim, "due_date", "2026-03-01"), with("payer_id", "60054", "due_date", "2026-03-02"),
		with("claim_id", claim, "payer_id", nil), with("due_date", "2026-02-28"),
	} {
		_, id[i] = s.payerRequest(t, change)
	}
	s.must(t, 200, call{path: "/payer_requests/" + id[3] + "/answer", body: `{"narrative":"x"}`})
	const list = "/payer_requests?"
	s.wantList(t, list, id[:]...)
	s.wantList(t, list+"state=open&", id[0], id[1], id[2], id[4])
	s.wantList(t, list+"state=answered&", id[3])
	s.wantList(t, list+"claim_id="+claim+"&", id[1], id[3])
	s.wantList(t, list+"claim_id="+claim+"&state=open&", id[1])
	s.wantList(t, list+"payer_id="+aetna+"&", id[2])
	s.wantList(t, list+"due_before=2026-02-28&", id[4])
	s.wantList(t, list+"due_before=2026-03-01&", id[1], id[4])
	s.wantList(t, list+"due_before=9999-12-31&", id[1], id[2], id[4])
	s.wantList(t, list+"claim_id=clm_"+id[0][4:]+"&")
	rows := s.must(t, 200, call{path: "/payer_requests?state=answered"}).get(t, "data").([]any)
	if one := s.must(t, 200, call{path: "/payer_requests/" + id[3]}); len(rows) != 1 || fmt.Sprint(rows[0]) != fmt.Sprint(one.get(t)) {
		t.Errorf("the row %v is not %s", rows, one.body)
	}
	s.stableAndBound(t, list, list+"state=open&", func() { s.payerRequest(t, nil) })
}
