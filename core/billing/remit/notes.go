package remit

// WarningCode names a difference between a remittance and a claim that does not
// stop the remittance from being applied.
type WarningCode string

// The warnings.
const (
	WarnPatientDiffers       WarningCode = "patient_differs"
	WarnChargeDiffers        WarningCode = "charge_differs"
	WarnProcedureUnknown     WarningCode = "procedure_unknown"
	WarnLineUnmatched        WarningCode = "line_unmatched"
	WarnExceedsCharge        WarningCode = "exceeds_charge"
	WarnPatientAmountDiffers WarningCode = "patient_amount_differs"
	WarnPatientAmountCapped  WarningCode = "patient_amount_capped"
	WarnPaymentRepeated      WarningCode = "payment_repeated"
	WarnEnvelopeCounts       WarningCode = "envelope_counts"
	WarnControlNumbers       WarningCode = "control_numbers"
	WarnTextOutside          WarningCode = "text_outside"
	WarnSegmentSkipped       WarningCode = "segment_skipped"
	WarnProcedureFormat      WarningCode = "procedure_format"
	WarnAmountUnreadable     WarningCode = "amount_unreadable"
)

// WarningCodes lists every warning.
func WarningCodes() []WarningCode {
	return []WarningCode{
		WarnPatientDiffers, WarnChargeDiffers, WarnProcedureUnknown, WarnLineUnmatched, WarnExceedsCharge, WarnPatientAmountDiffers,
		WarnPatientAmountCapped, WarnPaymentRepeated, WarnEnvelopeCounts, WarnControlNumbers, WarnTextOutside, WarnSegmentSkipped,
		WarnProcedureFormat, WarnAmountUnreadable,
	}
}

// Message returns one sentence for a biller.
func (w WarningCode) Message() string {
	return map[WarningCode]string{
		WarnPatientDiffers:       "The patient's name and member ID differ from those on the claim.",
		WarnChargeDiffers:        "The charge differs from the claim's charge, and from the fees of the lines that it pays.",
		WarnProcedureUnknown:     "The remittance pays a procedure that is not on the claim.",
		WarnLineUnmatched:        "A line of the remittance matches no line of the claim.",
		WarnExceedsCharge:        "Payments and write-offs exceed the claim's charge.",
		WarnPatientAmountDiffers: "The patient's amount (CLP05) differs from the sum of the PR adjustments.",
		WarnPatientAmountCapped:  "The payers leave more to the patient than remains of the charge; the amount shown is what remains.",
		WarnPaymentRepeated:      "The same payment was applied before under another trace number.",
		WarnEnvelopeCounts:       "The file's segment or transaction counts (SE, GE or IEA) are wrong; a part of it may be missing.",
		WarnControlNumbers:       "A control number in the file's trailers (SE, GE or IEA) is not the header's; two files may have been mixed.",
		WarnTextOutside:          "The file has text before or after the remittance; it was skipped.",
		WarnSegmentSkipped:       "The file has a segment with an invalid ID, which was skipped; compare the figures with the payer's explanation of benefits.",
		WarnProcedureFormat:      "A procedure in the file has no qualifier, or another separator; check that the line has the right procedure.",
		WarnAmountUnreadable:     "A patient's amount (CLP05) in the file cannot be read; the figures come from the adjustments.",
	}[w]
}

// ReviewCode names the reason that a remittance claim was not applied.
type ReviewCode string

// The reasons.
const (
	ReviewUnbalanced       ReviewCode = "unbalanced"
	ReviewPatientAndCharge ReviewCode = "patient_and_charge_differ"
	ReviewPaymentRepeated  ReviewCode = "payment_repeated"
	ReviewExceedsCharge    ReviewCode = "exceeds_charge"
	ReviewPayerNumberOnly  ReviewCode = "payer_claim_number_only"
	ReviewKindDiffers      ReviewCode = "kind_differs"
	ReviewReversalDiffers  ReviewCode = "reversal_differs"
	ReviewUnapplied        ReviewCode = "unapplied"
	ReviewNoClaim          ReviewCode = "no_claim"
	ReviewSeveralClaims    ReviewCode = "several_claims"
	ReviewClaimNotSent     ReviewCode = "claim_not_sent"
	ReviewNoPayment        ReviewCode = "reversal_without_payment"
	ReviewTooMany          ReviewCode = "too_many_adjudications"
	ReviewCorrection       ReviewCode = "correction"
	ReviewUnderWay         ReviewCode = "under_way"
)

