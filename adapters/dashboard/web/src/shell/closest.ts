/** closest puts first what has the most typed words as whole words of its label, and else keeps the order. */
export function closest<T extends { label: string }>(typed: string, items: readonly T[]): T[] {
  const sought = parts(typed);
  const whole = (item: T) => {
    const has = new Set(parts(item.label));
    return sought.filter((word) => has.has(word)).length;
  };
  return items.toSorted((a, b) => whole(b) - whole(a));
}

/** parts returns the words of a text without case and accents; a hyphen parts them. */
function parts(text: string): string[] {
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
