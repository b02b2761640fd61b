package rawtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Corpus lists files of the public test data that MOLAR_CORPUS_DIR names.
func Corpus(tb testing.TB, pattern string) []string {
	tb.Helper()
	dir := os.Getenv("MOLAR_CORPUS_DIR") //nolint:forbidigo // the variable configures the tests, not the program
	if dir == "" {
		tb.Log("MOLAR_CORPUS_DIR is unset: nothing of the public test data was checked")
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "http", pattern))
	if err != nil || len(files) == 0 {
		tb.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files
}

// ReadFile returns the content of a file.
func ReadFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// CorpusSeeds reads lines with a name and bytes, of the files that match.
func CorpusSeeds(tb testing.TB, pattern string) map[string][]byte {
	tb.Helper()
	seeds := map[string][]byte{}
	for _, file := range Corpus(tb, pattern) {
		for line := range strings.Lines(string(ReadFile(tb, file))) {
			var seed struct {
				Name string `json:"name"`
				Raw  []byte `json:"raw_b64"`
			}
			if err := json.Unmarshal([]byte(line), &seed); err != nil {
				tb.Fatal(err)
			}
			seeds[seed.Name] = seed.Raw
		}
	}
	return seeds
}
