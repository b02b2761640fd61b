import type { ComponentProps } from "react";
import { useClient } from "../api/client";
import { PayerPicker } from "./payer-picker";

/** PayerFilter narrows a list to a payer. The address has its ID; the field shows its name. */
export function PayerFilter({
  id,
  set,
  ...picks
}: {
  id: string | undefined;
  set: (id: string | undefined) => void;
} & Pick<ComponentProps<typeof PayerPicker>, "accepts" | "about" | "begins">) {
  const { api } = useClient();
  const payer = api.useQuery(
    "get",
    "/payers/{id}",
    { params: { path: { id: id ?? "" } } },
    { enabled: id !== undefined },
  );
  return (
    <PayerPicker
      label="Payer"
      {...picks}
      value={(id && payer.data) || null}
      onChange={(p) => set(p?.id)}
    />
  );
}
