// Command quickstart goes from a check to the payment of a claim, in test mode. With MOLAR_API_KEY and MOLAR_BASE_URL of molar dev:
//
//	go run ./examples/quickstart [visit]
//
// The keys of its writes come from the visit: run it again with the same visit, and it sends nothing twice, that day.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
)

func main() {
	visit := time.Now().Format("visit-20060102150405")
	if len(os.Args) > 1 {
		visit = os.Args[1]
	}
	err := run(context.Background(), visit)
	var refused *molar.Error
	if errors.As(err, &refused) {
		for _, f := range refused.Faults {
			log.Printf("%s: %s", f.Field, f.Message)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, visit string) error {
	client, err := molar.New(molar.Options{})
	if err != nil {
		return err
	}
	offices, err := client.Offices.List(molar.OfficesListParams{}).Page(ctx, "")
	if err != nil {
		return err
	}
	if len(offices.Data) == 0 {
		return errors.New("there is no office: create one with client.Offices.Create")
	}
	office := offices.Data[0].ID
	check, err := client.Eligibility.Create(ctx, molar.EligibilityRequest{
		OfficeID: office, PayerID: "CHTEST", Subscriber: molar.EligibilityRequestSubscriber{
			FirstName: "Jane", LastName: "Doe", DateOfBirth: "1985-04-12", MemberID: "SANDBOX-NAME-MISMATCH",
		},
	}, molar.Key(visit+"-check"))
	if err != nil {
		return err
	}
	if check.Rejection != nil {
		fmt.Println("The payer rejected the check:", check.Rejection.Reasons[0].Fix)
		if check, err = client.Eligibility.Retry(ctx, check, check.Suggested(), molar.Key(visit+"-check-2")); err != nil {
			return err
		}
	}
	left := "an unknown amount"
	for _, m := range check.Maximums {
		if m.Remaining != nil {
			left = string(*m.Remaining)
			break
		}
	}
	fmt.Printf("Coverage is %s; of the maximum, %s is left.\n", *check.Status, left)

	claim, err := client.Claims.Create(ctx, molar.ClaimRequest{
		OfficeID: office, PayerID: "CHTEST", Submit: molar.Value(true),
		Subscriber: molar.Value(molar.ClaimSubscriberInput{
			FirstName: molar.Value("Jane"), LastName: molar.Value("Doe"), Gender: molar.Value(molar.ClaimPersonInputGenderFemale),
			DateOfBirth: molar.Value("1985-04-12"), MemberID: molar.Value("SANDBOX-PAID-ERA"),
			Address: molar.Value(molar.AddressInput{
				Line1: molar.Value("2 Oak Street"), City: molar.Value("Springfield"), State: molar.Value("IL"), Zip: molar.Value("62701"),
			}),
		}),
		Lines: molar.Value([]molar.ClaimLineInput{{
			ProcedureCode: molar.Value("D2740"), Fee: molar.Value(molar.Cents(100000)), Tooth: molar.Value("14"),
			ServiceDate: molar.Value(time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)),
		}}),
	}, molar.Key(visit+"-claim"))
	if err != nil {
		return err
	}
	for _, f := range claim.Findings {
		fmt.Println(f.Message)
	}
	// What takes weeks happens now: the clock of test mode moves until nothing waits.
	if _, err := client.Sandbox.AdvanceClock(ctx, molar.SandboxClockAdvance{Until: molar.Value(molar.SandboxClockAdvanceUntilIdle)}); err != nil {
		return err
	}
	decided, err := client.Claims.Wait(ctx, claim.ID, molar.ClaimStatePaid, molar.ClaimStateDenied)
	if err != nil {
		return err
	}
	fmt.Printf("The claim is %s: the payer paid %s dollars.\n", decided.State, decided.Payment.Paid)
	return nil
}
