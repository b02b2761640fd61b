package edi_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// claimPayer is one of the payers of a history.
type claimPayer struct {
	id, name string
	listed   bool // in the directory
}

func claimPayers() []claimPayer {
	return []claimPayer{{"CHTEST", "MOLAR TEST PAYER", true}, {"SECOND", "SECOND DENTAL", true}, {"THIRD", "THIRD LIFE", false}}
}

// history is a claim and the 835s for it, in the order in which they come.
type history struct {
	claim *claim.Claim
	files []string
	bold  bool // a person applies what needs review
	dated bool // no two files are of one day
}

// historian writes a random history. It plays the payers, and keeps in mind what
// they sent.
type historian struct {
	*rand.Rand
	claim     *claim.Claim
	sent      []*sentClaim // adjudications that no reversal has taken back whole
	files     []sentFile
	traces    int // the first trace number, less one
	reference int // 0 writes REF 6R always, 1 never, 2 sometimes, 3 with faults
	alone     *seat
}

// seat is the only payer of a claim, and its place in the sequence, from 0.
type seat struct{ payer, place int }

// sentFile is a payment as a payer sent it.
type sentFile struct {
	from, day, trace int
	claims           []*sentClaim
}

// sentClaim is a claim as a payer sends it.
type sentClaim struct {
	clp

	from int // index of the payer
}

func (h *historian) one(n int) bool { return h.IntN(n) == 0 }

func pick[T any](h *historian, all ...T) T { return all[h.IntN(len(all))] }

// part returns a random amount of at most percent of the whole.
func (h *historian) part(whole int64, percent int) int64 {
	return whole * int64(h.IntN(percent+1)) / 100
}

func randomClaim(h *historian) *claim.Claim {
	c := &claim.Claim{PatientControlNumber: "PCN-1", Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal}
	c.State, c.SentAt = claim.AcceptedPayer, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	c.ID, c.Payer = billing.ClaimID{15: 1}, payerSummary(0)
	c.Subscriber = claim.Subscriber{FirstName: "JANE", LastName: "ROE", MemberID: "W1"}
	if h.one(4) {
		c.Subscriber.FirstName, c.Patient = "JOHN", &claim.Patient{FirstName: "JANE", LastName: "ROE", Relationship: coverage.RelationChild}
	}
	for range 1 + h.IntN(6) {
		c.Lines = append(c.Lines, claim.Line{
			ProcedureCode: pick(h, "D2740", "D0120", "D2392", "D1110", "D2392"), ServiceDate: billing.Date{Year: 2026, Month: 2, Day: 1 + h.IntN(2)},
			Fee: pick(h, billing.Money(1+h.IntN(150000)), 100_00, 250_00), Quantity: 1,
		})
	}
	return c
}

// payerSummary returns the directory's entry of a payer.
func payerSummary(i int) directory.PayerSummary {
	p := claimPayers()[i]
	if !p.listed {
		return directory.PayerSummary{}
	}
	return directory.PayerSummary{ID: billing.PayerID{15: byte(i + 1)}, PayerID: p.id, Name: p.name}
}

// writeHistory returns the history of a seed.
func writeHistory(seed uint64) history {
	h := &historian{Rand: rand.New(rand.NewPCG(seed, 835))}
	h.claim, h.reference = randomClaim(h), h.IntN(4)
	return h.write()
}

// write returns a history of the claim.
func (h *historian) write() history {
	var files []string
	day, dated, corrected := 1, h.one(2), false
	for range 1 + h.IntN(6) {
		if day += h.IntN(3); dated {
			day++
		}
		switch {
		case len(files) > 0 && h.one(12):
			files = append(files, pick(h, files...)) // the same file once more
		case len(files) > 0 && h.one(6):
			files, corrected = append(files, h.file(h.corrected(pick(h, h.files...)))), true
		default:
			from, claims := h.event()
			files = append(files, h.file(sentFile{from, day, h.traces + len(h.files) + 1, claims}))
		}
	}
	if h.one(3) {
		h.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	}
	return history{h.claim, files, h.one(3), dated && !corrected}
}

