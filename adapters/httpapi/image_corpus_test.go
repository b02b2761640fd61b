package httpapi

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// anImage is a file of the public test data, with what is to become of it.
type anImage struct{ file, kind, verdict string }

// images lists the images that MOLAR_CORPUS_DIR has.
func images(t *testing.T) (all []anImage) {
	t.Helper()
	dir := os.Getenv("MOLAR_CORPUS_DIR")
	if dir == "" {
		t.Log("MOLAR_CORPUS_DIR is unset: no image of the public test data was uploaded")
		return nil
	}
	dir = filepath.Join(dir, "images")
	table := csv.NewReader(strings.NewReader(string(readFile(t, filepath.Join(dir, "expect.tsv")))))
	table.Comma, table.LazyQuotes = '\t', true
	rows, err := table.ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, row := range rows[1:] {
		all = append(all, anImage{filepath.Join(dir, row[column("path")]), row[column("kind")], row[column("verdict")]})
	}
	return all
}

// uploader uploads images with a key of its own, a hundred to an attachment.
type uploader struct {
	s          *service
	key        string
	attachment string
	left       int
}

func (u *uploader) send(t *testing.T, file []byte) answer {
	t.Helper()
	for {
		if u.left == 0 {
			u.attachment, u.left = u.s.attachment(t, ""), 100
		}
		u.left--
		up := upload(u.attachment, chart(file))
		up.key, up.bad = u.key, true // to spare the contract the bytes
		a := u.s.do(t, up)
		if a.StatusCode != 422 || !strings.Contains(a.body, `"too_many"`) {
			return a
		}
		u.left = 0 // the images of the attachment have 15 MB
	}
}

// judge uploads the image and says whether the answer is right.
func (u *uploader) judge(t *testing.T, i anImage) bool {
	t.Helper()
	content := readFile(t, i.file)
	a := u.send(t, content)
	refused := a.StatusCode == 422 && len(a.fields(t)) == 1 && strings.HasPrefix(a.fields(t)[0], "file ")
	right := false
	switch i.verdict {
	case "accept":
		right = a.StatusCode == 201
	case "refuse":
		right = refused
	case "judgement":
		again := u.send(t, content)
		right = (a.StatusCode == 201 || refused) && again.StatusCode == a.StatusCode &&
			(!refused || fmt.Sprint(again.get(t, "errors")) == fmt.Sprint(a.get(t, "errors")))
	}
	if !right {
		t.Errorf("%s is to be judged %s: answer %d %s", i.file, i.verdict, a.StatusCode, a.body)
	}
	return right
}

// What is an image is taken, what is none is refused with a reason, and a file
// that can be seen either way is always seen the same.
func TestCorpusOfImages(t *testing.T) {
	t.Parallel()
	all := images(t)
	if len(all) == 0 {
		return
	}
	s := startService(t)
	next := make(chan anImage, len(all))
	for _, i := range all {
		next <- i
	}
	close(next)
	type count struct{ files, wrong int }
	counts := map[string]count{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 4 {
		u := &uploader{s: s, key: s.newKey(t)}
		group.Go(func() {
			for i := range next {
				right := u.judge(t, i)
				mu.Lock()
				c := counts[i.kind+" "+i.verdict]
				if c.files++; !right {
					c.wrong++
				}
				counts[i.kind+" "+i.verdict] = c
				mu.Unlock()
			}
		})
	}
	group.Wait()
	t.Logf("%-20s %6s %6s", "images", "files", "wrong")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-20s %6d %6d", name, counts[name].files, counts[name].wrong)
	}
}
