package edi_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
)

// remittanceOf is an 835 of one payment with so many claims, all of which add
// up, as real ones are: two lines, their adjustments and what belongs to them.
func remittanceOf(claims int) []byte {
	const head = "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~" +
		"GS*HP*PAYER*MOLAR*20260304*0506*907*X*005010X221A1~ST*835*0001~BPR*I*3700000.00*C*ACH************20260304~" +
		"TRN*1*T-1*1512345678~N1*PR*MOLAR TEST PAYER*PI*CHTEST~N1*PE*BRIGHT SMILES*XX*1234567893~REF*TJ*123456789~LX*1~"
	const claim = "CLP*PCN-0001*1*250.00*185.00*40.00*12*CLAIM0001*11*1~NM1*QC*1*DOE*JANE****MI*W123456789~" +
		"NM1*82*1*ROE*RICHARD****XX*1234567893~DTM*232*20260304~DTM*050*20260305~" +
		"SVC*AD:D1110*100.00*80.00**1~DTM*472*20260304~CAS*PR*2*20.00~REF*6R*1~AMT*B6*100.00~" +
		"SVC*AD:D2391*150.00*105.00**1~DTM*472*20260304~CAS*CO*45*25.00~CAS*PR*2*20.00~REF*6R*2~AMT*B6*125.00~LQ*HE*N381~"
	return []byte(head + strings.Repeat(claim, claims) + "SE*99*0001~GE*1*907~IEA*1*000000907~")
}

// BenchmarkRemittance takes a payment of 20,000 claims as it is taken in: read
// and balanced as a whole, then claim by claim.
func BenchmarkRemittance(b *testing.B) {
	const n = 20_000
	content, codec := remittanceOf(n), edi.New()
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		all, err := codec.Payments("bench.835", content, 0)
		if err != nil || len(all) != 1 || all[0].Balance.Claims.Failed != 0 {
			b.Fatal(len(all), err)
		}
		claims := 0
		for c, err := range codec.Claims(all[0].Content) {
			if err != nil || !c.Balanced || len(c.Lines) != 2 {
				b.Fatal(err)
			}
			claims++
		}
		if claims != n {
			b.Fatal(claims)
		}
	}
}
