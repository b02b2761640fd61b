package molar

import (
	"context"
	"iter"
	"maps"
	"net/url"
)

// Page is one page of a list.
type Page[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"` // nil on the last page
}

// List is a list of the API, which is read page by page.
type List[T any] struct {
	c       *Client
	of      call
	options []CallOption
}

func newList[T any](c *Client, of call, options []CallOption) *List[T] {
	return &List[T]{c, of, options}
}

// All returns every item of every page. It ends with the first error.
func (l *List[T]) All(ctx context.Context) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for cursor := ""; ; {
			p, err := l.Page(ctx, cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range p.Data {
				if !yield(&p.Data[i], nil) {
					return
				}
			}
			if p.NextCursor == nil {
				return
			}
			cursor = *p.NextCursor
		}
	}
}

// Page returns one page: the first, or the one that a cursor names.
func (l *List[T]) Page(ctx context.Context, cursor string) (*Page[T], error) {
	of := l.of
	if cursor != "" {
		if of.query = maps.Clone(of.query); of.query == nil {
			of.query = url.Values{}
		}
		of.query.Set("cursor", cursor)
	}
	return read[Page[T]](ctx, l.c, of, l.options)
}
