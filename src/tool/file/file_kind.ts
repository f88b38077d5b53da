/** Bytes in which a NUL tells a binary file. */
const PROBE = 8192;

/** A row: what it is called, and what stands at which byte (as Latin-1). */
type Signature = readonly [name: string, ...parts: readonly (readonly [at: number, text: string])[]];

/** The images that models and clients take. */
const IMAGES: readonly Signature[] = [
  ["image/png", [0, "\x89PNG\r\n\x1a\n"]],
  ["image/jpeg", [0, "\xff\xd8\xff"]],
  ["image/gif", [0, "GIF87a"]],
  ["image/gif", [0, "GIF89a"]],
  ["image/webp", [0, "RIFF"], [8, "WEBP"]],
];

/** What a file that is no text may be. */
const KINDS: readonly Signature[] = [
  ["a PDF document", [0, "%PDF-"]],
  ["ELF", [0, "\x7fELF"]],
  ["a Windows program", [0, "MZ"]],
  ["a macOS program", [0, "\xcf\xfa\xed\xfe"]],
  ["WebAssembly", [0, "\0asm"]],
  ["Java bytecode", [0, "\xca\xfe\xba\xbe"]],
  ["a ZIP archive (also Office, JAR)", [0, "PK\x03\x04"]],
  ["gzip", [0, "\x1f\x8b"]],
  ["bzip2", [0, "BZh"]],
  ["xz", [0, "\xfd7zXZ\0"]],
  ["zstd", [0, "\x28\xb5\x2f\xfd"]],
  ["a 7-Zip archive", [0, "7z\xbc\xaf"]],
  ["a tar archive", [257, "ustar"]],
  ["an SQLite database", [0, "SQLite format 3\0"]],
  ["an image (BMP)", [0, "BM"]],
  ["an image (TIFF)", [0, "II*\0"]],
  ["an image (TIFF)", [0, "MM\0*"]],
  ["an icon", [0, "\0\0\x01\0"]],
  ["sound (WAV)", [0, "RIFF"], [8, "WAVE"]],
  ["sound (MP3)", [0, "ID3"]],
  ["sound (Ogg)", [0, "OggS"]],
  ["sound (FLAC)", [0, "fLaC"]],
  ["a video (MP4)", [4, "ftyp"]],
  ["a video (Matroska)", [0, "\x1aE\xdf\xa3"]],
  ["a font", [0, "wOF"]],
  ["a font", [0, "OTTO"]],
  ["a font", [0, "\0\x01\0\0"]],
  ["UTF-32 text", [0, "\xff\xfe\0\0"]],
  ["UTF-32 text", [0, "\0\0\xfe\xff"]],
];

/** Bytes of an image: it is logged, and goes to the model with every request from then on. */
export const MAX_IMAGE_BYTES: number = 5 * 1024 * 1024;

/** The type of an image that can be shown; undefined for all else. Pure. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  return nameIn(IMAGES, bytes);
}

/** Is it surely no text? UTF-16 must have its byte order mark to be one. Pure. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, PROBE).includes(0) || latin1(bytes.subarray(0, 5)) === "%PDF-";
}

/** In words, what a file that is no text looks like; undefined where nothing tells. Pure. */
export function looksLike(bytes: Uint8Array): string | undefined {
  const image = imageTypeOf(bytes);
  if (image) return `an image (${image.slice("image/".length).toUpperCase()})`;
  return nameIn(KINDS, bytes) ??
    (hasEveryOtherZero(bytes) ? "UTF-16 text without a byte order mark" : undefined);
}

function nameIn(signatures: readonly Signature[], bytes: Uint8Array): string | undefined {
  const head = latin1(bytes.subarray(0, 300));
  return signatures.find(([, ...parts]) => parts.every(([at, text]) => head.startsWith(text, at)))?.[0];
}

/** Latin letters in UTF-16. */
function hasEveryOtherZero(bytes: Uint8Array): boolean {
  const probe = bytes.subarray(0, 64);
  if (probe.length < 4) return false;
  return [0, 1].some((odd) => probe.every((byte, i) => (byte === 0) === (i % 2 === odd)));
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
