/** Bytes of what a text in Base64 stands for. Pure. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor((data.length - padding) * 3 / 4);
}
