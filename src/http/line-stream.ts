import { Readable } from "node:stream";

/** JSON Lines. */
export const LINES_TYPE = "application/x-ndjson";

/**
 * Lines as the body of a reply, in pieces as they are read: a slow reader holds the reading up, and one that leaves ends it.
 * What refuses the first line refuses the request; a later failure cuts the body off, which its reader sees by the missing
 * trailer.
 */
export async function lineStream(
  lines: AsyncGenerator<string, void, undefined>,
): Promise<Readable> {
  const first = await lines.next();
  return Readable.from(piecesOf(first, lines), { objectMode: false, highWaterMark: 65_536 });
}

async function* piecesOf(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  if (first.done) return;
  yield Buffer.from(`${first.value}\n`);
  for await (const line of rest) yield Buffer.from(`${line}\n`);
}
