package main

// group is a part of the clients: the operations of one kind of resource.
type group struct {
	name       string   // as Python has it: payer_requests
	operations []string // "name=operationId", in the order of the clients
}

// groups says what the clients call the operations of the contract. An operation that is
// neither here nor in leftOut is an error, and so is a row without its operation.
func groups() []group {
	return []group{
		{"eligibility", []string{
			"create=createEligibilityCheck", "list=listEligibilityChecks", "get=getEligibilityCheck", "exchange=getEligibilityExchange",
			"add=addToEligibilityCheck", "strike=strikeEligibilityAddition", "read_schedule=readSchedule",
		}},
		{"eligibility_batches", []string{
			"create=createEligibilityBatch", "list=listEligibilityBatches", "get=getEligibilityBatch", "list_items=listEligibilityBatchItems",
			"cancel=cancelEligibilityBatch", "cancel_item=cancelEligibilityBatchItem", "retry=retryEligibilityBatch",
			"add_note=addEligibilityBatchItemNote", "list_notes=listEligibilityBatchItemNotes",
		}},
		{"claims", []string{
			"create=createClaim", "list=listClaims", "count=countClaims", "search=searchClaims", "get=getClaim", "update=updateClaim",
			"submit=submitClaim", "void=voidClaim", "replace=replaceClaim", "reconcile=reconcileClaim", "reopen=reopenClaim", "hold=holdClaim", "release=releaseClaim", "add_note=addClaimNote", "list_notes=listClaimNotes",
			"convert=convertClaim", "bill_secondary=billSecondary", "ask_status=createStatusInquiry", "list_status_inquiries=listStatusInquiries",
		}},
		{"appeals", []string{"create=createAppeal", "list=listAppeals", "get=getAppeal", "update=updateAppeal", "record_sent=recordAppealSent", "record_decided=recordAppealDecided"}},
		{"payer_limits", []string{"list=listPayerLimits", "put=putPayerLimits", "delete=deletePayerLimits"}},
		{"status_inquiries", []string{"get=getStatusInquiry", "exchange=getStatusExchange"}},
		{"status_policies", []string{"list=listStatusPolicies", "put=putStatusPolicy", "delete=deleteStatusPolicy"}},
		{"attachments", []string{
			"create=createAttachment", "list=listAttachments", "get=getAttachment", "update=updateAttachment", "close=closeAttachment",
			"upload_document=uploadDocument", "delete_document=deleteDocument", "download_document=getDocumentContent",
			"thumbnail=getDocumentThumbnail", "add_note=addAttachmentNote", "list_notes=listAttachmentNotes",
		}},
		{"attachment_rules", []string{"create=createAttachmentRule", "list=listAttachmentRules", "get=getAttachmentRule", "update=updateAttachmentRule", "delete=deleteAttachmentRule"}},
		{"document_types", []string{"list=listDocumentTypes"}},
		{"payer_requests", []string{"create=createPayerRequest", "list=listPayerRequests", "get=getPayerRequest", "answer=answerPayerRequest", "add_note=addPayerRequestNote", "list_notes=listPayerRequestNotes"}},
		{"batches", []string{"list=listBatches", "get=getBatch", "file=getBatchFile", "acknowledgement=getBatchAcknowledgement"}},
		{"eras", []string{
			"list=listERAs", "import=importERA", "get=getERA", "list_claims=listERAClaims", "file=getERAFile", "post=postERA", "unpost=unpostERA",
			"acknowledge=acknowledgeERA", "replace=replaceERA", "keep=keepERA", "match_claim=matchERAClaim", "apply_claim=applyERAClaim",
			"ignore_claim=ignoreERAClaim", "unapply_claim=unapplyERAClaim", "add_note=addERANote", "list_notes=listERANotes",
		}},
		{"automation", []string{"get=getAutomation", "put=putAutomation"}},
		{"deposits", []string{
			"import=importDeposits", "list=listDeposits", "get=getDeposit", "match=matchDeposit", "unmatch=unmatchDeposit", "add_note=addDepositNote", "list_notes=listDepositNotes",
		}},
		{"quarantine", []string{"list=listQuarantine", "delete=deleteQuarantinedFile", "assign=assignQuarantinedFile", "add_note=addQuarantinedFileNote", "list_notes=listQuarantinedFileNotes"}},
		{"summary", []string{"get=getSummary"}},
		{"reports", []string{"aging=getAgingReport", "collections=getCollectionsReport", "denials=getDenialsReport", "payers=getPayersReport"}},
		{"payers", []string{"list=listPayers", "get=getPayer"}},
		{"offices", []string{"create=createOffice", "list=listOffices", "get=getOffice", "update=updateOffice", "withdraw_change=withdrawOfficeChange"}},
		{"providers", []string{"create=createProvider", "list=listProviders", "get=getProvider", "update=updateProvider"}},
		{"enrollments", []string{"put=putEnrollment", "list=listEnrollments", "add_note=addEnrollmentNote", "list_notes=listEnrollmentNotes"}},
		{"import_mappings", []string{"get=getImportMapping", "put=putImportMapping"}},
		{"tasks", []string{"list=listTasks", "get=getTask", "snooze=snoozeTask", "wake=wakeTask", "settle=settleTask", "assign=assignTask"}},
		{"notes", []string{"strike=strikeNote"}},
		{"estimates", []string{"create=createEstimate", "list=listEstimates", "get=getEstimate", "accuracy=getEstimateAccuracy", "accuracy_by_payer=listEstimateAccuracy"}},
		{"fee_schedules", []string{"create=createFeeSchedule", "list=listFeeSchedules", "match=matchFeeSchedules", "get=getFeeSchedule"}},
		{"patients", []string{"list=listPatients", "search=searchPatients", "get=getPatient", "overview=getPatientOverview"}},
		{"events", []string{
			"list=listEvents", "get=getEvent", "list_deliveries=listEventDeliveries", "resend_many=resendEvents", "resend=resendEvent",
		}},
		{"requests", []string{"list=listRequests", "get=getRequest"}},
		{"webhook_endpoints", []string{
			"create=createWebhookEndpoint", "list=listWebhookEndpoints", "get=getWebhookEndpoint", "update=updateWebhookEndpoint",
			"delete=deleteWebhookEndpoint", "rotate_secret=rotateWebhookSecret", "disable=disableWebhookEndpoint",
			"enable=enableWebhookEndpoint", "ping=pingWebhookEndpoint", "list_deliveries=listWebhookDeliveries",
		}},
		{"webhook_deliveries", []string{"list=findWebhookDeliveries", "get=getWebhookDelivery", "resend=resendWebhookDeliveries"}},
		{"me", []string{"get=getMe"}},
		{"sessions", []string{"list=listSessions", "end=endSession"}},
		{"connections", []string{"list=listConnections", "add_note=addConnectionNote", "list_notes=listConnectionNotes"}},
		{"audit_entries", []string{"list=listAuditEntries"}},
		{"organization", []string{"update=updateOrganization"}},
		{"users", []string{"list=listUsers", "invite=inviteUser", "update=updateUser", "invite_again=inviteUserAgain", "reset=resetUser"}},
		{"api_keys", []string{"list=listAPIKeys", "create=createAPIKey", "revoke=revokeAPIKey"}},
		{"sandbox", []string{
			"clock=getSandboxClock", "update_clock=updateSandboxClock", "advance_clock=advanceSandboxClock", "stop_clock=stopSandboxClock",
			"list_scenarios=listSandboxScenarios", "create_scenario=createSandboxScenario", "get_scenario=getSandboxScenario",
			"update_scenario=updateSandboxScenario", "delete_scenario=deleteSandboxScenario", "create_era=createSandboxERA",
			"simulate_claim=simulateClaim", "reset=resetSandbox", "list_organizations=listSandboxOrganizations",
			"create_organization=createSandboxOrganization", "delete_organization=deleteSandboxOrganization",
			"put_faults=putSandboxFaults", "get_faults=getSandboxFaults",
		}},
		{"contract", []string{"get=getOpenAPI"}},
	}
}

// leftOut are the operations that the clients do not have, with the reason.
func leftOut() map[string]string {
	return map[string]string{
		"signIn":        "clients have a key; people sign in with a browser",
		"followChanges": "screens follow changes; programs follow events, which are never skipped",
	}
}