// event returns the claims of the next file, and the payer that sends it.
func (h *historian) event() (from int, claims []*sentClaim) {
	if len(h.sent) > 0 && h.one(2) {
		old := pick(h, h.sent...)
		switch h.IntN(6) {
		case 0: // a reversal
			return old.from, h.reversed(old)
		case 1: // a reversal and a correction, in any order
			claims = append(h.reversed(old), h.adjudicated(old.from, all(old), old)...)
			h.Shuffle(len(claims), func(i, j int) { claims[i], claims[j] = claims[j], claims[i] })
			return old.from, claims
		case 2: // a reversal of one line
			if len(old.lines) > 1 && len(old.level) == 0 {
				return old.from, []*sentClaim{h.renumbered(negative(onlyLine(old, h.IntN(len(old.lines)))))}
			}
			return old.from, h.reversed(old)
		case 3: // a correction without a reversal, of some of the lines or all
			return old.from, h.adjudicated(old.from, h.some(all(old)), old)
		case 4: // one reversal for a split claim
			if merged := h.merged(old); merged != nil {
				return old.from, []*sentClaim{negative(merged)}
			}
			return old.from, h.reversed(old)
		default: // the same payment again
			again := *old
			return old.from, []*sentClaim{&again}
		}
	}
	from = h.payer()
	lines := indexes(h.claim.Lines)
	switch h.IntN(4) {
	case 0:
		lines = h.some(lines)
	case 1: // a split claim
		if len(lines) > 1 {
			at := 1 + h.IntN(len(lines)-1)
			h.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			first := h.adjudicated(from, lines[:at], nil)
			var as *sentClaim
			if h.one(2) {
				as = first[0]
			}
			return from, append(first, h.adjudicated(from, lines[at:], as)...)
		}
	}
	return from, h.adjudicated(from, lines, nil)
}

// payer returns mostly the next payer in sequence.
func (h *historian) payer() int {
	if h.alone != nil {
		return h.alone.payer
	}
	if len(h.sent) == 0 && !h.one(10) {
		return 0
	}
	return pick(h, 0, 1, 1, 1, 2)
}

// place returns the place of a payer in the sequence, from 0.
func (h *historian) place(from int) int {
	if h.alone != nil {
		return h.alone.place
	}
	return from
}

func (h *historian) some(lines []int) []int {
	h.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines[:1+h.IntN(len(lines))]
}

// all returns the indexes of the claim's lines that an adjudication is about; of
// all lines when it does not say.
func all(s *sentClaim) (lines []int) {
	for _, n := range s.numbers {
		if !slices.Contains(lines, n-1) {
			lines = append(lines, n-1)
		}
	}
	return lines
}

// adjudicated returns a payer's decision about lines of the claim, under the
// number of an earlier one if there is one.
func (h *historian) adjudicated(from int, lines []int, as *sentClaim) []*sentClaim {
	s := &sentClaim{from: from}
	as1, as2, as3 := []string{"1", "19"}, []string{"2", "20"}, []string{"3", "21"}
	s.status = pick(h, [][]string{as1, as2, as3}[h.place(from)]...)
	if h.alone == nil && h.one(15) { // one payer with two plans
		s.status = pick(h, as1[0], as2[0], as3[0])
	}
	if s.number = fmt.Sprintf("%c%d", 'A'+from, 1+len(h.sent)); h.one(20) {
		s.number = ""
	}
	s.last, s.first, s.member = "ROE", "JANE", "W1"
	if h.one(20) { // a payer that misspells alone changes nothing
		s.last = "ROWE"
	}
	if as != nil {
		s.number = as.number
		if s.number != "" && h.one(3) {
			s.number, s.original = s.number+"C", s.number
		}
	}
	style := h.IntN(12) // 0 refuses, 1 refuses at the patient's cost, 2 leaves all as deductible
	lines = slices.Clone(lines)
	h.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for _, n := range lines {
		h.services(s, n, style)
	}
	for i := range s.lines {
		s.charge, s.paid = s.charge+s.lines[i].charge, s.paid+s.lines[i].paid
	}
	if style < 2 && s.paid == 0 && h.one(2) {
		s.status = "4"
	}
	if h.one(12) { // nothing about the lines
		if s.level, s.lines = s.adjustments(), nil; h.one(2) {
			s.allowed = amount(s.charge - total(s.level, cas.reducesAllowed))
		}
	} else if s.paid > 0 && h.one(6) {
		a := cas{"CO", "45", h.part(s.paid, 30)}
		a.group, a.reason = pair(pick(h, "CO 45", "CO 253", "CO 29", "PR 3", "OA 23", "PI 131"))
		if a.amount != 0 {
			s.level, s.paid = append(s.level, a), s.paid-a.amount
		}
	}
	if s.patient = amount(total(s.adjustments(), cas.ofPatient)); h.one(15) {
		s.patient = pick(h, "", "12.34")
	}
	if h.one(20) && len(s.lines) > 0 { // bundled into another
		s.lines, s.numbers = append(s.lines, svc{code: pick(h, "D9999", "D0120"), b6: "0"}), append(s.numbers, s.numbers[0])
	}
	h.faults(s)
	h.sent = append(h.sent, s)
	return []*sentClaim{s}
}

