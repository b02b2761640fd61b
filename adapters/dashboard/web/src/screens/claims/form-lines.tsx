// The services of a claim, as a grid that one fills in from left to right.
import { ChevronDown, ChevronUp, Plus, X } from "lucide-react";
import { memo, useCallback, useState } from "react";
import type { Schemas } from "../../api/client";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import {
  DateField,
  type Fault,
  Group,
  MoneyField,
  SelectField,
  TextField,
  useFaultsBelow,
} from "../../ui/form";
import { dollars, name } from "../../ui/format";
import { Odontogram } from "../../ui/odontogram";
import { count } from "../../ui/plural";
import { ordered } from "../../ui/teeth";
import { ToothIcon } from "../../ui/tooth-icon";
import { aLine, amount, type ClaimForm, type Line, surfacesOf, teethOf, total } from "./form-data";

/** areas are those of the mouth, by their codes. */
export const areas = [
  ["", "–"],
  ["10", "Upper right"],
  ["20", "Upper left"],
  ["30", "Lower left"],
  ["40", "Lower right"],
  ["01", "Upper arch"],
  ["02", "Lower arch"],
  ["00", "Whole mouth"],
  ["03", "Upper right sextant"],
  ["04", "Upper front sextant"],
  ["05", "Upper left sextant"],
  ["06", "Lower left sextant"],
  ["07", "Lower front sextant"],
  ["08", "Lower right sextant"],
  ["L", "Left"],
  ["R", "Right"],
] as const;

/** labels are the fields of the grid, by their paths. */
const labels: Record<string, string> = {
  procedure_code: "Procedure",
  service_date: "Service date",
  tooth: "Tooth",
  teeth: "Tooth",
  surfaces: "Surfaces",
  oral_cavity: "Area",
  fee: "Fee",
  quantity: "Quantity",
};

type Providers = readonly Schemas["Provider"][];

/** Lines is the grid of the services. */
export function Lines({
  form,
  set,
  providers,
}: {
  form: ClaimForm;
  set: (change: (f: ClaimForm) => Partial<ClaimForm>) => void;
  providers: Providers;
}) {
  const [added, setAdded] = useState(0); // the key of the line to go to
  const [charting, setCharting] = useState<number | null>(null);
  const put = useCallback(
    (key: number, change: Partial<Line>) =>
      set((f) => ({ lines: f.lines.map((l) => (l.key === key ? { ...l, ...change } : l)) })),
    [set],
  );
  const remove = useCallback(
    (key: number) =>
      set((f) => ({
        lines: f.lines.length > 1 ? f.lines.filter((l) => l.key !== key) : [aLine()],
      })),
    [set],
  );
  const add = () => {
    const next = aLine(form.lines.at(-1)?.service_date);
    set((f) => ({ lines: [...f.lines, next] }));
    setAdded(next.key);
  };
  const charted = form.lines.findIndex((l) => l.key === charting);
  const chartedLine = form.lines[charted];
  return (
    <Group
      path="lines"
      className={`lines${form.kind === "predetermination" ? " lines-undated" : ""}`}
    >
      <div className="line-fields line-heads" aria-hidden>
        <span />
        <span>Procedure</span>
        {form.kind === "claim" && <span>Date</span>}
        <span>Tooth</span>
        <span>Surfaces</span>
        <span>Area</span>
        <span className="right">Fee</span>
        <span className="right">Qty</span>
        <span />
      </div>
      {form.lines.map((l, i) => (
        <LineFields
          key={l.key}
          line={l}
          i={i}
          kind={form.kind}
          fresh={l.key === added}
          put={put}
          remove={remove}
          chart={setCharting}
          providers={providers}
        />
      ))}
      <div className="spread lines-foot">
        <Button
          icon={<Plus size={16} aria-hidden />}
          onClick={add}
          disabled={form.lines.length >= 50}
        >
          Add a line
        </Button>
        <p>
          {count(form.lines.length, "line")}, total{" "}
          <strong className="numbers">{dollars(total(form.lines))}</strong>
        </p>
      </div>
      {chartedLine && (
        <Chart
          line={chartedLine}
          i={charted}
          missing={teethOf(form.missing_teeth)}
          put={put}
          close={() => setCharting(null)}
        />
      )}
    </Group>
  );
}

/** enter goes to the first field of a line that a person added. */
function enter(row: HTMLElement | null): void {
  row?.querySelector("input")?.focus();
}

