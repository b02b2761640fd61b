package remittance_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/remittance"
)

const (
	isa  = "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~"
	gs   = "GS*HP*PAYER*MOLAR*20260304*0506*907*X*005010X221A1~"
	st   = "ST*835*0001~"
	head = "TRN*1*T-1*1512345678~N1*PR*MOLAR TEST PAYER*PI*CHTEST~N1*PE*BRIGHT SMILES*XX*1234567893~REF*TJ*123456789~LX*1~"
	tail = "SE*99*0001~GE*1*907~IEA*1*000000907~"

	claim = "CLP*PCN-0001*1*250.00*185.00*40.00*12*CLAIM0001*11*1~NM1*QC*1*DOE*JANE****MI*W123456789~" +
		"NM1*82*1*ROE*RICHARD****XX*1234567893~DTM*232*20260304~DTM*050*20260305~" +
		"SVC*AD:D1110*100.00*80.00**1~DTM*472*20260304~CAS*PR*2*20.00~REF*6R*1~AMT*B6*100.00~" +
		"SVC*AD:D2391*150.00*105.00**1~DTM*472*20260304~CAS*CO*45*25.00~CAS*PR*2*20.00~REF*6R*2~AMT*B6*125.00~LQ*HE*N381~"
)

// drain reads every claim and gives how many claims and how many of them add up.
func drain(r io.Reader) (claims, balanced int, err error) {
	d := remittance.NewDecoder(r)
	for {
		if _, err = d.Next(); err != nil {
			return claims, balanced, err
		}
		for {
			c, err := d.NextClaim()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return claims, balanced, err
			}
			claims++
			if c.Balanced() {
				balanced++
			}
		}
	}
}

// BenchmarkDecode decodes and balances a payment of 20,000 claims; -cpu 1 takes
// the second core from the garbage collector.
func BenchmarkDecode(b *testing.B) {
	const n = 20_000
	input := []byte(isa + gs + st + "BPR*I*3700000.00*C*ACH************20260304~" + head + strings.Repeat(claim, n) + tail)
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		if claims, balanced, err := drain(bytes.NewReader(input)); !errors.Is(err, io.EOF) || claims != n || balanced != n {
			b.Fatal(claims, balanced, err)
		}
	}
	// Beside what it takes to read the bytes once with some work on each.
	took := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	for range b.N {
		sha256.Sum256(input)
	}
	b.ReportMetric(float64(took)/float64(time.Since(start)/time.Duration(b.N)), "x-SHA-256")
}
