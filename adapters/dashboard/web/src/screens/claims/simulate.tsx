// In test mode, a payer does with a claim what a developer chooses.
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Cancel, Modal } from "../../ui/dialog";
import { SelectField, TextField } from "../../ui/form";
import { count } from "../../ui/plural";
import { type Fields, following, stepOf } from "./steps";

type Claim = Schemas["Claim"];

/** Simulate is a dialog with the steps that can follow what has happened to the claim. */
export function Simulate({
  claim: c,
  open,
  onOpenChange,
}: {
  claim: Claim;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const steps = following(c);
  const [chosen, choose] = useState("");
  const step = steps.find((s) => s.name === chosen) ?? steps[0];
  const [fields, setFields] = useState<Fields>({
    percent: "80",
    patient: "20",
    reason: "CO-96",
    code: "A7:164",
  });
  const field = (name: keyof Fields) => ({
    value: fields[name],
    onChange: (value: string) => setFields({ ...fields, [name]: value }),
    required: true,
  });
  const send = useSend(
    (api, key, body: Schemas["SandboxStep"]) =>
      api.POST("/sandbox/claims/{id}/simulate", {
        params: { path: { id: c.id }, header: key },
        body,
      }),
    {
      says: ({ dropped }) =>
        dropped.length === 0
          ? "The file has come. The claim follows in a moment."
          : `The file has come. ${count(dropped.length, "later step")} of the payer will not come.`,
      done: () => onOpenChange(false),
    },
  );
  if (!step) return null;
  return (
    <Modal title="Simulate the next step" open={open} onOpenChange={onOpenChange} forgets>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          send.go(stepOf(step, fields));
        }}
      >
        <SelectField
          label="What happens"
          value={step.name}
          onChange={choose}
          options={steps.map((s) => [s.name, s.label])}
        />
        {(step.do === "pay" || step.do === "estimate") && (
          <>
            <TextField
              label="Allowed, in percent of the fee"
              type="number"
              min={0}
              max={100}
              {...field("percent")}
            />
            <TextField
              label="The patient’s share of that, in percent"
              type="number"
              min={0}
              max={100}
              {...field("patient")}
            />
          </>
        )}
        {step.do === "deny" && (
          <TextField
            label="Reason"
            hint="A group and a reason, such as CO-96."
            {...field("reason")}
          />
        )}
        {step.do === "reject" && (
          <TextField
            label="Code"
            hint="A category and a status, such as A7:164."
            {...field("code")}
          />
        )}
        <p className="muted">
          The file comes at once, by the clock of test mode. What the payer was to do later does not
          come any more.
        </p>
        <div className="dialog-actions">
          <Cancel />
          <Button type="submit" look="primary" busy={send.isPending}>
            Simulate
          </Button>
        </div>
      </form>
    </Modal>
  );
}
