// The chart of the teeth: both arches from above, as a dentist sees them, with
// the patient's right on the left. A tooth is a button, and so is each of its
// five surfaces for a pointer; the keyboard has letters for them.
import {
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import {
  findTooth,
  front,
  inOrder,
  kept,
  ordered,
  rows,
  type Side,
  sideOf,
  surfaceWord,
  type Tooth,
  toggled,
} from "./teeth";
import "./odontogram.css";

type Point = readonly [x: number, y: number];

/** Place is a tooth on the chart: where its middle is, how it is turned, and the outlines of its surfaces. */
type Place = {
  tooth: Tooth;
  x: number;
  y: number;
  turn: number;
  label: Point;
  outline: string;
  marks: string;
  surfaces: readonly (readonly [Side, string])[];
};

const width = 1000;
const height = 560;

/** sizes are the widths and depths of teeth by their step from the midline. They are nearer to each
 *  other than in a mouth, so that each can be clicked. */
const sizes: Record<string, readonly Point[]> = {
  "upper permanent": [
    [54, 42],
    [47, 40],
    [50, 48],
    [51, 57],
    [51, 57],
    [66, 66],
    [63, 64],
    [56, 58],
  ],
  "lower permanent": [
    [43, 39],
    [45, 40],
    [49, 46],
    [51, 52],
    [53, 54],
    [69, 62],
    [66, 61],
    [60, 57],
  ],
  "upper primary": [
    [39, 31],
    [35, 30],
    [38, 35],
    [43, 43],
    [50, 50],
  ],
  "lower primary": [
    [34, 30],
    [35, 30],
    [38, 35],
    [44, 41],
    [52, 48],
  ],
};

/** arches are the curves of the chart, y = top + rise (x / reach)², mirrored for the lower jaw. */
const arches = {
  permanent: { top: 62, rise: 172, reach: 430, label: 50, gum: 396 },
  primary: { top: 146, rise: 172, reach: 430, label: -38, gum: 203 },
};

/** powers say how square a tooth is. */
const powers: Record<Tooth["kind"], number> = {
  molar: 3.4,
  premolar: 2.5,
  canine: 2.5,
  incisor: 3,
};

const places: readonly Place[] = rows.flatMap((row) => {
  const [first] = row;
  if (!first) return [];
  const { upper, primary } = first;
  const { top, rise, reach, label } = primary ? arches.primary : arches.permanent;
  const size = sizes[`${upper ? "upper" : "lower"} ${primary ? "primary" : "permanent"}`] ?? [];
  const gap = primary ? 3 : 4;
  return row.map((tooth): Place => {
    // Walk along the curve from the midline by the widths of the teeth before this one.
    const [w, d] = size[tooth.step - 1] ?? [0, 0];
    let way = gap / 2 + w / 2;
    for (const [before] of size.slice(0, tooth.step - 1)) way += before + gap;
    let x = 0;
    for (let gone = 0; gone < way; x++) gone += Math.hypot(1, (2 * rise * x) / reach ** 2);
    const side = tooth.right ? -1 : 1;
    const slope = (2 * rise * x) / reach ** 2;
    const down = top + rise * (x / reach) ** 2;
    const turn = Math.atan(slope) * side * (upper ? 1 : -1);
    const y = upper ? down : height - down;
    const out = label * (upper ? -1 : 1);
    const middle: Point = [width / 2 + side * x, y];
    return {
      tooth,
      x: middle[0],
      y,
      turn: (turn * 180) / Math.PI,
      label: [middle[0] - Math.sin(turn) * out, y + Math.cos(turn) * out],
      ...draw(tooth, w / 2, d / 2),
    };
  });
});

/** draw returns the outlines of a tooth around its middle. Its mesial side is towards the midline, its
 *  outer side away from the tongue. */
function draw(tooth: Tooth, a: number, b: number): Pick<Place, "outline" | "marks" | "surfaces"> {
  const mesial = tooth.right ? 1 : -1;
  const outer = tooth.upper ? -1 : 1;
  const edge = front(tooth);
  const power = powers[tooth.kind];
  // Front teeth narrow towards the tongue, upper molars lean.
  const taper = edge ? 0.16 : 0.06;
  const lean = tooth.kind === "molar" && tooth.upper ? 0.09 : 0;
  const at = (angle: number, grow: number, p: number): Point => {
    const round = (v: number) => Math.sign(v) * Math.abs(v) ** (2 / p);
    const out = round(Math.sin(angle)) * grow;
    const along = round(Math.cos(angle)) * grow * (1 + taper * out) + lean * out;
    return [along * a * mesial, out * b * outer];
  };
  const arc = (from: number, to: number, grow: number, p: number): Point[] =>
    Array.from({ length: 13 }, (_, i) =>
      at(((from + ((to - from) * i) / 12) * Math.PI) / 180, grow, p),
    );
  const path = (points: readonly Point[]) =>
    `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`;
  const inner = edge ? 0.42 : 0.5;
  const ring = (from: number, to: number) =>
    path([...arc(from, to, 1, power), ...arc(to, from, inner, power)]);
  const line = (...points: Point[]) =>
    `M${points.map(([x, y]) => `${(x * a * mesial).toFixed(1)} ${(y * b * outer).toFixed(1)}`).join("L")}`;
  // The fissures of a back tooth, the edge of a front tooth.
  const marks = () => {
    if (tooth.kind === "molar") {
      return (
        line([-0.34, 0], [-0.12, 0.04], [0.12, -0.04], [0.34, 0]) +
        line([-0.2, -0.3], [-0.12, 0.04], [-0.16, 0.32]) +
        line([0.16, -0.32], [0.12, -0.04], [0.2, 0.3])
      );
    }
    if (tooth.kind === "premolar") return line([-0.32, 0.06], [-0.1, 0], [0.1, 0], [0.32, 0.06]);
    return line([-0.34, 0], [0.34, 0]);
  };
  return {
    outline: path([...arc(0, 180, 1, power), ...arc(180, 360, 1, power)]),
    marks: marks(),
    surfaces: [
      ["mesial", ring(-45, 45)],
      ["outer", ring(45, 135)],
      ["distal", ring(135, 225)],
      ["lingual", ring(225, 315)],
      ["middle", path([...arc(0, 180, inner, power), ...arc(180, 360, inner, power)])],
    ],
  };
}

/** gum returns the curve of a jaw behind its teeth. */
function gum(upper: boolean, of: keyof typeof arches): string {
  const { top, rise, reach, gum: x } = arches[of];
  const from = upper ? top : height - top;
  const up = upper ? 1 : -1;
  // A parabola is one quadratic curve.
  const y = from + up * rise * (x / reach) ** 2;
  return `M${width / 2 - x} ${y}Q${width / 2} ${2 * from - y} ${width / 2 + x} ${y}`;
}

/** Choice is what is chosen on the chart. Surfaces are those of a single tooth. */
export type Choice = { teeth: readonly string[]; surfaces: readonly string[] };

/** Odontogram shows teeth, and lets a person choose one tooth with its surfaces, or several teeth.
 *  With the keyboard: arrows move, Space chooses, and M, O, I, D, B, F and L choose surfaces. */
export function Odontogram({
  label,
  teeth,
  surfaces = [],
  missing = [],
  several,
  ownFocus,
  onChange: change,
}: Partial<Choice> & {
  label: string;
  teeth: readonly string[];
  missing?: readonly string[];
  several?: boolean; // teeth without surfaces
  ownFocus?: boolean; // it takes the focus when it appears
  onChange?: (choice: Choice) => void; // without it the chart is a picture
}) {
  // On a phone the teeth are too small for a finger.
  const onChange = useSyncExternalStore(watchPhone, isPhone) ? undefined : change;
  const chosen = useMemo(() => new Set(teeth.map((t) => findTooth(t)?.id ?? t)), [teeth]);
  const gone = useMemo(() => new Set(missing), [missing]);
  const first = places.find((p) => chosen.has(p.tooth.id))?.tooth.id ?? "8";
  const [at, setAt] = useState<string | null>(null); // the tooth that Tab reaches
  const [over, setOver] = useState<string | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const reach = at ?? first;
  const appear = useCallback(
    (chart: SVGSVGElement | null) => {
      svg.current = chart;
      if (ownFocus) chart?.querySelector<SVGGElement>("[tabindex='0']")?.focus();
    },
    [ownFocus],
  );

  const chooseTooth = (t: Tooth) => {
    const has = chosen.has(t.id);
    if (several)
      onChange?.({
        teeth: has ? teeth.filter((id) => findTooth(id)?.id !== t.id) : inOrder([...teeth, t.id]),
        surfaces: [],
      });
    else
      onChange?.(
        has ? { teeth: [], surfaces: [] } : { teeth: [t.id], surfaces: kept(surfaces, t) },
      );
  };
  const chooseSurface = (t: Tooth, side: Side) => {
    if (several) return chooseTooth(t);
    const same = chosen.has(t.id) && teeth.length === 1;
    onChange?.({ teeth: same ? teeth : [t.id], surfaces: toggled(same ? surfaces : [], t, side) });
  };
  const press = (e: KeyboardEvent, p: Place) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const side = sideOf(e.key);
    const next = move(e.key, p);
    if (next) {
      setAt(next.tooth.id);
      svg.current?.querySelector<SVGGElement>(`[data-tooth="${next.tooth.id}"]`)?.focus();
    } else if (e.key === " " || e.key === "Enter") chooseTooth(p.tooth);
    else if (side && !several) chooseSurface(p.tooth, side);
    else return;
    e.preventDefault();
  };
  const [only] = teeth.length === 1 ? teeth : [];
  const said = over ?? (only ? (findTooth(only)?.id ?? null) : null);

  return (
    <svg
      ref={appear}
      viewBox={`0 0 ${width} ${height}`}
      className={`odontogram${onChange ? " odontogram-live" : ""}`}
      role={onChange ? "group" : "img"}
      aria-label={onChange ? label : `${label}: ${spoken(teeth, surfaces)}`}
    >
      {[true, false].map((upper) => (
        <g key={String(upper)} aria-hidden>
          <path d={gum(upper, "permanent")} className="gum" />
          <path d={gum(upper, "primary")} className="gum gum-primary" />
        </g>
      ))}
      <g aria-hidden className="chart-words">
        <line x1={30} x2={365} y1={height / 2} y2={height / 2} className="midline" />
        <line
          x1={width - 365}
          x2={width - 30}
          y1={height / 2}
          y2={height / 2}
          className="midline"
        />
        <text x={30} y={height / 2 - 8}>
          Right
        </text>
        <text x={width - 30} y={height / 2 - 8} textAnchor="end">
          Left
        </text>
        <Said at={said} chosen={chosen} teeth={teeth} surfaces={surfaces} />
      </g>
      {places.map((p) => {
        const { id } = p.tooth;
        const on = chosen.has(id);
        const own = on && teeth.length === 1 ? surfaces : [];
        return (
          <g
            key={id}
            data-tooth={id}
            className={[
              "tooth",
              on && "tooth-on",
              gone.has(id) && "tooth-gone",
              p.tooth.primary && "tooth-primary",
            ]
              .filter(Boolean)
              .join(" ")}
            {...(onChange && {
              role: "button",
              tabIndex: id === reach ? 0 : -1,
              "aria-pressed": on,
              "aria-label": named(p.tooth, own, gone.has(id)),
              onKeyDown: (e: KeyboardEvent) => press(e, p),
              onFocus: () => setAt(id),
              onPointerEnter: () => setOver(id),
              onPointerLeave: () => setOver(null),
              onClick: (e: MouseEvent) => {
                const side = (e.target as SVGElement).dataset.side as Side | undefined;
                if (side) chooseSurface(p.tooth, side);
                else chooseTooth(p.tooth);
              },
            })}
          >
            <text x={p.label[0]} y={p.label[1]} className="tooth-number">
              {id}
            </text>
            <g
              transform={`translate(${p.x.toFixed(1)} ${p.y.toFixed(1)}) rotate(${p.turn.toFixed(1)})`}
            >
              <path d={p.outline} className="tooth-ring" />
              <path d={p.outline} className="tooth-body" />
              {p.surfaces.map(([side, d]) => (
                <path
                  key={side}
                  d={d}
                  data-side={side}
                  className={`surface${own.some((s) => sideOf(s) === side) ? " surface-on" : ""}`}
                />
              ))}
              <path d={p.marks} className="tooth-marks" />
              <path d={p.outline} className="tooth-edge" />
              {gone.has(id) && (
                <path
                  d={
                    p.tooth.primary
                      ? "M-13 -13L13 13M13 -13L-13 13"
                      : "M-19 -19L19 19M19 -19L-19 19"
                  }
                  transform={`rotate(${(-p.turn).toFixed(1)})`}
                  className="tooth-cross"
                />
              )}
            </g>
          </g>
        );
      })}
    </svg>
  );
}

