// Choosing a payer by its name, its payer ID or another ID that it has.
import { type Schemas, useClient } from "../api/client";
import { first } from "./first";
import type { FieldProps } from "./form";
import { Picker } from "./picker";
import { useRecent } from "./recent";

/** PickedPayer is a payer as a form holds it. */
export type PickedPayer = Pick<Schemas["Payer"], "id" | "payer_id" | "name"> &
  Partial<Pick<Schemas["Payer"], "capabilities">>;

/** PayerPicker is a field to find a payer. Those that this browser used last come first, or those with which its list
 *  begins. With accepts, payers that do not accept what the form sends cannot be chosen. */
export function PayerPicker({
  accepts,
  about,
  begins,
  ...rest
}: FieldProps & {
  accepts?: keyof Schemas["Payer"]["capabilities"];
  about?: (payer: PickedPayer) => string; // what the list adds to one
  begins?: { kind: string; with: readonly PickedPayer[] };
  value: PickedPayer | null;
  onChange: (payer: PickedPayer | null) => void;
}) {
  const { fetch } = useClient();
  const { payers } = useRecent();
  const refuses = (p: PickedPayer) => accepts !== undefined && p.capabilities?.[accepts] === false;
  return (
    <Picker
      {...rest}
      kind={begins?.kind ?? "payers"}
      placeholder="Name or payer ID"
      nothing="No payer has such a name or ID."
      find={async (search, signal) => {
        const { data, error } = await fetch.GET("/payers", {
          params: { query: { limit: 30, ...(search && { search }) } },
          signal,
        });
        if (error) throw error;
        return first(begins?.with ?? payers, data.data as PickedPayer[], search !== "");
      }}
      text={(p) => `${p.name} (${p.payer_id})`}
      disabled={refuses}
      about={(p) =>
        refuses(p)
          ? `does not accept ${accepts === "eligibility" ? "checks" : accepts}`
          : (about?.(p) ?? "")
      }
    />
  );
}
