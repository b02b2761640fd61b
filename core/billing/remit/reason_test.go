package remit_test

import (
	"os"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/remit"
)

func TestReasonFile(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("reasons.tsv")
	if err != nil {
		t.Fatal(err)
	}
	classes := map[string]string{"reason": " contractual not_paid plan - ", "remark": " - ", "provider": " - "}
	labels := map[string]func(string) string{"reason": remit.ReasonLabel, "remark": remit.RemarkLabel, "provider": remit.ProviderAdjustmentLabel}
	count, last := 0, ""
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		count++
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 4 {
			t.Fatalf("%q has %d columns, want 4", line, len(columns))
		}
		kind, code, class, label := columns[0], columns[1], columns[2], columns[3]
		// Byte order of kind and code, which also finds duplicates.
		if key := kind + "\t" + code; key <= last {
			t.Errorf("%q does not come after %q", key, last)
		} else {
			last = key
		}
		if labels[kind] == nil {
			t.Fatalf("%q: unknown kind", line)
		}
		if code == "" || code != strings.ToUpper(strings.TrimSpace(code)) {
			t.Errorf("%q: the code is not in upper case", line)
		}
		if !strings.Contains(classes[kind], " "+class+" ") {
			t.Errorf("%q: unknown class", line)
		}
		if label == "" || label != strings.TrimSpace(label) || len(label) > 60 || strings.HasSuffix(label, ".") {
			t.Errorf("%q: the label is empty, has spaces at its ends, is longer than 60 or ends with a full stop", line)
		}
		if got := labels[kind](code); got != label {
			t.Errorf("label of %s %s = %q, want %q", kind, code, got, label)
		}
	}
	if count < 120 {
		t.Errorf("%d labels, want 120 at least", count)
	}
}

func TestReasonLabel(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"1": "Deductible", "b7": remit.ReasonLabel("B7"), "01": "01", "N362": "N362", "zz9": "zz9", "": ""} {
		if got := remit.ReasonLabel(code); got != want {
			t.Errorf("ReasonLabel(%q) = %q, want %q", code, got, want)
		}
	}
	for code, want := range map[string]string{"N37": "Check the tooth number", "n37": "Check the tooth number", "45": "45", "X999": "X999", "": ""} {
		if got := remit.RemarkLabel(code); got != want {
			t.Errorf("RemarkLabel(%q) = %q, want %q", code, got, want)
		}
	}
}

func TestAdjustmentClass(t *testing.T) {
	t.Parallel()
	type class struct{ contractual, notPaid bool }
	writtenOff, refused, neither := class{contractual: true}, class{notPaid: true}, class{}
	for adjustment, want := range map[string]class{
		"CO-45": writtenOff, "PI-45": writtenOff, "CO-59": writtenOff, "CO-131": writtenOff, "CO-253": writtenOff, // agreed or by law
		"CO-24": writtenOff, "CO-44": writtenOff, "CO-A2": writtenOff, "CO-a2": writtenOff, "CO-P24": writtenOff,
		"CO-16": refused, "CO-18": refused, "CO-29": refused, "PI-50": refused, "CO-97": refused, "CO-104": refused, "OA-18": refused,
		"CO-1": refused, "CO-777": refused, "PI-": refused, "CO-045": refused, // the plan's share is PR; unknown reasons
		"OA-45": refused, "OA-253": refused, // OA is no contract
		"OA-23": neither, "OA-101": neither, "CO-23": refused, "CO-101": refused,
		"PR-1": neither, "PR-45": neither, "PR-96": neither, "PR-777": neither, "CR-45": neither, "-45": neither,
	} {
		group, reason, _ := strings.Cut(adjustment, "-")
		a := remit.Adjustment{Group: group, Reason: reason, Amount: 100}
		if got := (class{a.Contractual(), a.NotPaid()}); got != want {
			t.Errorf("%s = %+v, want %+v", adjustment, got, want)
		}
	}
}
