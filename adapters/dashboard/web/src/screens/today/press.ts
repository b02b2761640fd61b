// The first act of a task, on the page of what it is about.

/** missing is the first field of a page whose act waits for one. */
const missing = "main :is(textarea:not([data-note]), input:not([type=file]))";

/** press does what a task asks for by the button of the page that is shown; false if the page
 *  has none. A button of the resource comes before others. With only, no other is pressed. */
export function press(name: string, of = "", only = false): boolean {
  const all = `main [data-act~="${name}"]`;
  const button =
    document.querySelector<HTMLButtonElement>(`${all}[data-of~="${of}"]`) ??
    (only ? null : document.querySelector<HTMLButtonElement>(all));
  if (!button) return false;
  // What is missing comes first.
  if (button.disabled) document.querySelector<HTMLElement>(missing)?.focus();
  else {
    button.focus();
    button.click();
  }
  return true;
}