const LineFields = memo(function LineFields({
  line,
  i,
  kind,
  fresh,
  put,
  remove,
  chart,
  providers,
}: {
  line: Line;
  i: number;
  kind: ClaimForm["kind"];
  fresh: boolean;
  put: (key: number, change: Partial<Line>) => void;
  remove: (key: number) => void;
  chart: (key: number) => void;
  providers: Providers;
}) {
  const path = `lines.${i}`;
  const rare = [
    line.prosthesis,
    line.prior_placement_date,
    line.rendering_provider_id,
    line.place_of_service,
    line.modifiers,
    line.diagnosis_pointers,
  ].some((v) => v !== "");
  const labelOf = (f: Fault) => labels[f.field?.split(".")[2] ?? ""];
  // The fields of the grid are too narrow for what is wrong with them.
  const faults = useFaultsBelow([path]).filter(labelOf);
  const wrong =
    useFaultsBelow(
      [
        "prosthesis",
        "prior_placement_date",
        "rendering_provider_id",
        "place_of_service",
        "modifiers",
        "diagnosis_pointers",
      ].map((f) => `${path}.${f}`),
    ).length > 0;
  // Crowns, bridges, dentures and implants: payers ask whether it is the first one in its place.
  const prosthetic = /^D(27|5[1-9]|6[0-79])/i.test(line.procedure_code);
  const [more, setMore] = useState<boolean | null>(null);
  const open = wrong || (more ?? (rare || prosthetic));
  const set = (change: Partial<Line>) => put(line.key, change);
  const others =
    line.area && !areas.some(([a]) => a === line.area)
      ? [
          [
            line.area,
            line.area
              .split(" ")
              .map((a) => areas.find(([v]) => v === a)?.[1] ?? a)
              .join(", "),
          ] as const,
        ]
      : [];
  return (
    <Group path={path} className="line" label={`Line ${i + 1}`} ref={fresh ? enter : undefined}>
      <div className="line-fields">
        <span className="line-number numbers" aria-hidden>
          {i + 1}
        </span>
        <TextField
          label="Procedure"
          hideLabel
          path={`${path}.procedure_code`}
          value={line.procedure_code}
          onChange={(v) => set({ procedure_code: v.toUpperCase() })}
          placeholder="D2391"
          maxLength={5}
          autoComplete="off"
          spellCheck={false}
        />
        {kind === "claim" && (
          <DateField
            label="Service date"
            hideLabel
            path={`${path}.service_date`}
            value={line.service_date}
            onChange={(service_date) => set({ service_date })}
          />
        )}
        <div className="tooth-field">
          <TextField
            label="Tooth"
            hideLabel
            path={`${path}.tooth ${path}.teeth`}
            value={line.teeth}
            onChange={(teeth) => set({ teeth })}
            autoComplete="off"
          />
          <button
            type="button"
            className="icon-button"
            aria-label={`Choose the tooth of line ${i + 1} on the chart`}
            title="Choose on the chart"
            onClick={() => chart(line.key)}
          >
            <ToothIcon />
          </button>
        </div>
        <TextField
          label="Surfaces"
          hideLabel
          path={`${path}.surfaces`}
          value={line.surfaces}
          onChange={(v) => set({ surfaces: v.toUpperCase() })}
          placeholder="MOD"
          maxLength={10}
          autoComplete="off"
          spellCheck={false}
        />
        <SelectField
          label="Area"
          hideLabel
          path={`${path}.oral_cavity`}
          value={line.area}
          onChange={(area) => set({ area })}
          options={[...areas, ...others]}
        />
        <MoneyField
          label="Fee"
          hideLabel
          path={`${path}.fee`}
          value={line.fee}
          onChange={(fee) => set({ fee })}
          onBlur={() => set({ fee: amount(line.fee) ?? "" })}
          autoComplete="off"
        />
        <TextField
          label="Quantity"
          hideLabel
          path={`${path}.quantity`}
          value={line.quantity}
          onChange={(quantity) => set({ quantity })}
          inputMode="numeric"
          className="right numbers"
          maxLength={2}
          autoComplete="off"
        />
        <span className="line-ends">
          <button
            type="button"
            className="icon-button"
            aria-expanded={open}
            aria-label={`More of line ${i + 1}`}
            title="Prosthesis, provider, modifiers"
            onClick={() => setMore(!open)}
          >
            {open ? <ChevronUp size={16} aria-hidden /> : <ChevronDown size={16} aria-hidden />}
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove line ${i + 1}`}
            title="Remove"
            onClick={() => remove(line.key)}
          >
            <X size={16} aria-hidden />
          </button>
        </span>
      </div>
      {faults.length > 0 && (
        <ul className="line-faults" aria-hidden>
          {faults.map((f) => (
            <li key={`${f.field} ${f.message}`}>
              {f.fix ? "" : `${labelOf(f)}: `}
              {f.message} {f.fix}
            </li>
          ))}
        </ul>
      )}
      {open && (
        <div className="fields line-more">
          <SelectField
            label="Prosthesis"
            path={`${path}.prosthesis`}
            value={line.prosthesis}
            onChange={(prosthesis) => set({ prosthesis })}
            options={[
              ["", "Not stated"],
              ["initial", "The first in its place"],
              ["replacement", "Replaces an earlier one"],
            ]}
          />
          {line.prosthesis !== "initial" && (
            <DateField
              label="Prior placement date"
              path={`${path}.prior_placement_date`}
              value={line.prior_placement_date}
              onChange={(prior_placement_date) => set({ prior_placement_date })}
            />
          )}
          <SelectField
            label="Provider"
            path={`${path}.rendering_provider_id`}
            value={line.rendering_provider_id}
            onChange={(rendering_provider_id) => set({ rendering_provider_id })}
            options={[
              ["", "The claim's provider"],
              ...providers.map((p) => [p.id, name(p)] as const),
            ]}
          />
          <TextField
            label="Modifiers"
            path={`${path}.modifiers`}
            value={line.modifiers}
            onChange={(modifiers) => set({ modifiers })}
            placeholder="Two characters each"
          />
          <TextField
            label="Diagnosis pointers"
            path={`${path}.diagnosis_pointers`}
            value={line.diagnosis_pointers}
            onChange={(diagnosis_pointers) => set({ diagnosis_pointers })}
            placeholder="1, 2"
          />
          <TextField
            label="Place of service"
            path={`${path}.place_of_service`}
            value={line.place_of_service}
            onChange={(place_of_service) => set({ place_of_service })}
            placeholder="The claim's"
            maxLength={2}
          />
        </div>
      )}
    </Group>
  );
});

/** Chart lets one choose the teeth and surfaces of a line on the odontogram. */
function Chart({
  line,
  i,
  missing,
  put,
  close,
}: {
  line: Line;
  i: number;
  missing: readonly string[];
  put: (key: number, change: Partial<Line>) => void;
  close: () => void;
}) {
  const teeth = teethOf(line.teeth);
  const [several, setSeveral] = useState(teeth.length > 1);
  const set = (change: Partial<Line>) => put(line.key, change);
  return (
    <Modal
      forgets
      wide
      open
      ownFocus
      onOpenChange={(o) => {
        if (!o) close();
      }}
      title={`Line ${i + 1}${line.procedure_code ? `, ${line.procedure_code}` : ""}`}
    >
      <div className="stack">
        <div className="chart-fields">
          <TextField
            label="Tooth"
            value={line.teeth}
            onChange={(v) => set({ teeth: v })}
            autoComplete="off"
          />
          <TextField
            label="Surfaces"
            value={line.surfaces}
            onChange={(v) => set({ surfaces: v.toUpperCase() })}
            autoComplete="off"
            disabled={several}
          />
          <SelectField
            label="Choose"
            value={several ? "several" : "one"}
            onChange={(v) => {
              setSeveral(v === "several");
              if (v === "several") set({ surfaces: "" });
              else set({ teeth: teeth[0] ?? "" });
            }}
            options={[
              ["one", "One tooth, surfaces"],
              ["several", "Several teeth"],
            ]}
          />
          <p className="hint chart-hint">
            Click a surface, or use the arrow keys and the letters M O D B L (I and F in front).
          </p>
        </div>
        <Odontogram
          label={`Teeth of line ${i + 1}`}
          teeth={teeth}
          surfaces={several ? [] : surfacesOf(line.surfaces)}
          missing={missing}
          several={several}
          ownFocus
          onChange={(c) =>
            set({
              teeth: c.teeth.join(", "),
              surfaces: several ? "" : ordered(c.surfaces).join(""),
            })
          }
        />
        <div className="dialog-actions">
          <Button look="primary" onClick={close}>
            Done
          </Button>
        </div>
      </div>
    </Modal>
  );
}
