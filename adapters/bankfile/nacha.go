package bankfile

import (
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
)

// recordLength is the length of every record of a NACHA file.
const recordLength = 94

// nacha reads a NACHA file record by record.
type nacha struct {
	to      *deposit.File
	created billing.Date // of the file, for a batch without an effective date

	batch    bool // is open
	company  string
	about    string // what the company says of the entries
	day      billing.Date
	entry    *deposit.Entry // its addenda follow
	account  string         // of the entry
	credit   bool
	sums     sums // of the batch
	all      sums // of the file
	batches  int
	finished bool
}

// sums are what a control record repeats.
type sums struct {
	count         int // entries and addenda
	hash          int
	debit, credit billing.Money
}

func readNACHA(to *deposit.File, text string) {
	n := &nacha{to: to}
	for i, r := range records(text) {
		n.record(i+1, r)
	}
	n.keep()
	if n.batch {
		n.warn(0, deposit.TrailerMissing, "The last batch has no control record (8). Its entries were read.")
	}
	if !n.finished && len(to.Entries) > 0 {
		n.warn(0, deposit.TrailerMissing, "The file has no control record (9): it may be cut. Its entries were read.")
	}
}

// records returns the records of a file with or without line breaks, each as long as a record.
func records(text string) (all []string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
	for _, line := range lines {
		for len(line) > recordLength {
			all, line = append(all, line[:recordLength]), line[recordLength:]
		}
		if strings.TrimSpace(line) != "" {
			all = append(all, line+strings.Repeat(" ", recordLength-len(line)))
		}
	}
	return all
}

func (n *nacha) warn(line int, code deposit.WarningCode, message string) {
	n.to.Warn(line, code, message)
}

func (n *nacha) record(line int, r string) {
	switch r[0] {
	case '1':
		n.created, _ = shortDay(r[23:29])
	case '5':
		n.keep()
		n.batch, n.sums = true, sums{}
		n.batches++
		n.company, n.about = strings.TrimSpace(r[4:20]), strings.TrimSpace(r[53:63])
		var ok bool
		if n.day, ok = shortDay(r[69:75]); !ok {
			n.day = n.created
		}
	case '6':
		n.keep()
		n.begin(line, r)
	case '7':
		n.addendum(r)
	case '8':
		n.keep()
		n.control(line, "The control record of the batch", sumsOf(r[4:10], r[10:20], r[20:32], r[32:44]), n.sums)
		n.all = sums{n.all.count + n.sums.count, n.all.hash + n.sums.hash, n.all.debit + n.sums.debit, n.all.credit + n.sums.credit}
		n.batch = false
	case '9':
		if n.finished || strings.Trim(r, "9") == "" { // filler
			return
		}
		n.keep()
		n.finished = true
		n.control(line, "The control record of the file", sumsOf(r[13:21], r[21:31], r[31:43], r[43:55]), n.all)
		if count, err := strconv.Atoi(r[1:7]); err == nil && count != n.batches {
			n.warn(line, deposit.ControlDiffers, "The control record of the file has another number of batches than the file.")
		}
	default:
		n.warn(line, deposit.LineUnread, "The line is no record of a NACHA file. It was left out.")
	}
}

// begin reads an entry (6).
func (n *nacha) begin(line int, r string) {
	n.sums.count++
	routing, err := strconv.Atoi(r[3:11])
	if err == nil {
		n.sums.hash += routing
	}
	amount, ok := cents(r[29:39])
	if !ok || n.day.IsZero() {
		n.warn(line, deposit.LineUnread, "The entry has no amount or no date that can be read. It was left out.")
		return
	}
	n.credit = r[2] >= '1' && r[2] <= '4'
	returned := r[2] == '1' || r[2] == '6' // of a credit, or of a debit
	if n.credit {
		n.sums.credit += amount
	} else {
		n.sums.debit += amount
	}
	if amount == 0 { // a notice
		return
	}
	if n.credit == returned { // a debit, and the return of a credit, take money away
		amount = -amount
	}
	n.account = strings.TrimSpace(r[12:29])
	n.entry = &deposit.Entry{
		Date: n.day, Amount: amount, Method: deposit.ACH, Company: n.company, Text: n.company + " " + n.about, Reference: strings.TrimSpace(r[79:94]),
		Claims: strings.EqualFold(n.about, claimPayment),
	}
	if returned {
		n.entry.Text += " RETURN"
	}
}

// addendum reads an addenda record (7): 05 has a TRN, 99 names the entry that is returned.
func (n *nacha) addendum(r string) {
	n.sums.count++
	switch {
	case n.entry == nil:
	case r[1:3] == "99":
		n.entry.Returns = strings.TrimSpace(r[6:21])
		n.entry.Text += " " + r[3:6]
	default:
		n.entry.Text += " " + strings.TrimSpace(r[3:83])
	}
}

// keep ends the entry whose addenda were read.
func (n *nacha) keep() {
	if n.entry != nil {
		n.to.Entries = append(n.to.Entries, finish(*n.entry, n.account))
	}
	n.entry = nil
}

// sumsOf reads a control record.
func sumsOf(count, hash, debit, credit string) (s sums) {
	s.count, _ = strconv.Atoi(count)
	s.hash, _ = strconv.Atoi(hash)
	s.debit, _ = cents(debit)
	s.credit, _ = cents(credit)
	return s
}

// control compares a control record with what was read. A hash has ten digits.
func (n *nacha) control(line int, what string, stated, read sums) {
	if read.hash %= 1e10; stated != read {
		n.warn(line, deposit.ControlDiffers, what+" has another count, hash or total than its entries. They were read.")
	}
}
