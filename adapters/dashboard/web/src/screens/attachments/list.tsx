// The list of attachments: what is open and what was sent.
import { ImagePlus } from "lucide-react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format } from "../../api/searches";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../ui/button";
import { None, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { useMany } from "../../ui/selection";
import { State } from "../../ui/state";
import { List, paged, rowsOf } from "../../ui/table";
import { useAssignTasks } from "../today/many";
import { attachmentActs } from "./many";
import { useTypes } from "./uploads";

type Attachment = Schemas["Attachment"];

const tabs: [name: string, state: Schemas["AttachmentState"] | undefined][] = [
  ["All", undefined],
  ["Open", "open"],
  ["Closed", "closed"],
];

export function AttachmentList() {
  const { api } = useClient();
  const may = useMay();
  const [filters] = useFilters("/attachments");
  const { state } = filters;
  const attachments = api.useInfiniteQuery(
    "get",
    "/attachments",
    { params: { query: { ...filters, limit: 50 } } },
    paged,
  );
  const types = useTypes();
  const assign = useAssignTasks<Attachment>();
  const many = useMany(rowsOf(attachments), {
    id: (a) => a.id,
    name: (a) => `${contents(a, types)} for ${a.payer.name}`,
    acts: [
      ...attachmentActs,
      { ...assign, not: (a) => (a.state === "open" ? null : "It is sent already.") },
    ],
    more: () => {
      if (attachments.hasNextPage) void attachments.fetchNextPage();
    },
  });
  const begin = may.write && (
    <ButtonLink look="primary" icon={<ImagePlus size={16} aria-hidden />} to="/attachments/new">
      New attachment
    </ButtonLink>
  );
  return (
    <Page title="Attachments" list={`/attachments${format(filters)}`} actions={begin}>
      <Section flush>
        <nav className="tabs" aria-label="States">
          {tabs.map(([name, s]) => (
            <Go
              key={name}
              to="/attachments"
              search={{ ...filters, state: s }}
              replace
              className="tab"
              aria-current={s === state ? "page" : undefined}
            >
              {name}
            </Go>
          ))}
        </nav>
        <List
          of={attachments}
          many={many}
          caption="Attachments"
          id={(a) => a.id}
          to={(a) => `/attachments/${a.id}`}
          columns={[
            {
              head: "Images",
              cell: (a) => (
                <>
                  {contents(a, types)}
                  {a.narrative && <span className="sub clip">{a.narrative}</span>}
                </>
              ),
            },
            { head: "State", cell: (a) => <State value={a.state} /> },
            { head: "Payer", cell: (a) => a.payer.name },
            {
              head: "For",
              cell: (a) => <For attachment={a} />,
            },
            {
              head: "Number",
              cell: (a) => a.attachment_number ?? <None />,
            },
            { head: "Changed", wide: true, cell: (a) => <When value={a.updated_at} /> },
          ]}
          empty={
            Object.keys(filters).length > 0 ? (
              <Empty
                title={state === "open" ? "No attachment is open" : "No attachment matches"}
                action={
                  <Go to="/attachments" className="button">
                    Show all attachments
                  </Go>
                }
              >
                {state === "open" ? "All attachments were sent." : "Try another tab."}
              </Empty>
            ) : (
              <Empty title="No attachments yet" action={begin}>
                Send X-rays, photos, charts or a narrative with a claim. Start here, or choose Add
                images on the claim.
              </Empty>
            )
          }
        />
      </Section>
    </Page>
  );
}

/** For says what an attachment is for. */
function For({ attachment: a }: { attachment: Attachment }) {
  if (a.kind !== "solicited") return <>{a.claim_id ? "A claim" : "A patient"}</>;
  return (
    <>
      A payer request<span className="sub">{a.payer_reference}</span>
    </>
  );
}

/** contents returns the documents of an attachment in words, such as Bitewings, 2 Periapical. */
export function contents(a: Attachment, types: Schemas["DocumentType"][]): string {
  const kinds = new Map<string, number>();
  for (const d of a.documents) kinds.set(d.document_type, (kinds.get(d.document_type) ?? 0) + 1);
  const named = [...kinds].map(
    ([code, n]) =>
      `${n > 1 ? `${n} × ` : ""}${types.find((t) => t.code === code)?.label ?? "Image"}`,
  );
  if (named.length === 0) return "No images";
  return named.length <= 3
    ? named.join(", ")
    : `${count(a.documents.length, "image")}: ${named.slice(0, 2).join(", ")} and more`;
}
