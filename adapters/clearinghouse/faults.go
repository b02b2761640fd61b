package clearinghouse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Fault is the name of a fault.
type Fault string

// The faults. Those with a number in the table are deviations of real endpoints.
const (
	sftpSilent  Fault = "sftp:silent"
	sftpHostKey Fault = "sftp:host-key"
	sftpLogin   Fault = "sftp:login"
	sftpCut     Fault = "sftp:cut"
	sftpHang    Fault = "sftp:hang"
	sftpFull    Fault = "sftp:full"
	sftpRename  Fault = "sftp:rename"
	sftpLost    Fault = "sftp:lost"
	sftpPartial Fault = "sftp:partial"
	sftpChanged Fault = "sftp:changed"
	sftpTwice   Fault = "sftp:twice"
	sftpNames   Fault = "sftp:names"
	sftpReports Fault = "sftp:reports"

	coreSilent       Fault = "core:silent"
	coreCertificate  Fault = "core:certificate"
	coreUnauthorized Fault = "core:unauthorized"
	coreHang         Fault = "core:hang"
	coreHangBody     Fault = "core:hang-body"
	coreCut          Fault = "core:cut"
	coreFault        Fault = "core:fault"
	coreHTML         Fault = "core:html"
	coreTA1          Fault = "core:ta1"

	coreJSONSuccess Fault = "core:json-success"
	core999         Fault = "core:999"
	coreMultipart   Fault = "core:multipart"
	coreSOAP11      Fault = "core:soap11"
	coreNamespaces  Fault = "core:namespaces"
	coreErrorCode   Fault = "core:error-code"
	coreCDATA       Fault = "core:cdata"
	coreOtherCheck  Fault = "core:other-check"
	coreSignature   Fault = "core:signature"
	coreIDs         Fault = "core:ids"
	coreTextXML     Fault = "core:text-xml"
	coreReceiver    Fault = "core:receiver"
	coreBase64      Fault = "core:base64"
)

// faultRow is a fault with its help.
type faultRow struct {
	name  Fault
	alias Fault // its number among the deviations
	help  string
}

// faultTable lists every fault. The numbers are in the order of the deviations that
// were seen at real endpoints.
//
//nolint:gochecknoglobals // a constant table
var faultTable = []faultRow{
	{sftpSilent, "", "the server accepts a connection and says nothing"},
	{sftpHostKey, "", "the server has another host key than the one that it announces"},
	{sftpLogin, "", "the server refuses the right password and key"},
	{sftpCut, "", "a transfer ends after some bytes, with its connection"},
	{sftpHang, "", "a transfer stops after some bytes, and its connection stays open"},
	{sftpFull, "", "the disk is full: nothing can be written"},
	{sftpRename, "", "files cannot be renamed"},
	{sftpLost, "", "a file is taken, and nothing comes back"},
	{sftpPartial, "", "a file in outbound is half there for three seconds"},
	{sftpChanged, "", "a file in outbound has other bytes of the same number for three seconds"},
	{sftpNames, "", "a file with a strange name comes with each file"},
	{sftpTwice, "", "a file comes to outbound twice, under two names"},
	{sftpReports, "", "a text report comes with each file"},

	{coreSilent, "", "the endpoint accepts a connection and says nothing"},
	{coreCertificate, "", "the endpoint has an expired certificate"},
	{coreUnauthorized, "", "the endpoint refuses the right password: UnAuthorized"},
	{coreHang, "", "no reply, with an open connection"},
	{coreHangBody, "", "half of the reply, with an open connection"},
	{coreCut, "", "the connection ends before the reply"},
	{coreFault, "", "status 500 with a SOAP fault"},
	{coreHTML, "", "status 502 with a page of HTML"},
	{coreTA1, "", "a TA1 in place of the 271"},

	{coreJSONSuccess, "core:d1", "ErrorCode Success, PayloadType of a 277, and JSON in place of X12"},
	{core999, "core:d2", "a 999 over one NM1 in place of the 271"},
	{coreMultipart, "core:d3", "the SOAP reply as the part of a multipart body, whose boundary only its first line names"},
	{coreSOAP11, "core:d4", "a SOAP 1.1 envelope with other elements and times, and X12 with line breaks and indents"},
	{coreNamespaces, "core:d5", "other namespaces, prefixed fields in alphabetical order"},
	{coreErrorCode, "core:d6", "ErrorCode VT04_034 with a valid 271"},
	{coreCDATA, "core:d7", "the payload is CDATA, escaped once more"},
	{coreOtherCheck, "core:d8", "PayloadID and BHT03 of another request"},
	{coreSignature, "core:d9", "the endpoint wants an XML signature: it refuses a user name with a SOAP fault"},
	{coreIDs, "core:d10", "other sender IDs, ISA11 U and ISA12 00401; with core:999, a 999 about other sets"},
	{coreTextXML, "core:d11", "text/xml with a SOAP 1.2 body, and headers Action and SOAPAction"},
	{coreReceiver, "core:d12", "free text as SenderID and ReceiverID"},
	{coreBase64, "core:d13", "the payload in base64"},
}

// FaultsHelp lists the faults for a command's help.
func FaultsHelp() string {
	var b strings.Builder
	for _, r := range faultTable {
		name := string(r.name)
		if r.alias != "" {
			name += ", " + strings.TrimPrefix(string(r.alias), "core:")
		}
		fmt.Fprintf(&b, "  %-24s %s\n", name, r.help)
	}
	return b.String()
}

// Faults are the faults that are on, with the probability of each.
type Faults map[Fault]float64

// ParseFaults reads faults such as core:hang, core:d2 or sftp:cut=0.1.
func ParseFaults(all []string) (Faults, error) {
	faults := Faults{}
	for _, given := range all {
		name, chance, stated := strings.Cut(given, "=")
		row := slices.IndexFunc(faultTable, func(r faultRow) bool { return name != "" && (string(r.name) == name || string(r.alias) == name) })
		if row < 0 {
			return nil, fmt.Errorf("--fault %s: there is no such fault; the faults are:\n%s", given, strings.TrimSuffix(FaultsHelp(), "\n"))
		}
		p := 1.0
		if stated {
			var err error
			if p, err = strconv.ParseFloat(chance, 64); err != nil || !(p > 0 && p <= 1) {
				return nil, fmt.Errorf("--fault %s: after = comes a probability above 0 and at most 1, such as 0.1", given)
			}
		}
		faults[faultTable[row].name] = p
	}
	return faults, nil
}

// strikes decides whether the fault happens now.
func (f Faults) strikes(name Fault) bool {
	p := f[name]
	return p > 0 && (p >= 1 || rand.Float64() < p)
}

// someBytes returns a number of bytes after which a transfer fails. Small numbers
// are as likely as large ones, so that small files fail too.
func someBytes() int64 {
	const doublings = 18
	return rand.Int64N(1 << rand.IntN(doublings))
}
