// The first thing that one needs to know of a check: what to say to the patient.
import { Check as Tick } from "lucide-react";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../ui/button";
import { printable } from "../../ui/format";
import { Notice, Section } from "../../ui/page";
import type { Tone } from "../../ui/state";
import type { Verdict } from "./benefits";
import { CheckForm } from "./form";
import type { CheckResource } from "./list";

const tones: Record<Verdict["standing"], Extract<Tone, "good" | "warn" | "bad">> = {
  covered: "good",
  limited: "warn",
  not_covered: "bad",
  not_known: "warn",
};

/** VerdictOf shows what a check came to, or what it waits for. */
export function VerdictOf({ check: c }: { check: CheckResource }) {
  const may = useMay();
  if (c.state === "pending")
    return (
      <Notice title="The payer has not responded yet.">
        This page shows the response when it arrives.
      </Notice>
    );
  if (c.outcome === "payer_unavailable")
    return (
      <Notice
        tone="warn"
        title={`${c.payer.name} is not responding right now.`}
        action={may.write && <TryAgain check={c} />}
      >
        Molar could not reach the payer. What you entered is not the cause.
      </Notice>
    );
  if (c.outcome === "error")
    return (
      <Notice
        tone="bad"
        title="The check failed on the way to the payer."
        action={may.write && <TryAgain check={c} />}
      >
        What you entered is not the cause.
      </Notice>
    );
  if (c.outcome === "rejected") return <Rejected check={c} />;
  const verdict = c.verdict;
  if (!verdict) return null;
  return (
    <Notice tone={tones[verdict.standing]} title={verdict.text}>
      {verdict.also.map((text) => (
        <p key={text}>
          {text.endsWith(" is met.") && <Tick size={14} aria-hidden className="tick" />}
          {text}
        </p>
      ))}
      {verdict.standing === "not_covered" && (
        <p className="no-print">Ask the patient for another plan before the visit.</p>
      )}
      {verdict.standing === "not_known" && (
        <p className="no-print">Ask {c.payer.name} by phone before the visit.</p>
      )}
    </Notice>
  );
}

function Rejected({ check: c }: { check: CheckResource }) {
  const may = useMay();
  const reasons = c.rejection?.reasons ?? [];
  return (
    <>
      <Notice tone="bad" title={printable(reasons[0]?.message ?? "The payer rejected the check.")}>
        {reasons.map((r) => (
          <p key={r.code}>
            {r.fix}
            {r.suggested_value && (
              <>
                {" "}
                The payer has <strong>{printable(r.suggested_value)}</strong>.
              </>
            )}
          </p>
        ))}
      </Notice>
      {c.rejection?.kind === "fix_and_resend" && may.write && (
        <Section title="Correct it and send it again">
          <CheckForm from={c} corrects />
        </Section>
      )}
    </>
  );
}

function TryAgain({ check: c }: { check: CheckResource }) {
  return (
    <ButtonLink to="/eligibility/new" search={{ again: c.id }}>
      Try again
    </ButtonLink>
  );
}
