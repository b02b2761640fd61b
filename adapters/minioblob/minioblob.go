// Package minioblob stores images in a bucket of any S3 server. It implements
// ports.Blobs.
//
// A blob is one PUT request of a known length, so a server stores all of it or
// nothing. Its checksums are part of the signed request, and the server
// verifies them. This package verifies them too while it reads. It never holds
// a whole blob in memory.
package minioblob

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

const (
	// attempts is the number of times that a request is sent before its failure
	// is returned. One is not enough: a restarted server leaves dead
	// connections.
	attempts = 3
	// firstPause is the pause before the second attempt. Each further pause is
	// twice as long.
	firstPause = 100 * time.Millisecond
)

// ErrName is returned for a name that no blob can have.
var ErrName = errors.New("minioblob: no name for a blob")

// Store is a bucket. It is safe for concurrent use.
type Store struct {
	at        location
	log       *slog.Logger
	patience  time.Duration
	transport *http.Transport
	once      *minio.Core // sends every request once
	often     *minio.Core // sends requests without a body again when they fail
}

var _ ports.Blobs = (*Store)(nil)

// Open opens a bucket, and creates it if it is missing. If the server cannot be
// reached, Open succeeds, and the first Put or Ready after it is back creates
// the bucket. If the server refuses, Open returns an error.
func Open(ctx context.Context, opts Options) (*Store, error) {
	at, err := parseURL(opts.URL)
	if err != nil {
		return nil, fmt.Errorf("minioblob: %w", err)
	}
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	s := &Store{at: at, log: opts.Log, patience: opts.Patience, transport: newTransport(opts.Patience)}
	if s.once, err = s.client(1); err == nil {
		s.often, err = s.client(attempts)
	}
	if err != nil {
		return nil, fmt.Errorf("minioblob: %w", err)
	}
	switch err := s.makeBucket(ctx); {
	case err == nil:
	case ctx.Err() == nil && passes(err):
		s.log.WarnContext(ctx, "the blob store is away", "host", at.host, "bucket", at.bucket, "error", err)
	default:
		s.Close()
		return nil, fmt.Errorf("minioblob: bucket %s: %w", at.bucket, err)
	}
	return s, nil
}

func (s *Store) client(attempts int) (*minio.Core, error) {
	return minio.NewCore(s.at.host, &minio.Options{
		Creds:      credentials.NewStaticV4(s.at.access, s.at.secret, ""),
		Secure:     s.at.tls,
		Region:     s.at.region,
		Transport:  s.transport,
		MaxRetries: attempts,
	})
}

// Close closes the connections that are not in use.
func (s *Store) Close() { s.transport.CloseIdleConnections() }

// makeBucket makes the bucket, unless it is there.
func (s *Store) makeBucket(ctx context.Context) error {
	if found, err := s.often.BucketExists(ctx, s.at.bucket); err != nil || found {
		return err
	}
	err := s.often.MakeBucket(ctx, s.at.bucket, minio.MakeBucketOptions{Region: s.at.region})
	if err == nil {
		s.log.InfoContext(ctx, "made a bucket", "host", s.at.host, "bucket", s.at.bucket)
		return nil
	}
	// Another process may have made it first. Servers report that in various ways.
	if found, lookErr := s.often.BucketExists(ctx, s.at.bucket); lookErr == nil && found {
		return nil
	}
	return err
}

// passes reports whether an error may go away without a change: a fault of the
// network, or a temporary fault of the server.
func passes(err error) bool {
	reply, ok := errors.AsType[minio.ErrorResponse](err)
	return !ok || reply.StatusCode >= http.StatusInternalServerError ||
		reply.StatusCode == http.StatusTooManyRequests || reply.StatusCode == http.StatusRequestTimeout
}

func isCode(err error, code string) bool {
	reply, ok := errors.AsType[minio.ErrorResponse](err)
	return ok && reply.Code == code
}

// Put stores a blob. If the connection is lost after the last byte, the server
// may or may not have the blob. Put sends it again if the content can be read
// again (io.Seeker). Otherwise Put fails, and the name may have the new blob.
// Put waits for a blocked Read of the content, even when ctx ends.
func (s *Store) Put(ctx context.Context, name string, b ports.Blob) error {
	if !billing.ValidBlobName(name) {
		return ErrName
	}
	again := rewinder(b.Content)
	for n := 1; ; n++ {
		err := s.put(ctx, name, b)
		if err == nil {
			return nil
		}
		if n == attempts || again == nil || !s.worthRetrying(ctx, err, firstPause<<(n-1)) {
			return failure(ctx, "put", err)
		}
		if seekErr := again(); seekErr != nil {
			return fmt.Errorf("minioblob: put: %w", errors.Join(err, seekErr))
		}
	}
}

// failure returns the error of a failed call. It is StorageUnavailable, except
// in three cases: the content was wrong, the server replied 400, or the caller
// canceled.
func failure(ctx context.Context, call string, err error) error {
	_, content := errors.AsType[contentError](err)
	reply, _ := errors.AsType[minio.ErrorResponse](err)
	err = fmt.Errorf("minioblob: %s: %w", call, err)
	if content || reply.StatusCode == http.StatusBadRequest || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	return billing.StorageUnavailable(err)
}

