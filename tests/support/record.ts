import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Record {
  readonly url: string;
  /** What it says of each subject, by field. */
  readonly facts: Map<string, object>;
  /** Requests that it got, as they came. */
  readonly asked: { readonly authorization: string | undefined; readonly body: unknown }[];
  /** Answers instead, where it is set. */
  misbehave: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  close(): Promise<void>;
}

/** A system of record on loopback, as a bank would run one. */
export async function startRecord(): Promise<Record> {
  const facts = new Map<string, object>();
  const asked: Record["asked"] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { readonly subject: string };
      asked.push({ authorization: request.headers.authorization, body });
      if (record.misbehave !== null) return record.misbehave(request, response);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ fields: facts.get(body.subject) ?? {} }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const record: Record = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/facts`,
    facts,
    asked,
    misbehave: null,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return record;
}
