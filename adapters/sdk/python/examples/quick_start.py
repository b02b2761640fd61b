"""From a check to the payment of a claim, in test mode. With MOLAR_API_KEY and MOLAR_BASE_URL of molar dev.

    python quick_start.py [visit]

The keys of its writes come from the visit: run it again with the same visit, and it sends nothing twice, that day.
"""

import sys
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from molar import InvalidRequestError, Molar, Options

client = Molar()
visit = sys.argv[1] if len(sys.argv) > 1 else f"visit-{time.time_ns()}"
offices = client.offices.list().page().data
if not offices:
    sys.exit("there is no office: create one with client.offices.create")
office = offices[0].id

check = client.eligibility.create(
    office_id=office,
    payer_id="CHTEST",
    subscriber={
        "first_name": "Jane",
        "last_name": "Doe",
        "date_of_birth": "1985-04-12",
        "member_id": "SANDBOX-NAME-MISMATCH",
    },
    options=Options(idempotency_key=f"{visit}-check"),
)
if check.rejection:
    print("The payer rejected the check:", check.rejection.reasons[0].fix)
    again = Options(idempotency_key=f"{visit}-check-2")
    check = client.eligibility.retry(check, client.eligibility.suggested(check), options=again)
left = next((m.remaining for m in check.maximums or [] if m.remaining is not None), "an unknown amount")
print(f"Coverage is {check.status}; of the maximum, {left} is left.")

try:
    claim = client.claims.create(
        office_id=office,
        payer_id="CHTEST",
        submit=True,
        subscriber={
            "first_name": "Jane",
            "last_name": "Doe",
            "gender": "female",
            "date_of_birth": "1985-04-12",
            "member_id": "SANDBOX-PAID-ERA",
            "address": {"line1": "2 Oak Street", "city": "Springfield", "state": "IL", "zip": "62701"},
        },
        lines=[
            {
                "procedure_code": "D2740",
                "fee": Decimal(1000),
                "tooth": "14",
                "service_date": (datetime.now(UTC) - timedelta(days=1)).date(),
            }
        ],
        options=Options(idempotency_key=f"{visit}-claim"),
    )
except InvalidRequestError as error:
    sys.exit("\n".join(f"{fault.field}: {fault.message}" for fault in error.faults))
for finding in claim.findings:
    print(finding.message)
# What takes weeks happens now: the clock of test mode moves until nothing waits.
client.sandbox.advance_clock(until="idle")
decided = client.claims.wait(claim.id, ("paid", "denied"))
print(f"The claim is {decided.state}: the payer paid {decided.payment.paid if decided.payment else 0} dollars.")
