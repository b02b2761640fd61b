module github.com/molar-billing/molar/adapters/sdk/go

go 1.23
