/** An HMAC as a UUID (version 8: custom). */
export function macUuid(mac: Uint8Array): string {
  const hex = Buffer.from(mac.subarray(0, 16)).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
