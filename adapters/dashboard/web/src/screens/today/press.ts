// The first act of a task, on the page of what it is about.

/** missing is the first field of a page whose act waits for one. */
const missing = "main :is(textarea:not([data-note]), input:not([type=file]))";

/** press does what a task asks for by the button of the page that is shown; false if the page
 *  has none. */
export function press(name: string): boolean {
  const button = document.querySelector<HTMLButtonElement>(`main [data-act~="${name}"]`);
  if (!button) return false;
  // What is missing comes first.
  if (button.disabled) document.querySelector<HTMLElement>(missing)?.focus();
  else {
    button.focus();
    button.click();
  }
  return true;
}
