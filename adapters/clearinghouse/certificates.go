package clearinghouse

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"os"
	"time"
)

// The files of the certificates.
const (
	caFile         = "ca.crt"
	caKeyFile      = "ca.key"
	serverCertFile = "server.crt"
	serverKeyFile  = "server.key"
	clientCertFile = "client.crt"
	clientKeyFile  = "client.key"
)

const (
	caLife   = 10 * 365 * 24 * time.Hour
	certLife = 365 * 24 * time.Hour
	renewal  = 30 * 24 * time.Hour // before the end of a certificate
)

// authority is the CA that signs the certificates of the server and of the client.
type authority struct {
	folder *folder
	tls.Certificate
}

// openAuthority reads the CA, or makes it at the first start.
func openAuthority(f *folder, now time.Time) (*authority, error) {
	a := &authority{folder: f}
	err := a.load(caFile, caKeyFile, &a.Certificate)
	if err == nil && now.Before(a.Leaf.NotAfter.Add(-certLife)) {
		return a, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return a, a.issue(caFile, caKeyFile, &x509.Certificate{
		Subject:   pkix.Name{CommonName: "Clearinghouse simulator " + rand.Text()[:8]},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(caLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, &a.Certificate)
}

// pool returns the CA as the only one to trust.
func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Leaf)
	return pool
}

// server returns the certificate for the names and addresses of the server.
func (a *authority) server(now time.Time, hosts []string) (tls.Certificate, error) {
	return a.certificate(serverCertFile, serverKeyFile, now, serverTemplate(hosts), hosts)
}

func serverTemplate(hosts []string) *x509.Certificate {
	t := &x509.Certificate{Subject: pkix.Name{CommonName: hosts[0]}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, h)
		}
	}
	return t
}

// expired returns a certificate that is no longer valid, and keeps it in no file that
// anything else reads.
func (a *authority) expired(now time.Time, hosts []string) (tls.Certificate, error) {
	var c tls.Certificate
	template := serverTemplate(hosts)
	template.NotBefore, template.NotAfter, template.KeyUsage = now.Add(-2*certLife), now.Add(-time.Hour), x509.KeyUsageDigitalSignature
	err := a.issue(tmpFolder+"/"+serverCertFile, tmpFolder+"/"+serverKeyFile, template, &c)
	return c, err
}

// client makes the certificate of the account, for Phase IV.
func (a *authority) client(now time.Time) error {
	_, err := a.certificate(clientCertFile, clientKeyFile, now, &x509.Certificate{
		Subject: pkix.Name{CommonName: accountName}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, nil)
	return err
}

// certificate reads a certificate. It issues a new one unless the one that is there
// is of this CA, for these hosts, and valid for a while.
func (a *authority) certificate(certFile, keyFile string, now time.Time, want *x509.Certificate, hosts []string) (tls.Certificate, error) {
	var c tls.Certificate
	if err := a.load(certFile, keyFile, &c); err == nil && a.covers(c.Leaf, now, want.ExtKeyUsage, hosts) {
		return c, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	want.NotBefore, want.NotAfter, want.KeyUsage = now.Add(-time.Hour), now.Add(certLife), x509.KeyUsageDigitalSignature
	err := a.issue(certFile, keyFile, want, &c)
	return c, err
}

func (a *authority) covers(leaf *x509.Certificate, now time.Time, usages []x509.ExtKeyUsage, hosts []string) bool {
	for _, h := range hosts {
		if leaf.VerifyHostname(h) != nil {
			return false
		}
	}
	_, err := leaf.Verify(x509.VerifyOptions{Roots: a.pool(), CurrentTime: now.Add(renewal), KeyUsages: usages})
	return err == nil
}

// load reads a certificate with its key. A pair that does not match counts as
// absent: the process was killed between the two files.
func (a *authority) load(certFile, keyFile string, to *tls.Certificate) error {
	cert, err := a.folder.ReadFile(certFile)
	if err != nil {
		return err
	}
	key, err := a.folder.ReadFile(keyFile)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fs.ErrNotExist
	}
	*to = pair
	return nil
}

// issue signs the template with the CA, or with its own key if it is the CA's, and
// writes both files.
func (a *authority) issue(certFile, keyFile string, template *x509.Certificate, to *tls.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return err
	}
	parent, signer := template, any(key)
	if !template.IsCA {
		parent, signer = a.Leaf, a.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := a.folder.replace(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})); err != nil {
		return err
	}
	if err := a.folder.replace(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})); err != nil {
		return err
	}
	return a.load(certFile, keyFile, to)
}

// hostsOf returns the names and addresses that a client may use for a listener. A
// listener on all addresses has all of this machine's.
func hostsOf(listener net.Addr) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	address, ok := listener.(*net.TCPAddr)
	switch {
	case !ok || address.IP.IsLoopback():
	case !address.IP.IsUnspecified():
		hosts = append(hosts, address.IP.String())
	default:
		if name, err := os.Hostname(); err == nil {
			hosts = append(hosts, name)
		}
		all, _ := net.InterfaceAddrs()
		for _, a := range all {
			if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
				hosts = append(hosts, n.IP.String())
			}
		}
	}
	return hosts
}
