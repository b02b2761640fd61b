package deposit_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestCandidates proposes several of one payer that add up, of at most 12 parts.
func TestCandidates(t *testing.T) {
	t.Parallel()
	var eras []*remit.ERA
	for i := range 30 {
		eras = append(eras, era(byte(i+1), "Delta Dental", "", 100, 9))
	}
	d := came(1, "DELTA DENTAL", "", 1200, 9)
	if got := d.Candidates(eras, nil); len(got) == 0 || len(got[0].ERAs) != deposit.MaxParts || got[0].Total() != 1200 {
		t.Errorf("%d candidates", len(got))
	}
	d.Amount = 1300
	if got := d.Candidates(eras, nil); len(got) != 0 {
		t.Errorf("13 parts: %d", len(got[0].ERAs))
	}
	d.Amount = 1250 // the search ends
	if got := d.Candidates(eras, nil); len(got) != 0 {
		t.Errorf("an amount that none add up to: %v", got)
	}
	for i := range eras {
		eras[i] = era(byte(i+1), "Delta Dental", "", billing.Money(100_000+7*i*i), 9)
	}
	d.Amount = 12*100_000 + 5 // far more sets than steps
	if got := d.Candidates(eras, nil); len(got) != 0 {
		t.Errorf("an odd amount: %v", got)
	}
}