// faults makes what a person must look at.
func (h *historian) faults(s *sentClaim) {
	if h.one(25) {
		s.paid++ // out of balance
	}
	if h.one(20) {
		s.last, s.first, s.member = "ELSE", "SOMEONE", "W2"
	}
	if h.one(20) { // a charge that is not ours
		s.charge, s.paid = s.charge+5_00, s.paid+5_00
		if len(s.lines) > 0 {
			s.lines[0].charge, s.lines[0].paid = s.lines[0].charge+5_00, s.lines[0].paid+5_00
		}
	}
}

func pair(s string) (x, y string) {
	x, y, _ = strings.Cut(s, " ")
	return x, y
}

// services adds the payer's decision about line n of the claim; payers split some
// lines into two.
func (h *historian) services(s *sentClaim, n, style int) {
	l := &h.claim.Lines[n]
	charges := []int64{int64(l.Fee)}
	if first := h.part(charges[0], 90); first > 0 && h.one(12) {
		charges = []int64{first, charges[0] - first}
	}
	for _, charge := range charges {
		line := svc{code: l.ProcedureCode, date: l.ServiceDate.X12(), charge: charge}
		switch h.IntN(12) {
		case 0: // a downgrade
			line.code, line.submitted = pick(h, "D2140", "D2391"), l.ProcedureCode
		case 1:
			line.date = ""
		case 2:
			if h.one(4) { // a procedure that was not billed
				line.code = "D9999"
			}
		}
		if h.reference == 0 || h.reference > 1 && h.one(2) {
			line.reference = fmt.Sprint(n + 1)
		}
		if h.reference == 3 && h.one(3) {
			line.reference = pick(h, fmt.Sprint(1+h.IntN(len(h.claim.Lines))), "X77", "0", "99")
		}
		h.decide(&line, h.place(s.from), style)
		s.lines, s.numbers = append(s.lines, line), append(s.numbers, n+1)
	}
}

// decide divides the charge of a line.
func (h *historian) decide(line *svc, place, style int) {
	rest := line.charge
	less := func(amount int64, choices ...string) {
		if amount > 0 {
			group, reason := pair(pick(h, choices...))
			line.adjustments, rest = append(line.adjustments, cas{group, reason, amount}), rest-amount
		}
	}
	contract := func() { less(h.part(rest, 40), "CO 45", "CO 59", "PI 45", "CO 131", "CO 253") }
	switch style {
	case 0:
		less(rest, "CO 16", "CO 29", "CO 96", "OA 18", "PI 16")
	case 1:
		less(rest, "PR 96")
	case 2:
		contract()
		less(rest, "PR 1")
	default:
		if place > 0 && !h.one(4) {
			less(h.part(rest, 80), "OA 23")
		}
		if !h.one(3) {
			contract()
		}
		if !h.one(3) {
			less(h.part(rest, 40), "PR 1", "PR 2", "PR 3", "PR 96")
		}
		if h.one(6) {
			less(h.part(rest, 30), "CO 16", "CO 29", "CO 96", "OA 18")
		}
		if h.one(15) {
			less(rest, "CO 24", "PR 1", "CO 16", "OA 23")
		}
	}
	if line.paid = rest; h.one(4) {
		line.b6 = amount(line.charge - total(line.adjustments, cas.reducesAllowed))
	}
}

// reversed returns the reversal of a payment, which is then forgotten.
func (h *historian) reversed(s *sentClaim) []*sentClaim {
	h.sent = slices.DeleteFunc(h.sent, func(o *sentClaim) bool { return o == s })
	return []*sentClaim{h.renumbered(negative(s))}
}

// renumbered returns a reversal with a number of its own, sometimes.
func (h *historian) renumbered(r *sentClaim) *sentClaim {
	switch h.IntN(10) {
	case 0:
		if r.number != "" {
			r.number, r.original = r.number+"R", r.number
		}
	case 1:
		r.number += "R"
	}
	return r
}

