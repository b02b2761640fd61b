package claim_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

// service1 changes the first line to another procedure without a tooth.
func service1(code string, changes ...func(l *service)) func(*aClaim, *ruleContext) {
	return line(func(l *service) {
		l.ProcedureCode, l.Tooth, l.Surfaces = code, "", nil
		for _, change := range changes {
			change(l)
		}
	})
}

func TestAreasOfProcedures(t *testing.T) {
	t.Parallel()
	in := func(areas ...string) func(l *service) { return func(l *service) { l.OralCavity = areas } }
	const (
		quadrant = "lines.0.oral_cavity quadrant_required"
		arch     = "lines.0.oral_cavity arch_required"
		jaw      = "lines.0.oral_cavity arch_not_of_procedure"
	)
	judging{
		"scaling somewhere":            {service1("D4341"), []string{quadrant}},
		"scaling of an arch":           {service1("D4341", in("01")), []string{quadrant}},
		"scaling of a quadrant":        {service1("D4342", in("40")), nil},
		"scaling of teeth":             {service1("D4342", func(l *service) { l.Teeth = []string{"3", "4"} }), nil},
		"surgery somewhere":            {service1("D4260"), []string{quadrant}},
		"a procedure without areas":    {service1("D4910"), nil},
		"a partial denture somewhere":  {service1("D5213"), []string{arch}},
		"a lower one somewhere":        {service1("D5214"), []string{arch}},
		"an upper one":                 {service1("D5213", in("01")), nil},
		"a lower one":                  {service1("D5228", in("02")), nil},
		"an upper one below":           {service1("D5211", in("02")), []string{jaw}},
		"a lower one above":            {service1("D5212", in("01")), []string{jaw}},
		"one side of the upper jaw":    {service1("D5282", in("20")), nil},
		"one side of the wrong jaw":    {service1("D5283", in("20")), []string{jaw}},
		"a complete denture somewhere": {service1("D5110"), nil},
	}.test(t)
}

func TestAgesOfProcedures(t *testing.T) {
	t.Parallel()
	aged := func(years int, code string) func(*aClaim, *ruleContext) {
		return func(c *aClaim, w *ruleContext) {
			service1(code)(c, w)
			c.Patient.DateOfBirth, c.Orthodontics = on(2026-years, 3, 2), &claim.Orthodontics{ApplianceDate: on(2026, 3, 2)}
		}
	}
	estimated := func(born billing.Date) func(*aClaim, *ruleContext) {
		return func(c *aClaim, w *ruleContext) {
			service1("D1120")(c, w)
			c.Kind, c.Lines[0].ServiceDate, c.Patient.DateOfBirth = claim.KindPredetermination, billing.Date{}, born
		}
	}
	const age = "lines.0.procedure_code age_not_of_procedure"
	judging{
		"an adult's cleaning at 11":      {aged(11, "D1110"), []string{age}},
		"an adult's cleaning at 12":      {aged(12, "D1110"), nil},
		"a child's cleaning at 17":       {aged(17, "D1120"), nil},
		"a child's cleaning at 18":       {aged(18, "D1120"), []string{age}},
		"an infant's examination at 2":   {aged(2, "D0145"), nil},
		"an infant's examination at 3":   {aged(3, "D0145"), []string{age}},
		"an adult's braces at 11":        {aged(11, "D8090"), []string{age}},
		"an adult's braces at 30":        {aged(30, "D8090"), nil},
		"a child's braces at 30":         {aged(30, "D8070"), []string{age}},
		"a child's braces at 10":         {aged(10, "D8070"), nil},
		"an estimate for an adult today": {estimated(on(2008, 3, 20)), []string{age}},
		"an estimate for a child today":  {estimated(on(2008, 3, 21)), nil},
		"an age that is not known": {func(c *aClaim, w *ruleContext) {
			aged(11, "D1110")(c, w)
			c.Patient.DateOfBirth = billing.Date{}
		}, []string{"patient.date_of_birth required"}},
	}.test(t)
}

func TestTeethOfProcedures(t *testing.T) {
	t.Parallel()
	at := func(tooth string) func(l *service) { return func(l *service) { l.Tooth = tooth } }
	several := func(teeth ...string) func(l *service) { return func(l *service) { l.Teeth = teeth } }
	missing := func(tooth string, change func(*aClaim, *ruleContext)) func(*aClaim, *ruleContext) {
		return func(c *aClaim, w *ruleContext) {
			change(c, w)
			c.MissingTeeth = []string{tooth}
		}
	}
	const wrong = "lines.0.tooth tooth_not_of_procedure"
	judging{
		"a primary crown on a permanent one":  {service1("D2930", at("3")), []string{wrong}},
		"a primary crown on a primary one":    {service1("D2930", at("A")), nil},
		"a permanent crown on a primary one":  {service1("D2931", at("AS")), []string{wrong}},
		"a permanent crown on a permanent":    {service1("D2931", at("53")), nil},
		"remnants of a permanent tooth":       {service1("D7111", at("14")), []string{wrong}},
		"remnants of a primary tooth":         {service1("D7111", at("T")), nil},
		"a primary crown on no tooth":         {service1("D2930", at("99")), []string{"lines.0.tooth tooth_unknown"}},
		"primary crowns on several teeth":     {service1("D2930", several("A", "3")), []string{"lines.0.teeth tooth_not_of_procedure"}},
		"a filling of a missing tooth":        {missing("A", func(*aClaim, *ruleContext) {}), []string{"lines.0.tooth tooth_missing"}},
		"a filling beside a missing tooth":    {missing("B", func(*aClaim, *ruleContext) {}), nil},
		"the extraction that makes it miss":   {missing("A", service1("D7140", at("A"))), nil},
		"a pontic for a missing tooth":        {missing("3", service1("D6245", at("3"))), nil},
		"several teeth":                       {service1("D4910", several("3", "4")), nil},
		"several teeth, several times":        {service1("D4910", several("3", "4"), func(l *service) { l.Quantity = 2 }), []string{"lines.0.quantity quantity_of_several_teeth"}},
		"fillings in several teeth":           {service1("D2392", several("3", "4")), []string{"lines.0.teeth teeth_not_allowed"}},
		"crowns on several teeth":             {service1("D2740", several("3", "4")), nil},
		"a cleaning of several teeth":         {service1("D1120", several("3", "4")), []string{"lines.0.teeth tooth_not_allowed"}},
		"several teeth, of which one is none": {service1("D4910", several("3", "33")), []string{"lines.0.teeth tooth_unknown"}},
	}.test(t)
}

func TestPlacementsOfProstheses(t *testing.T) {
	t.Parallel()
	crown := func(kind claim.Prosthesis, before billing.Date) func(*aClaim, *ruleContext) {
		return service1("D2740", func(l *service) { l.Tooth, l.Prosthesis, l.PriorPlacementDate = "3", kind, before })
	}
	judging{
		"a crown":                     {crown("", billing.Date{}), nil},
		"a crown after another":       {crown("", on(2020, 1, 1)), nil},
		"a first crown":               {crown(claim.ProsthesisInitial, billing.Date{}), nil},
		"a first crown after another": {crown(claim.ProsthesisInitial, on(2020, 1, 1)), []string{"lines.0.prosthesis prosthesis_initial"}},
		"a new crown":                 {crown(claim.ProsthesisReplacement, billing.Date{}), []string{"lines.0.prior_placement_date prior_placement_required"}},
		"a new crown after another":   {crown(claim.ProsthesisReplacement, on(2020, 1, 1)), nil},
	}.test(t)
}
