package clearing

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

type fileData struct {
	Name string `json:"name"`
	controlNumbersData
}

type controlNumbersData struct {
	Interchange *string `json:"interchange_control_number"`
	Group       *string `json:"group_control_number"`
	Transaction *string `json:"transaction_control_number"`
}

// EventData returns the file as the data of events name it.
func (f *FileRef) EventData() any { return fileData{f.Name, f.ControlNumbers.data()} }

func (n ControlNumbers) data() controlNumbersData {
	return controlNumbersData{event.OrNull(n.Interchange), event.OrNull(n.Group), event.OrNull(n.Transaction)}
}

type batchAcknowledgedData struct {
	ID         billing.FileID `json:"id"`
	Object     string         `json:"object"`
	Name       string         `json:"name"`
	Result     BatchResult    `json:"result"`
	ClaimCount int            `json:"claim_count"`
	controlNumbersData
	Acknowledgement acknowledgementData `json:"acknowledgement"`
	CreatedAt       string              `json:"created_at"`
	OccurredAt      string              `json:"occurred_at"`
}

type acknowledgementData struct {
	Name string `json:"name"`
}

// AcknowledgedEvent returns the batch.acknowledged event of a batch with the
// verdict of a 997.
func (b *Batch) AcknowledgedEvent() event.Event {
	return event.New(b.Scope, event.BatchAcknowledged, b.ID, b.AcknowledgedAt, batchAcknowledgedData{
		ID: b.ID, Object: "batch", Name: b.File.Name, Result: b.Result, ClaimCount: b.ClaimCount,
		controlNumbersData: b.File.ControlNumbers.data(), Acknowledgement: acknowledgementData{b.Acknowledgement},
		CreatedAt: event.Timestamp(b.CreatedAt), OccurredAt: event.Timestamp(b.AcknowledgedAt),
	})
}
