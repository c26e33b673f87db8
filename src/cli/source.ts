const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const END = 12;

/**
 * How a source is shown to people: the end of its id, as it stands in the text of packs (`recalled:3c5f8f9f0a11`), or
 * its name where it has one (`slot:lookup`). Whole ids are in `--json`.
 */
export function shortSource(source: readonly string[]): string {
  return source.map((id) => (UUID.test(id) ? id.slice(-END) : id)).join(" ");
}