// merged returns one claim for all that the payer sent under the number, or for all
// that it sent. It returns nil when it sent only one.
func (h *historian) merged(s *sentClaim) *sentClaim {
	whole, everything, n := &sentClaim{from: s.from}, h.one(3), 0
	whole.number, whole.last, whole.first, whole.member = s.number, s.last, s.first, s.member
	part := func(o *sentClaim) bool { return o.from == s.from && (everything || o.number == s.number) }
	for _, o := range h.sent {
		if part(o) {
			whole.charge, whole.paid = whole.charge+o.charge, whole.paid+o.paid
			whole.level, whole.lines = append(whole.level, o.level...), append(whole.lines, o.lines...)
			n++
		}
	}
	if n < 2 {
		return nil
	}
	h.sent = slices.DeleteFunc(h.sent, part)
	return whole
}

func onlyLine(s *sentClaim, i int) *sentClaim {
	one := *s
	one.lines, one.charge, one.paid = s.lines[i:i+1], s.lines[i].charge, s.lines[i].paid
	return &one
}

// negative returns the claim with all signs flipped.
func negative(s *sentClaim) *sentClaim {
	r := *s
	r.status, r.charge, r.paid, r.patient, r.level, r.lines = "22", -s.charge, -s.paid, "", flipped(s.level), slices.Clone(s.lines)
	r.allowed = ""
	for i := range r.lines {
		l := &r.lines[i]
		l.charge, l.paid, l.b6, l.adjustments = -l.charge, -l.paid, "", flipped(l.adjustments)
	}
	return &r
}

func flipped(all []cas) []cas {
	all = slices.Clone(all)
	for i := range all {
		all[i].amount = -all[i].amount
	}
	return all
}

func amount(cents int64) string { return billing.Money(cents).String() }

// corrected returns the payment with other figures, under the same trace number.
func (h *historian) corrected(f sentFile) sentFile {
	var claims []*sentClaim
	for _, c := range f.claims {
		switch at := slices.Index(h.sent, c); {
		case h.one(5): // it is not in the correction
		case at < 0 || len(c.numbers) == 0 || h.one(3):
			claims = append(claims, c)
		default:
			h.sent = slices.Delete(h.sent, at, at+1)
			claims = append(claims, h.adjudicated(f.from, all(c), c)...)
		}
	}
	if len(claims) == 0 || h.one(3) {
		claims = append(claims, h.adjudicated(f.from, h.some(indexes(h.claim.Lines)), nil)...)
	}
	f.claims = claims
	return f
}

// file writes one 835.
func (h *historian) file(f sentFile) string {
	h.files = append(h.files, f)
	var b strings.Builder
	var sum int64
	for _, c := range f.claims {
		sum += c.paid
		c.write(&b, strings.ToLower(h.claim.PatientControlNumber))
	}
	if h.one(10) { // a claim that is forwarded, and one that is not ours
		fmt.Fprintf(&b, "CLP*%s*23*10*0**12*F%d~NM1*QC*1*ROE*JANE****MI*W1~", h.claim.PatientControlNumber, f.trace)
		fmt.Fprintf(&b, "CLP*PCN-X*1*10*10**12*G%d~NM1*QC*1*ROE*JANE****MI*W1~", f.trace)
		sum += 10_00
	}
	p, date := claimPayers()[f.from], fmt.Sprintf("202603%02d", f.day)
	return "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~" +
		"GS*HP*PAYER*MOLAR*20260304*0506*907*X*005010X221A1~ST*835*0001~BPR*I*" + amount(sum) + "*C*ACH************" + date + "~" +
		fmt.Sprintf("TRN*1*T-%d*1512345678~N1*PR*%s*PI*%s~", f.trace, p.name, p.id) + "N1*PE*BRIGHT SMILES*XX*1234567893~LX*1~" +
		b.String() + "SE*99*0001~GE*1*907~IEA*1*000000907~"
}

func (s *sentClaim) write(b *strings.Builder, control string) {
	fmt.Fprintf(b, "CLP*%s*%s*%s*%s*%s*12*%s~", control, s.status, amount(s.charge), amount(s.paid), s.patient, s.number)
	writeAdjustments(b, s.level)
	fmt.Fprintf(b, "NM1*QC*1*%s*%s****MI*%s~", s.last, s.first, s.member)
	if s.original != "" {
		fmt.Fprintf(b, "REF*F8*%s~", s.original)
	}
	if s.allowed != "" {
		fmt.Fprintf(b, "AMT*AU*%s~", s.allowed)
	}
	for i := range s.lines {
		l := &s.lines[i]
		fmt.Fprintf(b, "SVC*AD:%s*%s*%s**1", l.code, amount(l.charge), amount(l.paid))
		if l.submitted != "" {
			fmt.Fprintf(b, "*AD:%s", l.submitted)
		}
		b.WriteString("~")
		if l.date != "" {
			fmt.Fprintf(b, "DTM*472*%s~", l.date)
		}
		writeAdjustments(b, l.adjustments)
		if l.reference != "" {
			fmt.Fprintf(b, "REF*6R*%s~", l.reference)
		}
		if l.b6 != "" {
			fmt.Fprintf(b, "AMT*B6*%s~", l.b6)
		}
	}
}

