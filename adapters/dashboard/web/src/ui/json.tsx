import { screenOf } from "../shell/places";
import { CopyButton } from "./copy";
import { GoTo } from "./link";
import { Scrolled } from "./scrolled";
import "./json.css";

/** JSON shows a value as indented JSON, with a button that copies it. IDs lead to their screens. */
export function JSONView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="json">
      <CopyButton value={text} label={`Copy ${label}`} />
      <Scrolled label={label}>{tokens(text)}</Scrolled>
    </div>
  );
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

/** tokens returns the parts of a JSON text with their colors. */
function tokens(text: string) {
  const parts: React.ReactNode[] = [];
  let last = 0;
  for (const m of text.matchAll(token)) {
    parts.push(text.slice(last, m.index));
    last = m.index + m[0].length;
    const [all, string, colon] = m;
    const place = string && !colon ? screenOf(string.slice(1, -1)) : undefined;
    if (string && colon)
      parts.push(
        <span key={m.index} className="json-name">
          {string}
        </span>,
        colon,
      );
    else if (place)
      parts.push(
        <GoTo key={m.index} target={place} className="json-text">
          {string}
        </GoTo>,
      );
    else
      parts.push(
        <span key={m.index} className={string ? "json-text" : "json-plain"}>
          {all}
        </span>,
      );
  }
  parts.push(text.slice(last));
  return parts;
}