// ReviewCodes lists every reason.
func ReviewCodes() []ReviewCode {
	return []ReviewCode{
		ReviewUnbalanced, ReviewPatientAndCharge, ReviewPaymentRepeated, ReviewExceedsCharge, ReviewPayerNumberOnly, ReviewKindDiffers,
		ReviewReversalDiffers, ReviewUnapplied, ReviewNoClaim, ReviewSeveralClaims, ReviewClaimNotSent, ReviewNoPayment, ReviewTooMany, ReviewCorrection,
		ReviewUnderWay,
	}
}

// reviewText is a reason in words: what is wrong, and what to do.
type reviewText struct{ message, fix string }

func (r ReviewCode) text() reviewText {
	return map[ReviewCode]reviewText{
		ReviewUnbalanced: {
			"Charge, adjustments and payment do not add up.",
			"Compare the amounts with the payer's explanation of benefits. Then apply it, or ignore it and ask the payer for a correction.",
		},
		ReviewPatientAndCharge: {
			"The patient and the charge both differ from the claim's.",
			"Check whether the payment is for this claim. Then apply it, match it to another claim, or ignore it.",
		},
		ReviewPaymentRepeated: {
			"The payer has already paid the same amounts for this claim under another trace number.",
			"Ask the payer which payment is right. Then apply it if the practice received both, or ignore it.",
		},
		ReviewExceedsCharge: {
			"The payer paid this claim before under another claim number and took nothing back; both payments exceed the charge.",
			"Ask the payer which payment is right. Then apply it if the practice received both, or ignore it.",
		},
		ReviewPayerNumberOnly: {
			"Only the payer's claim number matches the claim; the control number, the charge and the patient's last name do not.",
			"Check whether the payment is for this claim. Then apply it, match it to another claim, or ignore it.",
		},
		ReviewKindDiffers: {
			"A payment can only be for a claim, and an estimate only for a predetermination.",
			"Match it to the claim that it is about, or ignore it.",
		},
		ReviewReversalDiffers: {
			"The reversal takes back an amount that differs from the payments for this claim.",
			"Compare it with the payments of the claim. Then apply it, or ignore it and ask the payer for a correction.",
		},
		ReviewUnapplied: {
			"A person reversed its application to the claim.",
			"Apply it again, match it to another claim, or ignore it.",
		},
		ReviewNoClaim: {
			"No claim has its control number or the payer's claim number.",
			"Find the claim and match it, or ignore it when the claim was not sent with Molar.",
		},
		ReviewSeveralClaims: {
			"Several claims have the payer's claim number, and the payment fits them equally.",
			"Ask the payer which claim the payment is for and match it to that one, or ignore it.",
		},
		ReviewClaimNotSent: {
			"The claim with its control number was never sent.",
			"No action is needed if the claim goes out: it is then matched again. Otherwise match it to the right claim, or ignore it.",
		},
		ReviewNoPayment: {
			"It takes back a payment that was not applied to the claim.",
			"No action is needed if that payment arrives: it is then matched again. Otherwise match it by hand, or ignore it.",
		},
		ReviewTooMany: {
			"The claim already has 200 adjudications.",
			"Check whether the payer repeats itself. Then apply it, or ignore it.",
		},
		ReviewCorrection: {
			"The payer sent the payment again with other figures.",
			"Compare both remittances. Then replace the other one with this one, or keep the other one.",
		},
		ReviewUnderWay: {
			"Molar has not applied it yet.",
			"Wait a minute. If it stays, apply it, match it or ignore it.",
		},
	}[r]
}

// Message returns one sentence that says why.
func (r ReviewCode) Message() string { return r.text().message }

// Fix returns what a biller can do.
func (r ReviewCode) Fix() string { return r.text().fix }