// writeAdjustments writes those of one group into one segment, and leaves slots
// between them empty.
func writeAdjustments(b *strings.Builder, all []cas) {
	for i, a := range all {
		if i%3 > 0 && all[i-1].group == a.group {
			fmt.Fprintf(b, "*****%s*%s", a.reason, amount(a.amount))
			continue
		}
		if i > 0 {
			b.WriteString("~")
		}
		fmt.Fprintf(b, "CAS*%s*%s*%s", a.group, a.reason, amount(a.amount))
	}
	if len(all) > 0 {
		b.WriteString("~")
	}
}

// clerk applies a history with the program, as the service does: file by file,
// the reversals of a file first. After each entry it compares the ledger with the
// oracle's.
type clerk struct {
	h       history
	ledger  *claim.Ledger
	applied []*remit.LedgerEntry
	waiting []*remit.LedgerEntry // reversals of what is not there
	books   *books
	raw     map[*remit.LedgerEntry]*clp
	seen    map[string]int // how often each case occurred
	known   []*remit.Remittance

	beside    *claim.Ledger // of the claim to the other payer; nil for none
	elsewhere []*clp        // what the books of other claims say about the services
}

func newClerk(h history, seen map[string]int) *clerk {
	k := &clerk{h: h, raw: map[*remit.LedgerEntry]*clp{}, seen: seen}
	k.book()
	return k
}

// fold returns the program's ledger of the entries.
func (k *clerk) fold(entries []*remit.LedgerEntry) *claim.Ledger {
	l := k.h.claim.Ledger(entries)
	if k.beside != nil {
		l = l.Beside(k.beside)
	}
	return l
}

// book builds both ledgers from what is applied.
func (k *clerk) book() {
	var raw []*clp
	for _, e := range k.applied {
		raw = append(raw, k.raw[e])
	}
	k.ledger, k.books = k.fold(k.applied), newBooks(k.h.claim, k.h.claim.Payer.PayerID, raw)
	k.books.elsewhere = k.elsewhere
}

func (k *clerk) work() error {
	for arrival, file := range k.h.files {
		if err := k.receive(file, arrival+1); err != nil {
			return err
		}
	}
	return k.finish()
}

// receive posts the payments of a file that are new.
func (k *clerk) receive(file string, arrival int) error {
	payments, err := edi.New().Payments("file", []byte(file), 0)
	for i := range payments {
		err = errors.Join(err, k.place(&payments[i], arrival))
	}
	return err
}

// place posts a payment that is new. Of a correction every second one takes the place of
// what it corrects.
func (k *clerk) place(p *remit.Remittance, arrival int) error {
	p.State, p.Arrival = remit.NeedsReview, int64(arrival)
	copy(p.ID[:], p.Identity[:])
	var siblings []*remit.Remittance
	for _, o := range k.known {
		if !o.SamePayer(p) || o.Payment.TraceNumber != p.Payment.TraceNumber {
			continue
		}
		if same := o.Outline.Figures == p.Outline.Figures; same != sameFile(o.Content, p.Content) {
			return fmt.Errorf("file %d is a duplicate of %d: %t", arrival, o.Arrival, same)
		} else if same {
			k.seen["duplicate"]++
			return nil
		}
		siblings = append(siblings, o)
	}
	k.known = append(k.known, p)
	corrects, _ := p.Relate(siblings)
	for _, o := range siblings {
		if shares := slices.Contains(corrects, o); o.Stands() && shares != shareClaims(o.Content, p.Content) {
			return fmt.Errorf("file %d corrects %d: %t", arrival, o.Arrival, shares)
		}
	}
	switch {
	case len(corrects) == 0:
		k.seen["part"] += min(1, len(siblings))
		return k.post(p, arrival)
	case arrival%2 == 0:
		k.seen["kept"]++
		p.State = remit.Discarded
		return nil
	}
	k.seen["replaced"]++
	p.Decided = &remit.Note{}
	for _, o := range corrects {
		o.State = remit.Replaced
		if err := k.takeBack(o.ID); err != nil {
			return err
		}
	}
	return k.post(p, arrival)
}