const small = matchMedia("(max-width: 40rem)");
const isPhone = () => small.matches;
const watchPhone = (changed: () => void) => {
  small.addEventListener("change", changed);
  return () => small.removeEventListener("change", changed);
};

/** Said names a tooth in the middle of the chart. */
function Said({
  at,
  chosen,
  teeth,
  surfaces,
}: {
  at: string | null;
  chosen: ReadonlySet<string>;
  teeth: readonly string[];
  surfaces: readonly string[];
}) {
  const t = at ? findTooth(at) : undefined;
  const x = width / 2;
  if (!t) {
    return teeth.length > 1 ? (
      <text x={x} y={height / 2 + 7} textAnchor="middle" className="chart-tooth">
        {teeth.length > 8 ? `${teeth.length} teeth` : `Teeth ${teeth.join(", ")}`}
      </text>
    ) : null;
  }
  const own = chosen.has(t.id) && teeth.length === 1 ? ordered(surfaces) : [];
  return (
    <>
      <text
        x={x}
        y={height / 2 - 6}
        textAnchor="middle"
        className="chart-tooth"
      >{`Tooth ${t.id}${own.length > 0 ? ` ${own.join("")}` : ""}`}</text>
      <text x={x} y={height / 2 + 18} textAnchor="middle">
        {t.name}
      </text>
    </>
  );
}

