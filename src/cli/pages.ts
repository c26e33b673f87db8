import type { Client } from "./client.js";

interface Page {
  readonly cursor: string | null;
}

/** What all pages of a list hold, from the first to the last. */
export async function everyPage<P extends Page, Row>(
  client: Client,
  at: string,
  rowsOf: (page: P) => readonly Row[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: P = await client.call("GET", cursor === null ? at : after(at, cursor));
    rows.push(...rowsOf(page));
    cursor = page.cursor;
  } while (cursor !== null);
  return rows;
}

function after(at: string, cursor: string): string {
  return `${at}${at.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
}