// takeBack takes back what was applied of a payment, and forgets what waits.
func (k *clerk) takeBack(id billing.ERAID) error {
	of := func(e *remit.LedgerEntry) bool { return e.ERA.ID == id }
	k.waiting = slices.DeleteFunc(k.waiting, of)
	ledger := k.ledger
	for _, e := range k.applied {
		if of(e) {
			ledger = ledger.Without(e)
		}
	}
	k.applied = slices.DeleteFunc(slices.Clone(k.applied), of)
	k.book()
	k.ledger = ledger
	return k.compare("a payment was taken back")
}

// sameFile reports whether two payments state the same, whatever the order.
func sameFile(a, b []byte) bool { return slices.Equal(facts(a), facts(b)) }

// facts returns what a payment states, in an order of its own.
func facts(file []byte) (all []string) {
	for _, c := range parse(string(file), 0) {
		lines := []string{}
		for _, l := range c.lines {
			lines = append(lines, fmt.Sprint(l.code, l.submitted, l.b6, l.charge, l.paid, inOrder(l.adjustments)))
		}
		slices.Sort(lines)
		all = append(all, fmt.Sprint(strings.ToUpper(c.control), c.number, c.status, c.charge, c.paid, c.patient, c.allowed, inOrder(c.level), lines))
	}
	slices.Sort(all)
	return all
}

func inOrder(all []cas) []cas {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b cas) int {
		return cmp.Or(cmp.Compare(a.group+a.reason, b.group+b.reason), cmp.Compare(a.amount, b.amount))
	})
	return all
}

// shareClaims reports whether both payments have a claim with the same two numbers.
func shareClaims(a, b []byte) bool {
	others := parse(string(b), 0)
	return slices.ContainsFunc(parse(string(a), 0), func(c *clp) bool {
		return slices.ContainsFunc(others, func(o *clp) bool { return strings.EqualFold(c.control, o.control) && c.number == o.number })
	})
}

// finish lets a person finish what waits, and checks the whole.
func (k *clerk) finish() error {
	if k.h.bold {
		waiting := k.waiting
		k.waiting = nil
		for _, e := range waiting {
			if err := k.apply(e); err != nil {
				return err
			}
		}
	}
	if err := k.turned(); err != nil {
		return err
	}
	return k.without()
}

// without unapplies an entry.
func (k *clerk) without() error {
	if len(k.applied) < 2 {
		return nil
	}
	at := len(k.h.files) % len(k.applied)
	e := k.applied[at]
	k.applied = slices.Delete(slices.Clone(k.applied), at, at+1)
	all := k.ledger
	k.book()
	k.ledger = all.Without(e)
	return k.compare("unapplied " + describe(e))
}

// post applies the claims of a payment.
func (k *clerk) post(p *remit.Remittance, arrival int) error {
	source := remit.Source{PayerName: p.PayerName, TraceNumber: p.Payment.TraceNumber, Arrival: int64(arrival)}
	copy(source.ID[:], p.Identity[:])
	for i, payer := range claimPayers() {
		if slices.Contains(p.PayerIDs, payer.id) {
			source.Payer = payerSummary(i)
		}
	}
	raw := parse(string(p.Content), arrival)
	var entries []*remit.LedgerEntry
	for r, err := range edi.New().Claims(p.Content) {
		if err != nil {
			return err
		}
		if r.Forwards() || !strings.EqualFold(r.ControlNumber, k.h.claim.PatientControlNumber) {
			continue
		}
		r.LineNumbers = k.h.claim.MatchLines(r)
		e := &remit.LedgerEntry{Claim: r, ERA: source}
		k.raw[e] = raw[r.Ordinal-1]
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(x, y *remit.LedgerEntry) int { return cmp.Compare(btoi(y.Reverses()), btoi(x.Reverses())) })
	for _, e := range entries {
		if err := k.consider(e); err != nil {
			return err
		}
	}
	return nil
}

// consider applies an entry that no person needs to see.
func (k *clerk) consider(e *remit.LedgerEntry) error {
	code := k.ledger.Review(e, remit.MatchedByControlNumber)
	k.seen["review "+string(code)]++
	if want := k.books.review(k.raw[e]); code != want {
		return fmt.Errorf("%s: review %q, want %q", describe(e), code, want)
	}
	switch {
	case code == remit.ReviewNoPayment:
		k.waiting = append(k.waiting, e)
		return nil
	case code == "" || k.h.bold:
		return k.apply(e)
	default:
		return nil
	}
}