// TestCandidatesFit leaves out what is of another payer, or of another time.
func TestCandidatesFit(t *testing.T) {
	t.Parallel()
	eras := []*remit.ERA{
		era(1, "Delta Dental", "", 300, 9), era(2, "Delta Dental", "", 200, 10), era(3, "Cigna Dental", "", 200, 9), era(4, "Delta Dental", "", 200, 16),
		era(5, "Delta Dental", "EFT-5", 900, 9),
	}
	others := []*deposit.Deposit{
		came(2, "DELTA DENTAL", "", 400, 9), came(3, "CIGNA DENTAL", "", 400, 9), came(4, "DELTA DENTAL", "", 400, 16), came(5, "A NUMBER", "EFT-5", 400, 16),
	}
	for name, c := range map[string]struct {
		d    *deposit.Deposit
		want string
	}{
		"parts and others":           {came(1, "DELTA DENTAL", "", 500, 9), "1 2, 5+2, 5+5"},
		"the trace number":           {came(1, "A NUMBER", "EFT-5", 500, 16), "5, 5+2, 5+5"},
		"another payer":              {came(1, "AETNA DENTAL", "", 500, 9), ""},
		"too late":                   {came(1, "DELTA DENTAL", "", 500, 23), ""},
		"one is as good as several":  {came(1, "DELTA DENTAL", "", 900, 9), "5"},
		"a debit":                    {came(1, "DELTA DENTAL", "", -500, 9), ""},
		"it is among the others too": {came(2, "DELTA DENTAL", "", 500, 9), "1 2, 5+5"},
	} {
		got := ""
		for i, one := range c.d.Candidates(eras, others) {
			if i > 0 {
				got += ", "
			}
			got += shown(one)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// shown has the numbers of a candidate's remittances, and behind a plus those of other deposits.
func shown(c deposit.Candidate) (text string) {
	var eras, others []byte
	for _, e := range c.ERAs {
		eras = append(eras, e.ID[15])
	}
	for _, o := range c.Others {
		others = append(others, o.ID[15])
	}
	slices.Sort(eras)
	slices.Sort(others)
	for i, n := range eras {
		text += fmt.Sprintf("%.*s%d", min(i, 1), " ", n)
	}
	for _, n := range others {
		text += fmt.Sprintf("+%d", n)
	}
	return text
}

// TestAdding compares what is proposed for sums with all sets that there are.
func TestAdding(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		amounts := make([]byte, r.IntN(11))
		for i := range amounts {
			amounts[i] = byte(r.IntN(256))
		}
		adds(t, byte(r.IntN(256)), amounts)
	}
}

// FuzzAdding does so for sums that the fuzzer makes up.
func FuzzAdding(f *testing.F) {
	f.Add(byte(30), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	f.Add(byte(24), []byte{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2})
	f.Fuzz(func(t *testing.T, sum byte, amounts []byte) { adds(t, sum, amounts[:min(len(amounts), 12)]) })
}

// adds makes remittances, and deposits, whose amounts and days the bytes give, and compares what is
// proposed with all sets.
func adds(t *testing.T, sum byte, amounts []byte) {
	t.Helper()
	want := billing.Money(sum%60) + 2
	var eras []*remit.ERA
	var others []*deposit.Deposit
	for i, b := range amounts {
		amount, on := billing.Money(b%16)+1, 9+int(b/16)%4
		if amount < want {
			eras = append(eras, era(byte(i+1), "Delta Dental", "", amount, on))
		}
		others = append(others, came(byte(i+1), "DELTA DENTAL", "", amount, on))
	}
	d := came(100, "DELTA DENTAL", "", want, 9)
	read := func(c deposit.Candidate) (ids []byte, amount billing.Money) {
		for _, e := range c.ERAs {
			ids, amount = append(ids, e.ID[15]), amount+e.Payment.Total
		}
		return ids, amount
	}
	all := brute(amountsOf(eras), want, deposit.MaxParts)
	compares(t, "remittances", d.Candidates(eras, nil), read, all, want)
	slices.Reverse(eras)
	compares(t, "in another order", d.Candidates(eras, nil), read, all, want)
	whole := era(200, "Delta Dental", "", want+5, 9)
	d.Amount = 5
	parts := make([]amountOf, len(others))
	for i, o := range others {
		parts[i] = amountOf{o.ID[15], o.Amount, o.Date}
	}
	compares(t, "deposits", d.Candidates([]*remit.ERA{whole}, others), func(c deposit.Candidate) (ids []byte, amount billing.Money) {
		for _, o := range c.Others {
			ids, amount = append(ids, o.ID[15]), amount+o.Amount
		}
		return ids, amount
	}, brute(parts, want, deposit.MaxParts-1), want)
}

// compares wants the first three of all sets, and that each adds up.
func compares(
	t *testing.T, what string, got []deposit.Candidate, read func(deposit.Candidate) ([]byte, billing.Money), all [][]byte, sum billing.Money,
) {
	t.Helper()
	if len(got) != min(len(all), 3) {
		t.Fatalf("%s for %d: %d candidates of %d", what, sum, len(got), len(all))
	}
	for i, c := range got {
		ids, amount := read(c)
		if slices.Sort(ids); amount != sum || !bytes.Equal(ids, all[i]) {
			t.Errorf("%s for %d: candidate %d is %v of %s, want %v", what, sum, i, ids, amount, all[i])
		}
	}
}

type amountOf struct {
	id     byte
	amount billing.Money
	date   billing.Date
}

func amountsOf(eras []*remit.ERA) (all []amountOf) {
	for _, e := range eras {
		all = append(all, amountOf{e.ID[15], e.Payment.Total, e.Payment.Date})
	}
	return all
}

// brute tries every set of at most so many amounts, and returns the numbers of those that add up: the
// closest days first, then the smallest, then those with the larger amounts.
func brute(of []amountOf, sum billing.Money, most int) [][]byte {
	of = slices.Clone(of)
	apart := func(a amountOf) time.Duration { return a.date.Time().Sub(day(9).Time()) }
	slices.SortFunc(of, func(a, b amountOf) int {
		return cmp.Or(cmp.Compare(b.amount, a.amount), cmp.Compare(apart(a), apart(b)), cmp.Compare(a.id, b.id))
	})
	var sets []uint
	for set := uint(1); set < 1<<len(of); set++ {
		var total billing.Money
		for i, a := range of {
			if set>>i&1 == 1 {
				total += a.amount
			}
		}
		if total == sum && bits.OnesCount(set) <= most {
			sets = append(sets, set)
		}
	}
	days := func(set uint) (sum time.Duration) {
		for i, a := range of {
			if set>>i&1 == 1 {
				sum += apart(a)
			}
		}
		return sum
	}
	slices.SortFunc(sets, func(a, b uint) int {
		return cmp.Or(cmp.Compare(days(a), days(b)), cmp.Compare(bits.OnesCount(a), bits.OnesCount(b)), cmp.Compare(bits.Reverse(b), bits.Reverse(a)))
	})
	all := make([][]byte, len(sets))
	for n, set := range sets {
		for i, a := range of {
			if set>>i&1 == 1 {
				all[n] = append(all[n], a.id)
			}
		}
		slices.Sort(all[n])
	}
	return all
}
