import { describe, expect, test } from "vitest";
import { inspect, maxBytes, size } from "./image";

const file = (bytes: number[], name = "x.jpg", length = bytes.length) => {
  const all = new Uint8Array(length);
  all.set(bytes);
  return new File([all], name);
};

/** exif returns a JPEG whose EXIF data has an orientation, in either order of bytes. */
function exif(orientation: number, little: boolean): number[] {
  const two = (n: number) => (little ? [n & 255, n >> 8] : [n >> 8, n & 255]);
  const four = (n: number) => (little ? [...two(n), 0, 0] : [0, 0, ...two(n)]);
  const tiff = [...(little ? [0x49, 0x49] : [0x4d, 0x4d]), ...two(42), ...four(8)];
  const entry = [...two(0x0112), ...two(3), ...four(1), ...two(orientation), 0, 0];
  const data = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff, ...two(1), ...entry, ...four(0)];
  const length = data.length + 2;
  const app0 = [0xff, 0xe0, 0, 4, 0, 0]; // another segment before it
  return [0xff, 0xd8, ...app0, 0xff, 0xe1, length >> 8, length & 255, ...data, 0xff, 0xda, 0, 2];
}

describe("a chosen file", () => {
  test.each([
    ["a JPEG without EXIF", [0xff, 0xd8, 0xff, 0xda, 0, 2], "image/jpeg", false],
    ["a PNG", [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10], "image/png", false],
    ["an upright JPEG", exif(1, true), "image/jpeg", false],
    ["a turned JPEG of a phone", exif(6, false), "image/jpeg", true],
    ["a turned JPEG, little endian", exif(8, true), "image/jpeg", true],
  ])("may be %s", async (_, bytes, type, leans) => {
    expect(await inspect(file(bytes))).toEqual({ type, leans });
  });

  test.each([
    ["empty", file([]), "This file is empty."],
    ["a PDF", file([0x25, 0x50, 0x44, 0x46]), "Payers do not accept a PDF here."],
    ["text with the name of an image", file([0x68, 0x69]), "This file is not a JPEG or PNG image."],
    [
      "too large",
      file([0xff, 0xd8, 0xff], "x.jpg", maxBytes + 1),
      "This file has 15.0 MB, and at most 15 MB can be sent.",
    ],
  ])("may not be %s", async (_, bad, why) => {
    expect(await inspect(bad)).toContain(why);
  });

  test.each([7, 20, 30, 33])("of %d bytes that ends within its EXIF data is read", async (cut) => {
    expect(await inspect(file(exif(6, true).slice(0, cut)))).toEqual({
      type: "image/jpeg",
      leans: false,
    });
  });
});

test.each([
  [1, "1 kB"],
  [1536, "2 kB"],
  [1024 * 1024 - 1, "1024 kB"],
  [1024 * 1024, "1.0 MB"],
  [maxBytes, "15.0 MB"],
])("%d bytes are %s", (bytes, want) => {
  expect(size(bytes)).toBe(want);
});