// apply applies an entry, compares, and tries the waiting reversals again.
func (k *clerk) apply(e *remit.LedgerEntry) error {
	raw := k.raw[e]
	repeats := !raw.reverses() && k.books.repeats(raw)
	next := k.ledger.With(e)
	k.applied = append(k.applied, e)
	k.book()
	k.ledger = next
	want := k.books.warnings(k.books.find(raw))
	if repeats {
		want = append(want, remit.WarnPaymentRepeated)
		slices.Sort(want)
	}
	for _, w := range want {
		k.seen["warning "+string(w)]++
	}
	got := slices.Clone(k.ledger.Warnings(e, nil))
	if slices.Sort(got); !slices.Equal(got, want) {
		return fmt.Errorf("%s: warnings %v, want %v", describe(e), got, want)
	}
	if err := k.compare(describe(e)); err != nil {
		return err
	}
	again := k.waiting
	k.waiting = nil
	for _, r := range again {
		if err := k.consider(r); err != nil {
			return err
		}
	}
	return nil
}

func describe(e *remit.LedgerEntry) string {
	return fmt.Sprintf("file %d, claim %d (%s, %s)", e.ERA.Arrival, e.Ordinal, e.StatusCode, e.Paid)
}

func (c *clp) describe() string {
	return fmt.Sprintf("file %d, claim %d (%s, %s)", c.arrival, c.ordinal, c.status, amount(c.paid))
}

// verdictOf returns the verdict of the program; false when nothing stands.
func verdictOf(l *claim.Ledger) (v verdict, stands bool) {
	s := l.Standing()
	if s == nil {
		return verdict{}, false
	}
	v = verdict{
		outcome: string(s.Outcome), date: s.PaymentDate.X12(), paid: int64(s.Paid), patient: int64(s.PatientResponsibility),
		contractual: int64(s.Contractual), notPaid: int64(s.NotPaid), capped: s.Capped, exceeds: s.Exceeds,
	}
	if s.Allowed != nil {
		v.allowedKnown, v.allowed = true, int64(*s.Allowed)
	}
	return v, true
}

// compare compares all figures with the books.
func (k *clerk) compare(after string) error {
	want, standing := k.books.judge()
	got, stands := verdictOf(k.ledger)
	if got != want || stands != standing {
		return fmt.Errorf("after %s:\n got %v %+v\nwant %v %+v", after, stands, got, standing, want)
	}
	if err := k.compareOpen(); err != nil {
		return fmt.Errorf("after %s: %w", after, err)
	}
	k.seen["outcome "+got.outcome]++
	sum := got.paid + got.patient + got.contractual
	for _, e := range k.elsewhere {
		sum += e.paid
	}
	if charge := int64(k.h.claim.Charge()); stands && sum > charge && !got.exceeds {
		return fmt.Errorf("after %s: %+v is more than %d, without a warning", after, got, charge)
	}
	all := k.ledger.Adjudications()
	if len(all) != len(k.books.entries) {
		return fmt.Errorf("%d adjudications, want %d", len(all), len(k.books.entries))
	}
	for i := range all {
		if err := k.compareOne(&all[i]); err != nil {
			return fmt.Errorf("after %s: %w", after, err)
		}
	}
	return nil
}

// compareOpen compares what is open of the claim and of its lines, by the ledger and by
// the figures that the claim stores, with the books.
func (k *clerk) compareOpen() error {
	open, lines := k.books.open()
	stored := *k.h.claim
	stored.Standing = k.ledger.Standing()
	stored.SetElsewhere(k.ledger)
	got := k.ledger.OpenLines()
	same := slices.EqualFunc(got, lines, func(x billing.Money, y int64) bool { return int64(x) == y })
	if int64(k.ledger.Open()) != open || int64(stored.Open()) != open || !same {
		return fmt.Errorf("open are %s and stored %s, lines %v; want %s, %v", k.ledger.Open(), stored.Open(), got, amount(open), lines)
	}
	switch whole := int64(k.h.claim.Charge()); {
	case open == 0:
		k.seen["nothing open"]++
	case open < 0:
		k.seen["overpaid"]++
	case open < whole:
		k.seen["open in part"]++
	}
	if first := k.books.firstDeciders(); len(first) > 0 && first[0].sequence > 1 {
		k.seen["OA-23 alone"]++
	}
	return nil
}

