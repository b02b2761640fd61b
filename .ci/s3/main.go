// Command versitygw is the S3 server of the tests: Versity's gateway to a folder,
// without what else its own command can do. It takes the same arguments as that
// one does:
//
//	versitygw --quiet --port ADDRESS posix FOLDER
package main

import (
	"context"
	"flag"
	"log"
	"os"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	port := flag.String("port", "127.0.0.1:7070", "address to listen at")
	quiet := flag.Bool("quiet", false, "print no requests")
	flag.Parse()
	if flag.NArg() != 2 || flag.Arg(0) != "posix" {
		log.Fatal("Usage: versitygw --quiet --port ADDRESS posix FOLDER")
	}
	if err := serve(flag.Arg(1), *port, *quiet); err != nil {
		log.Fatal(err)
	}
}

// serve has the limits that the gateway's own command has by default.
func serve(folder, port string, quiet bool) error {
	attributes := meta.XattrMeta{}
	if err := attributes.Test(folder); err != nil {
		return err
	}
	options := posix.PosixOpts{Concurrency: 5000, IOBufferSize: 1 << 20, CopyObjectThreshold: 5 << 30}
	options.SetNewDirPerm(0o755)
	options.SetNewFilePerm(0o644)
	backend, err := posix.New(folder, attributes, options)
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(context.Background(), backend, &embedgw.Config{
		RootUserAccess: os.Getenv("ROOT_ACCESS_KEY"),
		RootUserSecret: os.Getenv("ROOT_SECRET_KEY"),
		Ports:          []string{port},
		Quiet:          quiet,
		MaxConnections: 250000, MaxRequests: 100000, MultipartMaxParts: 10000,
	})
}
