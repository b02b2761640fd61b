package bankfile

import (
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
)

// bai2 reads a BAI2 file record by record.
type bai2 struct {
	to  *deposit.File
	day billing.Date // of the group

	account  string
	sum      [3]billing.Money // of the account, its group and the file
	count    int              // records of the account, its continuations too
	open     [3]bool
	finished bool
}

// record is a record of BAI2 with its continuations (88).
type record struct {
	line, lines int
	text        string
}

func readBAI2(to *deposit.File, text string) {
	b := &bai2{to: to}
	for _, r := range continued(text) {
		b.record(r)
	}
	if !b.finished {
		to.Warn(0, deposit.TrailerMissing, "The file has no trailer (99): it may be cut. Its entries were read.")
	}
}

// wide is the length of a line that breaks a text anywhere.
const wide = 80

// continued joins the continuations to their records.
func continued(text string) (all []record) {
	before := ""
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") {
		line = strings.TrimRight(line, " ")
		rest, further := strings.CutPrefix(line, "88,")
		switch {
		case line == "":
			continue
		case further && len(all) > 0:
			r := &all[len(all)-1]
			switch {
			case strings.HasSuffix(r.text, "/"):
				r.text = r.text[:len(r.text)-1] + ","
			case len(before) < wide:
				r.text += " "
			}
			r.text, r.lines = r.text+rest, r.lines+1
		default:
			all = append(all, record{i + 1, 1, line})
		}
		before = line
	}
	return all
}

func (b *bai2) record(r record) {
	f := strings.Split(strings.TrimSuffix(r.text, "/"), ",")
	field := func(i int) string {
		if i < len(f) {
			return strings.TrimSpace(f[i])
		}
		return ""
	}
	b.count += r.lines
	switch field(0) {
	case "01":
	case "02":
		b.sum[1], b.open[1] = 0, true
		b.day, _ = shortDay(field(4))
	case "03":
		if b.open[0] {
			b.to.Warn(r.line, deposit.TrailerMissing, "The account before has no trailer (49). Its entries were read.")
			b.sum[1] += b.sum[0]
		}
		b.account, b.sum[0], b.count, b.open[0] = field(1), 0, r.lines, true
		for i := 4; i < len(f); i += 4 { // type, amount, count, funds
			amount, _ := cents(field(i))
			b.sum[0] += amount
			i += further(field, i+2)
		}
	case "16":
		b.transaction(r.line, f, field)
	case "49":
		b.total(r.line, 0, field(1), "account")
		if n, err := strconv.Atoi(field(2)); err == nil && n != b.count {
			b.to.Warn(r.line, deposit.ControlDiffers, "The trailer of the account has another number of records. The entries were read.")
		}
	case "98":
		b.total(r.line, 1, field(1), "group")
	case "99":
		b.finished = true
		b.total(r.line, 2, field(1), "file")
	default:
		b.to.Warn(r.line, deposit.LineUnread, "The line is no record of a BAI2 file. It was left out.")
	}
}

// total compares the total of a trailer, and adds it to the level above.
func (b *bai2) total(line, level int, stated, of string) {
	if level > 0 && b.open[level-1] {
		b.to.Warn(line, deposit.TrailerMissing, "A trailer is missing before that of the "+of+". The entries were read.")
		b.sum[level] += b.sum[level-1]
		b.open[level-1] = false
	}
	if want, ok := cents(stated); !ok || want != b.sum[level] {
		b.to.Warn(line, deposit.ControlDiffers, "The trailer of the "+of+" has another total than its entries. They were read.")
	}
	if level+1 < len(b.sum) {
		b.sum[level+1] += b.sum[level]
	}
	b.sum[level], b.open[level] = 0, false
}

// further returns how many more fields the funds type at i has.
func further(field func(int) string, i int) int {
	switch strings.ToUpper(field(i)) {
	case "S":
		return 3
	case "V":
		return 2
	case "D":
		n, _ := strconv.Atoi(field(i + 1))
		return 1 + 2*min(max(n, 0), 100)
	default:
		return 0
	}
}

// transaction reads a transaction (16).
func (b *bai2) transaction(line int, f []string, field func(int) string) {
	kind, err := strconv.Atoi(field(1))
	amount, ok := cents(field(2))
	b.sum[0] += amount
	if err != nil || !ok || b.day.IsZero() || b.account == "" {
		b.to.Warn(line, deposit.LineUnread, "The transaction has no type, amount, date or account that can be read. It was left out.")
		return
	}
	if kind < 100 || kind >= 700 || amount == 0 { // a loan, or a message without money
		return
	}
	if kind >= 400 {
		amount = -amount
	}
	at := 4 + further(field, 3)
	e := deposit.Entry{Date: b.day, Amount: amount, Method: bai2Method(kind), Reference: field(at)}
	if at+2 < len(f) {
		e.Text = strings.Join(f[at+2:], ",")
	}
	if number := strings.TrimLeft(field(at+1), "0"); e.Method == deposit.Check && billing.AllDigits(number) {
		e.Trace = number
	}
	b.to.Entries = append(b.to.Entries, finish(e, b.account))
}

// bai2Method returns how the money of a type came.
func bai2Method(kind int) deposit.Method {
	switch kind {
	case 142, 143, 155, 164, 165, 166, 168, 169, 257, 451, 455, 466, 469, 557:
		return deposit.ACH
	case 115, 116, 118, 170, 171, 172, 173, 174, 175, 301, 475, 555:
		return deposit.Check
	default:
		return deposit.Other
	}
}
