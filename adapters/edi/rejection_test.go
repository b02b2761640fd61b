package edi_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// rejected asks about the subscriber, or about a dependent, and gives the
// rejection.
func rejected(t *testing.T, q network.Inquiry, segments ...string) *coverage.Rejection {
	t.Helper()
	a := answer(t, q, message(segments...))
	consistent(t, a)
	if a.Rejection == nil {
		t.Fatalf("outcome %s", a.Outcome)
	}
	return a.Rejection
}

func TestEveryRejectCodeInEveryLoop(t *testing.T) {
	t.Parallel()
	type want struct{ source, provider, subscriber, dependent string }
	all := func(s string) want { return want{s, s, s, s} }
	member := func(subscriber, dependent string) want { return want{"", "", subscriber, dependent} }
	const (
		notResponding = "PAYER_NOT_ANSWERING payer  payer_unavailable"
		provider      = "PROVIDER_NOT_ELIGIBLE provider  rejected"
		badRequest    = "REQUEST_INVALID request  rejected"
		badProvider   = "REQUEST_INVALID provider  rejected"
		procedures    = "REQUEST_INVALID request procedure_codes fix_and_resend"
		payerID       = "REQUEST_NOT_ACCEPTED payer payer_id fix_and_resend"
		serviceDate   = "SERVICE_DATE_INVALID request service_date fix_and_resend"
		gone          = "PATIENT_NOT_ELIGIBLE patient  rejected"
		details       = "PATIENT_DETAILS_REQUIRED patient patient fix_and_resend"
		notFound      = "MEMBER_NOT_FOUND patient patient.first_name fix_and_resend"
		other         = "PAYER_REJECTED_OTHER payer  rejected"
	)
	born := member("DATE_OF_BIRTH_MISMATCH subscriber subscriber.date_of_birth fix_and_resend",
		"DATE_OF_BIRTH_MISMATCH patient patient.date_of_birth fix_and_resend")
	for code, w := range map[string]want{
		"04": {"REQUEST_NOT_ACCEPTED clearinghouse  rejected", "", "", ""},
		"15": {badRequest, badRequest, details, details},
		"33": all(badRequest), "35": all(provider),
		"41": {"REQUEST_NOT_ACCEPTED clearinghouse  rejected", provider, "", ""},
		"42": all(notResponding), "80": all(notResponding),
		"43": all("PROVIDER_NOT_ON_FILE provider office_id fix_and_resend"),
		"51": all("PROVIDER_NOT_ON_FILE provider office_id fix_and_resend"),
		"44": all(badProvider), "45": all(badProvider), "46": all(badProvider), "47": all(badProvider), "48": all(badProvider),
		"97": all(badProvider),
		"49": all(provider), "50": all(provider), "52": all(provider), "53": all(provider),
		"54": all(procedures), "55": all(procedures), "69": all(procedures), "70": all(procedures), "98": all(procedures), "AG": all(procedures),
		"56": all(serviceDate), "57": all(serviceDate), "62": all(serviceDate), "63": all(serviceDate),
		"58": born, "60": born, "71": born,
		"61": all(gone), "95": all(gone),
		"64": member("MEMBER_ID_INVALID patient subscriber.member_id fix_and_resend", "MEMBER_ID_INVALID patient subscriber.member_id fix_and_resend"),
		"65": member("NAME_MISMATCH patient patient.last_name fix_and_resend", "NAME_MISMATCH patient patient.last_name fix_and_resend"),
		"66": all(badRequest), "74": all(badRequest), "AA": all(badRequest), "AE": all(badRequest), "AF": all(badRequest),
		"AO": all(badRequest), "CI": all(badRequest), "E8": all(badRequest), "IA": all(badRequest), "MA": all(badRequest),
		"67": member(notFound, notFound), "77": member(notFound, notFound),
		"68": member("MEMBER_ID_DUPLICATE patient subscriber.member_id fix_and_resend", "MEMBER_ID_DUPLICATE patient subscriber.member_id fix_and_resend"),
		"72": member("MEMBER_ID_INVALID subscriber subscriber.member_id fix_and_resend", ""),
		"73": member("NAME_MISMATCH subscriber subscriber.last_name fix_and_resend", ""),
		"75": member("MEMBER_NOT_FOUND subscriber subscriber.member_id fix_and_resend", ""),
		"76": member("MEMBER_ID_DUPLICATE subscriber subscriber.member_id fix_and_resend", ""),
		"78": member("MEMBER_NOT_FOUND subscriber subscriber.group_number fix_and_resend", ""),
		"79": all(payerID), "T4": all(payerID),
		"ZZ": all(other), "": all(other),
	} {
		aaa := "AAA*N**" + code + "*C"
		for _, c := range []struct {
			loop, want string
			segments   []string
		}{
			{"2100A", w.source, []string{payerLoop, aaa}},
			{"2100B", w.provider, []string{payerLoop, providerLoop, aaa}},
			{"2100C", w.subscriber, []string{payerLoop, providerLoop, subscriberLoop, aaa}},
			{"2100D", w.dependent, []string{payerLoop, providerLoop, subscriberLoop, dependentLoop, aaa}},
			{"2110D", w.dependent, []string{payerLoop, providerLoop, subscriberLoop, dependentLoop, "EB*V", aaa}},
		} {
			if c.want == "" {
				continue
			}
			t.Run(code+" in "+c.loop, func(t *testing.T) {
				t.Parallel()
				r := rejected(t, withPatient(inquiry270()), c.segments...)
				reason := r.Reasons[0]
				equal(t, "rejection", strings.Join([]string{string(reason.Code), string(reason.About), reason.Field, string(r.Kind)}, " "), c.want)
				equal(t, "payer code", r.PayerCode, code)
				if reason.Message == "" || reason.Fix == "" || len(r.Reasons) != 1 {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

func TestAPatientNotFoundWithoutPatientIsADependent(t *testing.T) {
	t.Parallel()
	loop := []string{payerLoop, providerLoop, subscriberLoop}
	for name, segments := range map[string][]string{
		"67 in 2100C":                    append(loop[:3:3], "AAA*N**67*C"),
		"77 in 2100C":                    append(loop[:3:3], "AAA*N**77*C"),
		"67 in 2100D":                    append(loop[:3:3], dependentLoop, "AAA*N**67*C"),
		"a dependent answered for":       append(loop[:3:3], dependentLoop, "EB*1*IND*35"),
		"INS01 N":                        append(loop[:3:3], "INS*N*19", "EB*1*IND*35"),
		"INS01 N without benefits":       append(loop[:3:3], "INS*N*19"),
		"a dependent without benefits":   append(loop[:3:3], dependentLoop),
		"benefits and a faulty question": append(loop[:3:3], dependentLoop, "EB*1*IND*35", "AAA*N**70*C"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rejected(t, inquiry270(), segments...)
			reason := r.Reasons[0]
			equal(t, "code", reason.Code, coverage.ReasonPatientIsDependent)
			equal(t, "about", reason.About, coverage.AboutSubscriber)
			equal(t, "field", reason.Field, "patient")
			equal(t, "kind", r.Kind, coverage.RejectionFixAndResend)
		})
	}
}

func TestRejectionsOfAPersonWithoutPatientAreTheSubscribers(t *testing.T) {
	t.Parallel()
	r := rejected(t, inquiry270(), payerLoop, providerLoop, subscriberLoop, dependentLoop, "AAA*N**71*C")
	equal(t, "field", r.Reasons[0].Field, "subscriber.date_of_birth")
	r = rejected(t, inquiry270(), payerLoop, providerLoop, subscriberLoop, "AAA*N**64*C")
	equal(t, "about", r.Reasons[0].About, coverage.AboutSubscriber)
}

func TestRejectionKindFollowsEveryReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		aaa    string
		kind   coverage.RejectionKind
		reason []coverage.ReasonCode
	}{
		"correct and resend": {"AAA*N**75*C", coverage.RejectionFixAndResend, []coverage.ReasonCode{coverage.ReasonMemberNotFound}},
		"never again":        {"AAA*N**75*N", coverage.RejectionRejected, []coverage.ReasonCode{coverage.ReasonMemberNotFound}},
		"a third party":      {"AAA*N**75*S", coverage.RejectionRejected, []coverage.ReasonCode{coverage.ReasonMemberNotFound}},
		"answer will follow": {"AAA*N**75*Y", coverage.RejectionRejected, []coverage.ReasonCode{coverage.ReasonMemberNotFound}},
		"one of two":         {"AAA*N**75*N~AAA*N**71*C", coverage.RejectionFixAndResend, []coverage.ReasonCode{coverage.ReasonMemberNotFound, coverage.ReasonDateOfBirthMismatch}},
		"silent":             {"AAA*N**42*R~AAA*N**80*P", coverage.RejectionPayerUnavailable, []coverage.ReasonCode{coverage.ReasonPayerNotAnswering, coverage.ReasonPayerNotAnswering}},
		"silent, no part":    {"AAA*N**42*R~AAA*N**79*C", coverage.RejectionPayerUnavailable, []coverage.ReasonCode{coverage.ReasonPayerNotAnswering, coverage.ReasonPayerNotAnswering}},
		"silent, and more":   {"AAA*N**42*R~AAA*N**72*C", coverage.RejectionFixAndResend, []coverage.ReasonCode{coverage.ReasonPayerNotAnswering, coverage.ReasonMemberIDInvalid}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rejected(t, inquiry270(), payerLoop, providerLoop, subscriberLoop, c.aaa)
			equal(t, "kind", r.Kind, c.kind)
			var codes []coverage.ReasonCode
			for _, reason := range r.Reasons {
				codes = append(codes, reason.Code)
			}
			if len(codes) != len(c.reason) {
				t.Fatalf("reasons %v, want %v", codes, c.reason)
			}
			for i := range codes {
				equal(t, "reason", codes[i], c.reason[i])
			}
			equal(t, "payer code", r.PayerCode, c.aaa[7:9])
		})
	}
}

func TestANameMismatchSuggestsThePayersName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		q                network.Inquiry
		segments         []string
		field, suggested string
	}{
		"last name": {
			inquiry270(), []string{"HL*3*2*22*0~NM1*IL*1*ROE-SMITH*JANE", "AAA*N**73*C"}, "subscriber.last_name", "ROE-SMITH",
		},
		"first name": {
			inquiry270(), []string{"HL*3*2*22*0~NM1*IL*1*ROE*JANET", "AAA*N**73*C"}, "subscriber.first_name", "JANET",
		},
		"the same": {inquiry270(), []string{subscriberLoop, "AAA*N**73*C"}, "subscriber.last_name", ""},
		"none":     {inquiry270(), []string{"HL*3*2*22*0~NM1*IL*1", "AAA*N**73*C"}, "subscriber.last_name", ""},
		"patient": {
			withPatient(inquiry270()), []string{subscriberLoop, "HL*4*3*23*0~NM1*03*1*DOE*PAT", "AAA*N**65*C"}, "patient.last_name", "DOE",
		},
		"patient in the subscriber's loop": {
			withPatient(inquiry270()), []string{"HL*3*2*22*0~NM1*IL*1*SMITH*JANE", "AAA*N**65*C"}, "patient.last_name", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reason := rejected(t, c.q, append([]string{payerLoop, providerLoop}, c.segments...)...).Reasons[0]
			equal(t, "code", reason.Code, coverage.ReasonNameMismatch)
			equal(t, "field", reason.Field, c.field)
			equal(t, "suggested value", reason.SuggestedValue, c.suggested)
		})
	}
}
