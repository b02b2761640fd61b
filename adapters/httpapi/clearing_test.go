package httpapi

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// clear sends claims to the sandbox, and takes what comes back for them, until
// the test ends.
func (s *service) clear(t *testing.T) {
	t.Helper()
	during(t, func(ctx context.Context) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			_, cut := s.batches.Cut(ctx)
			_, received := s.batches.Receive(ctx, sandboxnet.Name)
			for _, err := range []error{cut, received} {
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		}
	})
}

// until reads the resource until its state is what it will be.
func (s *service) until(t *testing.T, path, state string) response {
	t.Helper()
	var a response
	porttest.Await(t, path+" is "+state, func() bool {
		<-time.After(10 * time.Millisecond)
		a = s.do(t, call{path: path})
		return a.StatusCode == 200 && a.text(t, "state") == state
	})
	return a
}

// lately is a day in the last weeks, as claims of an office that names no time zone have it.
func lately(daysAgo int) string { return todayAt(directory.DefaultTimeZone).AddDays(-daysAgo).String() }

// dated is a day in the last weeks, as the payers of the sandbox have it in their files: in UTC.
func dated(daysAgo int) string { return todayAt("UTC").AddDays(-daysAgo).String() }

// todayAt is the day in a time zone.
func todayAt(zone string) billing.Date { return billing.DateOf(time.Now().In(directory.Zone(zone))) }

// crown is the body of a claim in which nothing is found; change may change it.
func (s *service) crown(member string, change func(o anObject)) string {
	return jsonOf(anObject{
		"office_id": s.office.String(), "payer_id": "CHTEST",
		"subscriber": anObject{
			"first_name": "Sam", "last_name": fmt.Sprint("Example", s.keys.Add(1)), "date_of_birth": "1984-02-29", "member_id": "SANDBOX-" + member,
			"group_number": "1000", "gender": "male",
			"address": anObject{"line1": "2 Oak St", "line2": nil, "city": "Albany", "state": "NY", "zip": "12207"},
		},
		"lines": []anObject{{"procedure_code": "D2740", "service_date": lately(9), "fee": "1250.00", "tooth": "14"}},
	}, change)
}

// asked makes it a predetermination.
func asked(o anObject) {
	o["kind"] = "predetermination"
	for _, l := range o["lines"].([]anObject) {
		delete(l, "service_date")
	}
}

// batch keeps a batch with the content.
func (s *service) batch(t *testing.T, serial int64, content string) *clearing.Batch {
	t.Helper()
	b := clearing.NewBatch(s.test, sandboxnet.Name, serial, 2, billing.RealAt(time.Now()), time.Now())
	porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error {
		for at := b.CreatedAt; ; at = at.Add(time.Millisecond) {
			if ok, err := tx.Batches.Insert(ctx, b, []byte(content)); ok || err != nil {
				return err
			}
			b.File.Name = (&network.Options{}).FileName(b, &network.Envelope{}, at)
		}
	})
	return b
}

// strangers is an 835 that pays a dollar for each of a number of claims that
// the organization does not have.
func strangers(claims int) string {
	var file strings.Builder
	file.WriteString("ISA*00*          *00*          *ZZ*CHTEST         *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~" +
		"GS*HP*CHTEST*MOLAR*20260304*050607*907*X*005010X221A1~ST*835*0001~")
	fmt.Fprintf(&file, "BPR*I*%d*C*ACH************20260306~TRN*1*EFT-907*1512345678~DTM*405*20260304~", claims)
	file.WriteString("N1*PR*SOMEBODY*XV*UNKNOWN~N3*1 MAIN ST~N4*TULSA*OK*741010001~PER*BL*HELP*TE*8005550100~N1*PE*MAIN STREET*XX*1234567893~LX*1~")
	for i := range claims {
		fmt.Fprintf(&file, "CLP*UNKNOWN-%d*1*1*1**12*N%d*11*1~NM1*QC*1*DOE*KIM****MI*W1~DTM*232*20260220~SVC*AD:D0120*1*1**1~DTM*472*20260220~", i+1, i+1)
	}
	fmt.Fprintf(&file, "SE*%d*0001~GE*1*907~IEA*1*000000907~", 11+5*claims)
	return file.String()
}

// remittance takes it in, and gives its ID once it can be read.
func (s *service) remittance(t *testing.T, claims int) string {
	t.Helper()
	made, err := s.remittances.Import(t.Context(), s.test, "a \"file\"\né.835", []byte(strangers(claims)))
	if err != nil || len(made) != 1 {
		t.Fatal(made, err)
	}
	id := made[0].ERA.ID.String()
	s.until(t, "/eras/"+id, "needs_review")
	return id
}
