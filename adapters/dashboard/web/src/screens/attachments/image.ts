// The images that a person chooses: what they are, and turning them.

/** maxBytes is the size of an image that the service accepts. */
export const maxBytes = 15 * 1024 * 1024;

/** Found is a chosen image: its type, and whether a viewer must turn it to show it upright, as EXIF says. */
export type Found = { type: "image/jpeg" | "image/png"; leans: boolean };

/** inspect reads what a file is from its first bytes, or says why it cannot be sent and what to do. */
export async function inspect(file: File): Promise<Found | string> {
  const head = new Uint8Array(await file.slice(0, 128 * 1024).arrayBuffer());
  const starts = (...bytes: number[]) => bytes.every((b, i) => head[i] === b);
  if (file.size === 0) return "This file is empty. Export the image again.";
  if (starts(0x25, 0x50, 0x44, 0x46))
    return "Payers do not accept a PDF here. Save its pages as JPEG or PNG images and choose those.";
  const jpeg = starts(0xff, 0xd8, 0xff);
  if (!jpeg && !starts(0x89, 0x50, 0x4e, 0x47))
    return "This file is not a JPEG or PNG image. Save it as one of them and choose it again.";
  if (file.size > maxBytes)
    return `This file has ${size(file.size)}, and at most 15 MB can be sent. Export the image smaller, or as a JPEG.`;
  return {
    type: jpeg ? "image/jpeg" : "image/png",
    leans: jpeg && leans(new DataView(head.buffer)),
  };
}

/** leans reports whether the EXIF data of a JPEG turns it. The service removes EXIF data, and with it the turn. */
function leans(v: DataView): boolean {
  for (
    let at = 2;
    at + 4 <= v.byteLength && v.getUint8(at) === 0xff;
    at += 2 + v.getUint16(at + 2)
  ) {
    const marker = v.getUint8(at + 1);
    if (marker === 0xda) return false; // the picture begins
    if (marker !== 0xe1 || at + 18 > v.byteLength || v.getUint32(at + 4) !== 0x45786966) continue;
    const tiff = at + 10;
    const little = v.getUint16(tiff) === 0x4949;
    const first = tiff + v.getUint32(tiff + 4, little);
    if (first + 2 > v.byteLength) return false;
    for (
      let i = 0, n = v.getUint16(first, little);
      i < n && first + 14 + 12 * i <= v.byteLength;
      i++
    ) {
      const entry = first + 2 + 12 * i;
      if (v.getUint16(entry, little) === 0x0112) return v.getUint16(entry + 8, little) > 1;
    }
    return false;
  }
  return false;
}

/** turn returns the image upright, turned clockwise by quarters of a circle. A JPEG is compressed again. */
export async function turn(file: File, type: Found["type"], quarters: number): Promise<File> {
  const image = await createImageBitmap(file); // upright, as EXIF says
  const canvas = document.createElement("canvas");
  const lies = quarters % 2 === 1;
  canvas.width = lies ? image.height : image.width;
  canvas.height = lies ? image.width : image.height;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("no canvas");
  pen.translate(canvas.width / 2, canvas.height / 2);
  pen.rotate((quarters * Math.PI) / 2);
  pen.drawImage(image, -image.width / 2, -image.height / 2);
  image.close();
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, 0.95));
  if (!blob) throw new Error("no memory for the image");
  return new File([blob], file.name, { type });
}

/** size returns a number of bytes in words. */
export function size(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${Math.max(1, Math.round(bytes / 1024))} kB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
