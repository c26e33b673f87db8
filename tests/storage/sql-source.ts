import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { readText } from "../../src/storage/archive/archive-read.js";
import { writeText } from "../../src/storage/archive/archive-write.js";
import { SUBJECT_TABLES } from "../../src/storage/archive/tables.js";
import { readMigrations } from "../../src/storage/migrate.js";
import {
  readText as readSealedText,
  writeText as writeSealedText,
} from "../../src/storage/reseal/reseal-text.js";
import { SEALED_TABLES } from "../../src/storage/reseal/sealed-tables.js";
import { splitStatements } from "../../src/storage/split-statements.js";

const STORAGE = resolve(import.meta.dirname, "../../src/storage");

export interface SourceStatement {
  /** File below src/storage, and which of its statements. */
  readonly where: string;
  readonly text: string;
}

function withParameters(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return template.templateSpans.reduce(
    (text, span, index) => `${text}$${index + 1}${span.literal.text}`,
    template.head.text,
  );
}

function taggedIn(file: string): readonly SourceStatement[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const found: SourceStatement[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isTaggedTemplateExpression(node) &&
      ts.isIdentifier(node.tag) &&
      node.tag.text === "sql"
    ) {
      found.push({
        where: `${relative(STORAGE, file)} ${found.length + 1}`,
        text: withParameters(node.template).trim(),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

export function storageFiles(): readonly string[] {
  return readdirSync(STORAGE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(STORAGE, name));
}

/** Every statement that the service sends, with `$n` where its parameters go. */
export function readServiceStatements(): readonly SourceStatement[] {
  const archived = SUBJECT_TABLES.flatMap((table) => [
    { where: `archive, read of ${table.table}`, text: readText(table).text },
    { where: `archive, write of ${table.table}`, text: writeText(table).text },
  ]);
  const resealed = SEALED_TABLES.flatMap((table) => [
    { where: `reseal, read of ${table.table}`, text: readSealedText(table) },
    { where: `reseal, write of ${table.table}`, text: writeSealedText(table) },
  ]);
  return [...storageFiles().flatMap(taggedIn), ...archived, ...resealed];
}

export function readMigrationStatements(): readonly SourceStatement[] {
  return readMigrations().flatMap(({ name, text }) =>
    splitStatements(text).map((statement, index) => ({
      where: `${name} ${index + 1}`,
      text: statement,
    })),
  );
}
