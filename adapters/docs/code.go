package docs

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// codeBlocks renders code with classes for its colors. Blocks that follow each other in several
// languages are tabs, which need no script. A block that no test runs says why: its first line
// is "```sh fragment: it needs a live network".
type codeBlocks struct{}

// RegisterFuncs tells goldmark what this renders.
func (c codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.render)
}

// tabbed are the languages of tabs, in their order.
func tabbed() []string { return []string{"sh", "go", "typescript", "python"} }

// nameOf is the name of a language of tabs.
func nameOf(language string) string {
	return map[string]string{"sh": "curl", "go": "Go", "typescript": "TypeScript", "python": "Python"}[language]
}

func (c codeBlocks) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering || follows(n, source) {
		return ast.WalkSkipChildren, nil // part of the tabs before
	}
	all := []ast.Node{n}
	for next := n.NextSibling(); follows(next, source); next = next.NextSibling() {
		all = append(all, next)
	}
	if len(all) == 1 {
		return ast.WalkSkipChildren, c.block(w, n, source)
	}
	group := n.Lines().At(0).Start
	// A buffer does not fail.
	_, _ = fmt.Fprint(w, "<fieldset class=\"tabs\"><legend>Language</legend>\n")
	for i, one := range all {
		language := languageOf(one, source)
		checked := map[bool]string{true: " checked"}[i == 0]
		_, _ = fmt.Fprintf(w, `<input type="radio" name="tab-%d" id="tab-%d-%s" value="%s"%s><label for="tab-%d-%s">%s</label>`+"\n",
			group, group, language, language, checked, group, language, nameOf(language))
	}
	for _, one := range all {
		if err := c.block(w, one, source); err != nil {
			return ast.WalkStop, err
		}
	}
	_, err := fmt.Fprint(w, "</fieldset>\n")
	return ast.WalkSkipChildren, err
}

// follows tells whether a block is a tab of the block before it. The languages of tabs have an order, so each is there once.
func follows(n ast.Node, source []byte) bool {
	if n == nil {
		return false
	}
	_, code := n.(*ast.FencedCodeBlock)
	before, codeToo := n.PreviousSibling().(*ast.FencedCodeBlock)
	if !code || !codeToo {
		return false
	}
	at := slices.Index(tabbed(), languageOf(before, source))
	return at >= 0 && slices.Index(tabbed(), languageOf(n, source)) > at
}

func languageOf(n ast.Node, source []byte) string {
	return string(n.(*ast.FencedCodeBlock).Language(source)) // registered for this kind alone
}

func (codeBlocks) block(w util.BufWriter, n ast.Node, source []byte) error {
	block := n.(*ast.FencedCodeBlock) // registered for this kind alone
	language := languageOf(n, source)
	if block.Info != nil {
		if _, why, found := strings.Cut(string(block.Info.Segment.Value(source)), "fragment: "); found {
			_, _ = fmt.Fprintf(w, "<p class=\"fragment\">A fragment: %s.</p>\n", html.EscapeString(why))
		}
	}
	var code strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	_, _ = fmt.Fprintf(w, `<pre tabindex="0"><code class="language-%s">`, html.EscapeString(cmp.Or(language, "text")))
	lexer := lexers.Get(language)
	if lexer == nil || slices.Contains([]string{"", "text"}, language) {
		_, _ = fmt.Fprint(w, html.EscapeString(code.String()))
	} else {
		tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code.String())
		if err != nil {
			return err
		}
		// The style sheet has the colors. The library's own styles would be read whenever a process starts.
		unstyled := chroma.MustNewStyle("unstyled", nil)
		if err := chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true)).Format(w, unstyled, tokens); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(w, "</code></pre>\n")
	return err
}