// contentError is a fault of content that could not be sent.
type contentError struct{ error }

func (e contentError) Unwrap() error { return e.error }

func (s *Store) put(ctx context.Context, name string, b ports.Blob) error {
	body := newContent(ctx, b)
	if b.Size <= 0 { // an empty request would not read the content
		if _, err := io.Copy(io.Discard, body); err != nil {
			return contentError{err}
		}
	}
	_, err := s.once.PutObject(ctx, s.at.bucket, name, body, b.Size,
		base64.StdEncoding.EncodeToString(b.MD5[:]), hex.EncodeToString(b.SHA256[:]),
		// The request signs one checksum of the whole, instead of one per part.
		minio.PutObjectOptions{DisableContentSha256: true})
	if wrong := body.stop(); wrong != nil {
		return contentError{wrong}
	}
	return err
}

// rewinder returns a function that rewinds the content to its current position.
// It returns nil if the content can be read only once.
func rewinder(content io.Reader) func() error {
	seeker, ok := content.(io.Seeker)
	if !ok {
		return nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return func() error {
		_, err := seeker.Seek(start, io.SeekStart)
		return err
	}
}

// worthRetrying reports whether another attempt at a failed Put makes sense. It
// pauses before it returns true.
func (s *Store) worthRetrying(ctx context.Context, err error, pause time.Duration) bool {
	if _, ok := errors.AsType[contentError](err); ok || ctx.Err() != nil {
		return false
	}
	if isCode(err, minio.NoSuchBucket) { // the server was away at the start, or lost its data
		return s.makeBucket(ctx) == nil
	}
	if !passes(err) {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause/2 + rand.N(pause/2)):
		return true
	}
}

// Open reads a blob until ctx ends. Content that is cut short ends with an
// error. If the blob is replaced meanwhile, Open never mixes it with the new
// one. If no reply has begun within the patience, over all attempts, Open
// fails.
func (s *Store) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if !billing.ValidBlobName(name) {
		return nil, 0, ErrName
	}
	reading, cancel := context.WithCancel(ctx)
	silent := time.AfterFunc(s.patience, cancel)
	content, info, _, err := s.often.GetObject(reading, s.at.bucket, name, minio.GetObjectOptions{})
	inTime := silent.Stop()
	switch {
	case isCode(err, minio.NoSuchKey):
		cancel()
		return nil, 0, billing.NotFound("image", "")
	case err == nil && !inTime:
		err = errors.Join(context.DeadlineExceeded, content.Close())
	case err == nil && info.Size < 0: // without a size, truncated content would look complete
		err = errors.Join(errors.New("the server states no size"), content.Close())
	}
	if err != nil {
		cancel()
		return nil, 0, failure(ctx, "open", err)
	}
	return download{content, cancel}, info.Size, nil
}

// download is the content of a blob. Closing it ends the request.
type download struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (d download) Close() error {
	defer d.cancel()
	return d.ReadCloser.Close()
}

// Delete deletes a blob. In a bucket with versions, the server only hides it.
func (s *Store) Delete(ctx context.Context, name string) error {
	if !billing.ValidBlobName(name) {
		return ErrName
	}
	err := s.often.RemoveObject(ctx, s.at.bucket, name, minio.RemoveObjectOptions{})
	if err != nil && !isCode(err, minio.NoSuchKey) {
		return failure(ctx, "delete", err)
	}
	return nil
}

// List returns the blobs whose names begin with prefix. It requests a thousand
// at a time.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[ports.BlobInfo, error] {
	return s.After(ctx, prefix, "")
}

// After lists the blobs whose names come after the given one. S3 lists in the order of
// the names' bytes.
func (s *Store) After(ctx context.Context, prefix, name string) iter.Seq2[ports.BlobInfo, error] {
	return func(yield func(ports.BlobInfo, error) bool) {
		if !billing.ValidBlobPrefix(prefix) {
			yield(ports.BlobInfo{}, ErrName)
			return
		}
		for o := range s.often.ListObjectsIter(ctx, s.at.bucket, minio.ListObjectsOptions{Prefix: prefix, StartAfter: name, Recursive: true}) {
			if o.Err != nil {
				yield(ports.BlobInfo{}, failure(ctx, "list", o.Err))
				return
			}
			if !billing.ValidBlobName(o.Key) { // not a blob of this service
				continue
			}
			if !yield(ports.BlobInfo{Name: o.Key, Size: o.Size, WrittenAt: o.LastModified}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil { // the library ends its list without an error
			yield(ports.BlobInfo{}, failure(ctx, "list", err))
		}
	}
}

// Ready checks that the bucket exists, and creates it if it is missing.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.makeBucket(ctx); err != nil {
		return failure(ctx, "bucket "+s.at.bucket, err)
	}
	return nil
}
