// Whether what was wrong with a field may still be wrong.

/** standing reports whether two requests have the same at a path. Where neither has the path, what they
 *  have above it decides. */
export function standing(path: string | null, before: object, now: object): boolean {
  if (!path) return true;
  const [a, b] = [along(path, before), along(path, now)];
  return a.length === b.length && JSON.stringify(a.at(-1)) === JSON.stringify(b.at(-1));
}

/** along returns the values on a path, from the outside. */
function along(path: string, of: unknown): unknown[] {
  const values: unknown[] = [];
  let at = of;
  for (const key of path.split(".")) {
    if (typeof at !== "object" || at === null || !(key in at)) break;
    at = (at as Record<string, unknown>)[key];
    values.push(at);
  }
  return values.length > 0 ? values : [of];
}
