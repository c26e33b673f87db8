import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const SRC = resolve(import.meta.dirname, "../../src");

/** A declaration at the top of a file, and those that it names. */
interface Declaration {
  readonly text: string;
  readonly uses: Set<Declaration>;
}

/**
 * Which operations can write to which table: who governs an action and names, by however many steps, a statement that
 * inserts there, or replaces what is sealed there. Read from the source, so that a new writer can't be overlooked.
 */
export function writersOf(table: string): readonly string[] {
  const declarations = readDeclarations();
  const usedBy = new Map<Declaration, Declaration[]>();
  for (const declaration of declarations)
    for (const used of declaration.uses)
      usedBy.set(used, [...(usedBy.get(used) ?? []), declaration]);
  const inserting = new RegExp(
    `insert into muniment\\.${table}\\b|update muniment\\.${table}\\b[^;\`]*? \\w+_sealed = `,
  );
  const todo = declarations.filter(({ text }) => inserting.test(text));
  const seen = new Set(todo);
  const actions = new Set<string>();
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const governed = [...next.text.matchAll(/\b\w+\(\s*services,\s*caller,\s*"([a-z_]+)"/g)].map(
      ([, name]) => name,
    );
    for (const action of governed) actions.add(String(action));
    // Whoever calls an operation asks for its permit, and is no writer of its own.
    if (governed.length > 0) continue;
    for (const user of usedBy.get(next) ?? []) {
      if (seen.has(user)) continue;
      seen.add(user);
      todo.push(user);
    }
  }
  return [...actions].sort();
}

function readDeclarations(): readonly Declaration[] {
  const files = ["services", "storage/queries"].flatMap((folder) =>
    readdirSync(join(SRC, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => join(SRC, folder, name)),
  );
  const texts = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
  const known = new Map([...texts].map(([file, text]) => [file, topOf(text)]));
  for (const [file, text] of texts) {
    const visible = new Map(known.get(file));
    for (const [name, from] of importsOf(file, text)) {
      const declaration = known.get(from.file)?.get(from.name);
      if (declaration !== undefined) visible.set(name, declaration);
    }
    for (const declaration of known.get(file)?.values() ?? [])
      for (const [name, other] of visible)
        if (other !== declaration && new RegExp(`\\b${name}\\b`).test(declaration.text))
          declaration.uses.add(other);
  }
  return [...known.values()].flatMap((declarations) => [...declarations.values()]);
}

/** What a file declares at its top, by name. */
function topOf(text: string): ReadonlyMap<string, Declaration> {
  const starts = [...text.matchAll(/^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/gm)];
  return new Map(
    starts.map((start, at) => [
      String(start[1]),
      { text: text.slice(start.index, starts[at + 1]?.index), uses: new Set() },
    ]),
  );
}

function* importsOf(
  file: string,
  text: string,
): Generator<[string, { readonly file: string; readonly name: string }]> {
  for (const [, names = "", path = ""] of text.matchAll(
    /^import \{([^}]*)\} from "(\.[^"]+)\.js";/gm,
  ))
    for (const part of names.split(",").map((name) => name.trim())) {
      if (part === "" || part.startsWith("type ")) continue;
      const [name = "", alias = name] = part.split(" as ");
      yield [alias, { file: resolve(dirname(file), `${path}.ts`), name }];
    }
}