// compareOne compares an adjudication with the books.
func (k *clerk) compareOne(a *claim.Adjudication) error {
	o := k.books.find(k.raw[a.LedgerEntry])
	var by, wantBy string
	if a.CancelledBy != nil {
		by = describe(a.CancelledBy)
		k.seen["cancelled"]++
	}
	if o.reversal != nil {
		wantBy = o.reversal.describe()
	}
	sequence := []billing.Sequence{"", billing.SequencePrimary, billing.SequenceSecondary, billing.SequenceTertiary}[o.sequence]
	k.seen["sequence "+string(sequence)]++
	if a.Sequence != sequence || !slices.Equal(a.Numbers, o.numbers) || by != wantBy {
		return fmt.Errorf("%s is %s, lines %v, cancelled by %q; want %s, %v, %q",
			describe(a.LedgerEntry), a.Sequence, a.Numbers, by, sequence, o.numbers, wantBy)
	}
	s := a.Shares()
	adjustments := o.adjustments()
	reason := func(r string) int64 {
		return total(adjustments, func(a cas) bool { return a.ofPatient() && a.reason == r })
	}
	got := [...]int64{
		int64(a.Paid), int64(a.Charge), int64(s.PatientResponsibility), int64(s.Deductible), int64(s.Coinsurance), int64(s.Copay), int64(s.OtherPatient),
		int64(s.Contractual), int64(s.NotPaid),
	}
	one, two, three, all := reason("1"), reason("2"), reason("3"), total(adjustments, cas.ofPatient)
	want := [...]int64{
		o.paid, o.charge, all, one, two, three, all - one - two - three, total(adjustments, cas.contractual), total(adjustments, cas.notPaid),
	}
	if got != want {
		return fmt.Errorf("%s: shares %v, want %v", describe(a.LedgerEntry), got, want)
	}
	return nil
}

// turned compares the figures with those of the same entries received in the
// opposite order. Of payments of one day the order counts.
func (k *clerk) turned() error {
	rivals := func(o *clp) bool { // two payers of one sequence on one day
		return slices.ContainsFunc(k.elsewhere, func(e *clp) bool { return e.date == o.date && e.sequence == o.sequence && e.payer != o.payer })
	}
	if !k.h.dated || slices.ContainsFunc(k.books.entries, rivals) {
		return nil
	}
	var entries []*remit.LedgerEntry
	for _, e := range slices.Backward(k.applied) {
		source := e.ERA
		source.Arrival = -source.Arrival
		entries = append(entries, &remit.LedgerEntry{Claim: e.Claim, ERA: source})
	}
	want, standing := verdictOf(k.ledger)
	if got, stands := verdictOf(k.fold(entries)); got != want || stands != standing {
		return fmt.Errorf("in the opposite order:\n got %v %+v\nwant %v %+v", stands, got, standing, want)
	}
	k.seen["opposite order"]++
	return nil
}

// TestLedgerEqualsTheOracle compares every figure after every 835 of random
// histories with the oracle's.
func TestLedgerEqualsTheOracle(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(2000) {
		h := writeHistory(seed)
		if err := newClerk(h, seen).work(); err != nil {
			fail(t, seed, h, err)
		}
	}
	for _, c := range []string{
		"outcome ", "outcome paid", "outcome denied", "cancelled", "opposite order", "sequence primary", "sequence secondary", "sequence tertiary", "review ",
		"review unbalanced", "review patient_and_charge_differ", "review payment_repeated", "review reversal_differs", "review reversal_without_payment", "review exceeds_charge", "duplicate", "part", "kept", "replaced",
		"warning patient_differs", "warning charge_differs", "warning procedure_unknown", "warning line_unmatched", "warning exceeds_charge",
		"warning patient_amount_differs", "warning patient_amount_capped", "warning payment_repeated", "nothing open", "overpaid", "open in part", "OA-23 alone",
	} {
		if seen[c] < 20 {
			t.Errorf("%s: %d times in all histories, too few to prove anything", c, seen[c])
		}
	}
}

// fail reports a history.
func fail(t *testing.T, seed uint64, h history, err error) {
	t.Helper()
	var b strings.Builder
	for i, l := range h.claim.Lines {
		fmt.Fprintf(&b, "line %d: %s %s %s\n", i+1, l.ProcedureCode, l.ServiceDate, l.Fee)
	}
	for i, f := range h.files {
		fmt.Fprintf(&b, "file %d:\n%s", i+1, strings.ReplaceAll(f, "~", "~\n"))
	}
	t.Errorf("seed %d: %v\n%s", seed, err, b.String())
}
