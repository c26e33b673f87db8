import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { CorpusRules } from "../../domain/corpus.js";
import { MunimentError } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";

/** What describes a corpus, beside its documents. */
const FILE = "corpus.yaml";

const group = z.string().regex(/^[a-z][a-z_]{0,31}$/);
const readers = z.array(group).min(1);

const document = z.strictObject({
  title: z.string().min(1).max(200),
  /** When it was last right. */
  as_of: z.iso.date(),
  readers: readers.optional(),
  topic: z.string().min(1).max(128).optional(),
});

// Every key is required: a corpus that leaves one of these questions open isn't served.
const corpusFile = z.strictObject({
  corpus: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_./-]{0,127}$/),
  tenants: z.array(z.string().min(1)).min(1),
  /** Groups that may read its documents, where a document names no others. */
  readers,
  fresh_days: z.int().min(1).nullable(),
  citations: z.enum(["required", "optional"]),
  refuse_on_empty: z.boolean(),
  contradictions: z.enum(["newest", "show", "escalate"]),
  /** By file name. A file that isn't listed isn't served. */
  documents: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*\.(?:md|txt)$/), document),
});

export interface CorpusDocument {
  readonly name: string;
  readonly title: string;
  readonly asOf: Date;
  readonly readers: readonly string[];
  readonly topic: string | null;
  readonly text: string;
}

export interface Corpus {
  readonly rules: CorpusRules;
  readonly tenants: readonly string[];
  readonly documents: readonly CorpusDocument[];
}

/** Every folder below that has a `corpus.yaml`. Throws where one says too little, or lists a document that isn't there. */
export async function readCorpora(dir: string): Promise<readonly Corpus[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const corpora: Corpus[] = [];
  for (const folder of folders.sort()) corpora.push(await readCorpus(dir, folder));
  const names = corpora.map(({ rules }) => rules.corpus);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw unusable("two folders", "have one corpus name");
  return corpora;
}

async function readCorpus(dir: string, folder: string): Promise<Corpus> {
  const at = join(dir, folder);
  const file = join(folder, FILE);
  const given = corpusFile.safeParse(parse(await readText(join(at, FILE), file)));
  if (!given.success) {
    const [issue] = given.error.issues;
    throw unusable(file, `isn't complete: \`${issue?.path.map(String).join(".")}\``);
  }
  const { tenants, readers: all, documents: listed, ...rules } = given.data;
  const names = Object.entries(listed);
  if (names.length > LIMITS.corpusDocumentsMax)
    throw unusable(file, `lists more than ${LIMITS.corpusDocumentsMax} documents`);
  const documents: CorpusDocument[] = [];
  for (const [name, { title, as_of, readers: own, topic }] of names) {
    const text = await readText(join(at, name), join(folder, name));
    if (text.length > LIMITS.corpusDocumentCharsMax)
      throw unusable(
        join(folder, name),
        `is longer than ${LIMITS.corpusDocumentCharsMax} characters`,
      );
    const asOf = new Date(`${as_of}T00:00:00Z`);
    documents.push({ name, title, asOf, readers: own ?? all, topic: topic ?? null, text });
  }
  return { rules, tenants, documents };
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).toWellFormed();
  } catch (cause) {
    throw unusable(shown, "can't be read", cause);
  }
}

function unusable(what: string, problem: string, cause?: unknown): MunimentError {
  return new MunimentError("unavailable", `corpora: ${what} ${problem}`, { cause });
}