/** named returns what a screen reader says for a tooth. */
function named(t: Tooth, surfaces: readonly string[], gone: boolean): string {
  return [
    `Tooth ${t.id}, ${t.name}`,
    surfaces.length > 0 && surfaces.map(surfaceWord).join(" "),
    gone && "missing",
  ]
    .filter(Boolean)
    .join(", ");
}

function spoken(teeth: readonly string[], surfaces: readonly string[]): string {
  if (teeth.length === 0) return "no tooth";
  return [
    ...teeth.map((id) => [`tooth ${id}`, findTooth(id)?.name].filter(Boolean).join(", ")),
    ...surfaces.map(surfaceWord),
  ].join(", ");
}

/** move returns the tooth that a key leads to. */
function move(key: string, from: Place): Place | undefined {
  const here = rows.findIndex((r) => r.includes(from.tooth));
  const row = rows[here] ?? [];
  const i = row.indexOf(from.tooth);
  const place = (t: Tooth | undefined) => places.find((p) => p.tooth === t);
  switch (key) {
    case "ArrowRight":
      return place(row[i + 1]);
    case "ArrowLeft":
      return place(row[i - 1]);
    case "Home":
      return place(row[0]);
    case "End":
      return place(row[row.length - 1]);
    case "ArrowUp":
    case "ArrowDown": {
      const next = rows[here + (key === "ArrowUp" ? -1 : 1)];
      return next
        ?.flatMap((t) => place(t) ?? [])
        .reduce((best, p) => (Math.abs(p.x - from.x) < Math.abs(best.x - from.x) ? p : best));
    }
    default:
      return undefined;
  }
}
