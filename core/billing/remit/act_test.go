package remit_test

import (
	"os"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestActs says by hand what a biller does about an adjustment, and why.
func TestActs(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		group, reason, remarks string
		want                   remit.Act
		why                    string
	}{
		{"CO", "45", "", remit.ActWriteOff, "the contract takes it off"},
		{"CO", "A2", "", remit.ActWriteOff, "the contract takes it off"},
		{"CO", "253", "", remit.ActWriteOff, "a law takes it off"},
		{"OA", "23", "", remit.ActNone, "the payer before paid it"},
		{"CO", "16", "", remit.ActCorrect, "something is missing or wrong"},
		{"CO", "16", "N37", remit.ActCorrect, "the tooth number is wrong"},
		{"CO", "16", "MA130", remit.ActCorrect, "the claim cannot be used"},
		{"CO", "16", "N706", remit.ActSend, "documents are missing"},
		{"CO", "16", "N40", remit.ActSend, "the X-ray is missing"},
		{"CO", "16", "N401", remit.ActSend, "the periodontal chart is missing"},
		{"CO", "16", "N242", remit.ActSend, "the X-ray cannot be read"},
		{"CO", "16", "MA04", remit.ActCorrect, "the decision of the primary payer is missing on the claim"},
		{"CO", "16", "N37 N706", remit.ActSend, "the payer asks for documents, whatever else it says"},
		{"co", "16", "", remit.ActCorrect, "case does not matter"},
		{"CO", "252", "", remit.ActSend, "an attachment is asked for"},
		{"CO", "226", "", remit.ActSend, "the practice did not send what was asked for"},
		{"CO", "227", "", remit.ActNone, "the patient did not send it"},
		{"PR", "227", "", remit.ActBillPatient, "the patient did not send it, and owes the amount"},
		{"CO", "29", "", remit.ActAppeal, "the acknowledgement shows that the claim was in time"},
		{"PR", "29", "", remit.ActAppeal, "a missed limit is never the patient's"},
		{"CO", "50", "", remit.ActAppeal, "a judgment of the payer"},
		{"CO", "50", "N40", remit.ActSend, "a judgment that the X-ray would change"},
		{"CO", "50", "N211", remit.ActWriteOff, "no appeal is possible"},
		{"CO", "197", "", remit.ActAppeal, "no authorization was asked for"},
		{"CO", "151", "", remit.ActAppeal, "the payer judges how often is enough"},
		{"CO", "193", "", remit.ActWriteOff, "the review was lost"},
		{"CO", "22", "", remit.ActBillNext, "another plan comes first"},
		{"OA", "109", "", remit.ActBillNext, "another payer is responsible"},
		{"PR", "22", "", remit.ActBillNext, "another plan comes before the patient"},
		{"CO", "254", "", remit.ActBillNext, "the medical plan is responsible"},
		{"CO", "18", "", remit.ActWriteOff, "the service was paid on the other claim"},
		{"PR", "18", "", remit.ActNone, "the patient does not owe a duplicate"},
		{"CO", "96", "", remit.ActWriteOff, "not covered, and the contract does not leave it to the patient"},
		{"PR", "96", "", remit.ActBillPatient, "not covered, and the patient owes it"},
		{"PR", "119", "", remit.ActBillPatient, "the maximum is used up"},
		{"CO", "119", "", remit.ActWriteOff, "the maximum is used up, and the contract holds all the same"},
		{"PR", "1", "", remit.ActBillPatient, "the deductible"},
		{"PR", "2", "", remit.ActBillPatient, "the coinsurance"},
		{"PR", "3", "", remit.ActBillPatient, "the copayment"},
		{"PR", "16", "", remit.ActCorrect, "an error of the claim is not the patient's"},
		{"CO", "31", "", remit.ActCorrect, "the member is not found"},
		{"CO", "97", "", remit.ActWriteOff, "it is part of another procedure"},
		{"CO", "104", "", remit.ActNone, "it is withheld, and may come later"},
		{"OA", "B11", "", remit.ActNone, "it was passed on"},
		{"CO", "B7", "", remit.ActAppeal, "the practice can show that it was credentialed"},
		{"PI", "P7", "", remit.ActCorrect, "the code is not on the fee schedule"},
		{"CO", "ZZZ", "", remit.ActAppeal, "an unknown reason is asked about"},
		{"PR", "ZZZ", "", remit.ActBillPatient, "an unknown reason, and the patient owes it"},
	} {
		if got := (remit.Adjustment{Group: x.group, Reason: x.reason, Amount: 1}).Act(strings.Fields(x.remarks)); got != x.want {
			t.Errorf("%s-%s %s is %s, want %s: %s", x.group, x.reason, x.remarks, got, x.want, x.why)
		}
	}
}

// TestActsAreComplete looks for every reason that ships: each refusal has a row, and none of them bills the patient for
// what is not the patient's.
func TestActsAreComplete(t *testing.T) {
	t.Parallel()
	reasons, err := os.ReadFile("reasons.tsv")
	if err != nil {
		t.Fatal(err)
	}
	listed, err := os.ReadFile("acts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{} // by reason
	for line := range strings.Lines(string(listed)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(c) != 5 || c[4] == "" {
			t.Fatalf("a row has %d columns: %q", len(c), line)
		}
		if remit.Act(c[3]) == remit.ActBillPatient && c[0] != "PR" {
			t.Errorf("the patient is billed for group %s: %q", c[0], line)
		}
		for _, code := range strings.Split(c[1], ",") {
			rows[code] = rows[code] || c[0] == "*" && c[2] == "-"
		}
	}
	n := 0
	for line := range strings.Lines(string(reasons)) {
		c := strings.Split(line, "\t")
		if c[0] != "reason" {
			continue
		}
		n++
		if !rows[c[1]] {
			t.Errorf("reason %s has no row", c[1])
		}
		for _, group := range []string{"CO", "OA", "PI"} {
			if (remit.Adjustment{Group: group, Reason: c[1]}).Act(nil) == remit.ActBillPatient {
				t.Errorf("%s-%s bills the patient", group, c[1])
			}
		}
	}
	if n < 200 {
		t.Errorf("%d reasons", n)
	}
}

// TestFirstAct has what to do about the largest refusal.
func TestFirstAct(t *testing.T) {
	t.Parallel()
	co := func(reason string, amount billing.Money) remit.Adjustment {
		return remit.Adjustment{Group: "CO", Reason: reason, Amount: amount}
	}
	for _, x := range []struct {
		all  []remit.Adjustment
		want remit.Act
	}{
		{nil, ""},
		{[]remit.Adjustment{co("45", 100_00), {Group: "PR", Reason: "1", Amount: 50_00}}, ""},
		{[]remit.Adjustment{co("29", 10_00), co("96", 90_00)}, remit.ActWriteOff},
		{[]remit.Adjustment{co("29", 50_00), co("96", 50_00)}, remit.ActAppeal},
		{[]remit.Adjustment{co("16", 30_00), co("29", 40_00), co("4", 20_00)}, remit.ActCorrect},
	} {
		sums := remit.Acts{}
		sums.Add(x.all, nil)
		if got := sums.First(); got != x.want {
			t.Errorf("%v: %q, want %q", x.all, got, x.want)
		}
	}
}
