package jobs_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

func TestDecodeReadsEncode(t *testing.T) {
	t.Parallel()
	j := jobs.Job{
		ID: billing.JobID{1}, Kind: jobs.KindEligibility, Scope: billing.Scope{Org: billing.OrgID{2}, Mode: billing.ModeTest},
		Subject: [16]byte{3}, ReplyTo: "api-1",
	}
	got, err := jobs.Decode(j.Encode())
	if err != nil || got != j {
		t.Errorf("Decode(Encode()) = %+v, %v, want %+v", got, err, j)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "null", "{}", `{"v":2,"id":"job_00000000000000000000000001","subject":"job_00000000000000000000000001"}`, `{"v":1,"id":"x"}`, `{"v":1}`, "\xff"} {
		if j, err := jobs.Decode([]byte(in)); err == nil {
			t.Errorf("Decode(%q) = %+v, want an error", in, j)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":"job_00000000000000000000000001","kind":"eligibility","org":"org_00000000000000000000000002","mode":"test","subject":"job_00000000000000000000000003"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		j, err := jobs.Decode(b)
		if err != nil {
			return
		}
		if again, err := jobs.Decode(j.Encode()); err != nil || again != j {
			t.Errorf("Decode(Encode(%+v)) = %+v, %v", j, again, err)
		}
	})
}
