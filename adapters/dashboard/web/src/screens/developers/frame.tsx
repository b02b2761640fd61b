// The frame of the screens for developers: their tabs, and the parts that several of them show.
import type { ReactNode } from "react";
import { type Schemas, useClient } from "../../api/client";
import { moment, useNow } from "../../ui/clock";
import { SelectField } from "../../ui/form";
import { useZone, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Page } from "../../ui/page";
import { plural } from "../../ui/plural";
import { Badge, type Tone } from "../../ui/state";
import "./developers.css";

const tabs = [
  ["Overview", "/developers"],
  ["Events", "/developers/events"],
  ["Deliveries", "/developers/deliveries"],
  ["Webhooks", "/developers/webhooks"],
  ["Requests", "/developers/requests"],
  ["API keys", "/developers/keys"],
] as const;

export type Tab = (typeof tabs)[number][0];

/** showCurrent brings the current tab into view, on a phone. */
function showCurrent(nav: HTMLElement | null): void {
  nav?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

/** Developers is a screen for developers, below the tabs that they share. */
export function Developers({ tab, ...page }: { tab: Tab } & Parameters<typeof Page>[0]) {
  return (
    <>
      <nav ref={showCurrent} className="tabs developer-tabs no-print" aria-label="Developers">
        {tabs.map(([name, path]) => (
          <Go key={name} to={path} className="tab" aria-current={name === tab ? "page" : undefined}>
            {name}
          </Go>
        ))}
      </nav>
      <Page {...page} />
    </>
  );
}

export type Endpoint = Schemas["WebhookEndpoint"];

/** useEndpoints returns the webhook endpoints of the mode. There are at most ten. */
export function useEndpoints() {
  const { api } = useClient();
  return api.useQuery("get", "/webhook_endpoints");
}

/** endpointName returns what people call an endpoint: its description, else its address. */
export function endpointName(e: Endpoint | undefined): string {
  return e ? e.description || e.url.replace(/^https:\/\//, "") : "A deleted endpoint";
}

/** Health is how an endpoint is, in a word and in a sentence. */
export function healthOf(e: Endpoint): {
  word: string;
  tone: Tone;
  about: ReactNode;
  todo?: string;
} {
  const h = e.health;
  if (e.status === "disabled") {
    const reasons = {
      user: ["Disabled by your organization.", "Enable it to send events again."],
      gone: [
        "The endpoint replied 410 Gone, so Molar disabled it.",
        "Correct the URL, or delete the endpoint if nothing listens there.",
      ],
      failures: [
        "Every delivery failed for 5 days, so Molar disabled it.",
        "Correct the endpoint, send a test event, then enable it and resend the failed deliveries.",
      ],
    } as const;
    const [about, todo] = h.disabled_reason
      ? reasons[h.disabled_reason]
      : ["Disabled.", "Enable it to send events again."];
    return {
      word: h.disabled_reason === "gone" ? "Gone" : "Disabled",
      tone: h.disabled_reason === "user" ? "plain" : "bad",
      about,
      todo,
    };
  }
  if (h.failing_since) {
    return {
      word: "Failing",
      tone: "bad",
      about: (
        <>
          Failing since <When value={h.failing_since} />:{" "}
          {plural(
            h.consecutive_failures,
            "the last attempt failed",
            `the last ${h.consecutive_failures.toLocaleString("en-US")} attempts failed`,
          )}
          .{h.circuit_open_until && <> Molar tries one event at a time until one succeeds.</>}
        </>
      ),
      todo: "Look at the attempts of a delivery, correct the endpoint, then resend.",
    };
  }
  if (h.last_success_at)
    return {
      word: "Healthy",
      tone: "good",
      about: (
        <>
          Last delivery <When value={h.last_success_at} />.
        </>
      ),
    };
  return { word: "No delivery yet", tone: "plain", about: "Nothing has been delivered yet." };
}

/** Healthy shows how an endpoint is as a word. */
export function Healthy({ of }: { of: Endpoint }) {
  const { word, tone } = healthOf(of);
  return <Badge tone={tone}>{word}</Badge>;
}

const spans = [
  ["An hour ago", 1],
  ["A day ago", 24],
  ["7 days ago", 168],
  ["30 days ago", 720],
] as const;

/** Since is the filter of a list by time. The address holds the time itself, so that a link shows the
 *  same list later. */
export function Since({
  at,
  set,
  real,
}: {
  at: string | undefined;
  set: (at: string | undefined) => void;
  real?: boolean; // the list has real times, else those of the business
}) {
  const zone = useZone();
  const now = useNow();
  return (
    <SelectField
      label="Since"
      value={at ?? ""}
      onChange={(v) =>
        set(/^\d+$/.test(v) ? hoursBefore(real ? Date.now() : now(), Number(v)) : v || undefined)
      }
      options={[
        ["", "Any time"],
        ...(at ? [[at, moment(at, zone)] as const] : []),
        ...spans.map(([label, hours]) => [String(hours), label] as const),
      ]}
    />
  );
}

/** hoursBefore returns a time some hours before another, as the API reads it, on a whole minute. */
export function hoursBefore(time: number, hours: number): string {
  const minute = Math.floor(time / 60_000) * 60_000;
  return `${new Date(minute - hours * 3_600_000).toISOString().slice(0, 19)}Z`;
}
