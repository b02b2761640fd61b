package edi_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// TestDifferences has what a payer returns about the people of an inquiry: Zoë Núñez, born on
// 1985-04-12, a woman with the member ID 00-AB12 in group G 7, and with a patient her child Pat Roe,
// born on 2014-02-03.
func TestDifferences(t *testing.T) {
	t.Parallel()
	const person, child = "DMG*D8*19850412*F", "HL*4*3*23*0~NM1*03*1*ROE*PAT~DMG*D8*20140203"
	for name, c := range map[string]struct {
		segments []string
		child    bool
		want     []string
	}{
		"the same":              {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB12", "REF*6P*G7", person}, false, nil},
		"a middle name":         {[]string{"NM1*IL*1*NUNEZ*ZOE ANN*B***MI*00AB12", person}, false, nil},
		"a suffix, in the name": {[]string{"NM1*IL*1*NUNEZ JR.*ZOE****MI*00AB12", person}, false, nil},
		"signs and case":        {[]string{"NM1*IL*1*Nu'nez*zoe****MI*00 ab-12", person}, false, nil},
		"nothing returned":      {[]string{"NM1*IL*1*NUNEZ"}, false, nil},
		"another first name":    {[]string{"NM1*IL*1*NUNEZ*ZARA****MI*00AB12", person}, false, []string{"subscriber.first_name Zoë ZARA"}},
		"another last name":     {[]string{"NM1*IL*1*NUNEZ LOPEZ*ZOE****MI*00AB12", person}, false, []string{"subscriber.last_name Núñez NUNEZ LOPEZ"}},
		"another birth date":    {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB12", "DMG*D8*19850421"}, false, []string{"subscriber.date_of_birth 1985-04-12 1985-04-21"}},
		"another gender":        {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB12", "DMG*D8*19850412*M"}, false, []string{"subscriber.gender female male"}},
		"a gender unknown":      {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB12", "DMG*D8*19850412*U"}, false, nil},
		"another member ID":     {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB1201", person}, false, []string{"subscriber.member_id 00-AB12 00AB1201"}},
		"lost leading zeros":    {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*AB12", person}, false, []string{"subscriber.member_id 00-AB12 AB12"}},
		"another group":         {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB12", "REF*6P*G8", person}, false, []string{"subscriber.group_number G 7 G8"}},
		"the child the same":    {[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB12", person, child}, true, nil},
		"the child otherwise": {
			[]string{"NM1*IL*1*NUNEZ*ZOE****MI*00AB12", person, "HL*4*3*23*0~NM1*03*1*RHOE*PAT~DMG*D8*20140302*M"},
			true,
			[]string{"patient.last_name Roe RHOE", "patient.date_of_birth 2014-02-03 2014-03-02"},
		},
		"the child with a member ID of its own": {[]string{"NM1*IL*1*ROE*PAT****MI*00AB1203", "DMG*D8*20140203"}, true, nil},
		"several": {
			[]string{"NM1*IL*1*NUNES*ZARA****MI*XY", "REF*6P*G8", "DMG*D8*19850413*M"},
			false,
			[]string{
				"subscriber.first_name Zoë ZARA", "subscriber.last_name Núñez NUNES", "subscriber.date_of_birth 1985-04-12 1985-04-13",
				"subscriber.gender female male", "subscriber.member_id 00-AB12 XY", "subscriber.group_number G 7 G8",
			},
		},
	} {
		q := inquiry270()
		if c.child {
			q = withPatient(q)
		}
		q.Inquiry.Subscriber = coverage.Subscriber{
			FirstName: "Zoë", LastName: "Núñez", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, MemberID: "00-AB12", GroupNumber: new("G 7"), Gender: coverage.GenderFemale,
		}
		segments := append([]string{payerLoop, providerLoop, "HL*3*2*22*0"}, c.segments...)
		a := answer(t, q, message(append(segments, "EB*1**35")...))
		if a.Benefits == nil {
			t.Fatal(name, a)
		}
		var got []string
		for _, d := range a.Benefits.Differences {
			got = append(got, d.Field+" "+d.Sent+" "+d.Returned)
		}
		sameList(t, name, got, c.want)
	}
}
