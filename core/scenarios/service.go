// Package scenarios shows what the sandbox's payers can be made to do, and lets an
// organization add to it.
package scenarios

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases.
type Service struct {
	store   ports.Store
	builtIn []scenario.Scenario
	outside Outside
}

// New creates the use cases. BuiltIn are the scenarios of the sandbox itself.
func New(store ports.Store, builtIn []scenario.Scenario, outside Outside) *Service {
	return &Service{store, builtIn, outside}
}

// Listed is every scenario, with what their examples need.
type Listed struct {
	Scenarios []scenario.Scenario
	Office    *directory.Office // the newest one in use; nil if there is none
	Today     billing.Date      // at the office
}

// List reads the scenarios of an operation; of all if it is empty.
func (s *Service) List(ctx context.Context, scope billing.Scope, about scenario.Operation) (*Listed, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*Listed, error) {
		all := &Listed{Scenarios: slices.Clone(s.builtIn)}
		own, err := tx.Scenarios.List(ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range own {
			all.Scenarios = append(all.Scenarios, o.Listed())
		}
		all.Scenarios = slices.DeleteFunc(all.Scenarios, func(s scenario.Scenario) bool { return about != "" && s.Operation != about })
		offices, err := tx.Offices.List(ctx, billing.Page{Limit: billing.MaxPageLimit})
		for _, o := range offices {
			if !o.Retired {
				all.Office, all.Today = o, o.Today(tx.Clock.Now())
				break
			}
		}
		return all, err
	})
}
