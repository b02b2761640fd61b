/** An amount of dollars, exactly as the API writes it: "1250.00". */
export type Amount = string;

/** cents returns an amount in cents. */
export function cents(amount: Amount): number {
  if (!/^-?[0-9]+[.][0-9]{2}$/.test(amount)) {
    throw new RangeError(`${JSON.stringify(amount)} is not an amount such as "1250.00"`);
  }
  const n = Number(amount.replace(".", ""));
  if (!Number.isSafeInteger(n)) throw new RangeError("the amount is too large to count in cents");
  return n;
}

/** fromCents is the amount of so many cents. */
export function fromCents(n: number): Amount {
  if (!Number.isSafeInteger(n)) throw new RangeError("cents are a whole number");
  const digits = String(Math.abs(n)).padStart(3, "0");
  return `${n < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
