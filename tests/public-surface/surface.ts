import { sep } from "node:path";
import ts from "typescript";

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
  noEmit: true,
};

/**
 * What a user of the package can see: the exported names of an entry, and each declaration of ours that these
 * names reach, without comments, sorted. Types of other packages stay names.
 */
export function publicSurface(entry: string, root: string): string {
  const program = ts.createProgram([entry], OPTIONS);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const entryModule = source && checker.getSymbolAtLocation(source);
  if (!entryModule) throw new Error(`${entry} exports nothing`);

  const exported = checker.getExportsOfModule(entryModule);
  const reached = new Map<ts.Symbol, string>();
  const waiting = exported.map((symbol) => withoutAlias(symbol, checker));
  for (let symbol = waiting.pop(); symbol; symbol = waiting.pop()) {
    if (reached.has(symbol)) continue;
    const declarations = (symbol.declarations ?? []).filter((node) => isOurs(node, root));
    if (declarations.length === 0) continue;
    reached.set(symbol, declarations.map((node) => print(node, root)).join("\n"));
    waiting.push(...declarations.flatMap((node) => referencesIn(node, checker)));
  }
  const names = exported.map(({ name }) => name).sort();
  return [`exports: ${names.join(", ")}`, ...[...reached.values()].sort(), ""].join("\n\n");
}

function withoutAlias(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isOurs(node: ts.Node, root: string): boolean {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(root) && !fileName.includes("/node_modules/");
}

const printer = ts.createPrinter({ removeComments: true });

function print(node: ts.Node, root: string): string {
  const source = node.getSourceFile();
  const statement = ts.findAncestor(node, ts.isVariableStatement) ?? node;
  const from = source.fileName.slice(root.length).split(sep).join("/");
  return `// ${from}\n${printer.printNode(ts.EmitHint.Unspecified, statement, source)}`;
}

/** Symbols of top-level declarations that a node names. Members are printed with what declares them. */
function referencesIn(node: ts.Node, checker: ts.TypeChecker): readonly ts.Symbol[] {
  const found: ts.Symbol[] = [];
  const visit = (at: ts.Node): void => {
    const symbol = ts.isIdentifier(at) ? checker.getSymbolAtLocation(at) : undefined;
    const target = symbol && withoutAlias(symbol, checker);
    if (target?.declarations?.some(isTopLevel)) found.push(target);
    ts.forEachChild(at, visit);
  };
  visit(node);
  return found;
}

function isTopLevel(node: ts.Node): boolean {
  // A whole module, named by `import * as`: its members are referred to one by one.
  if (ts.isSourceFile(node)) return false;
  const statement = ts.findAncestor(node, ts.isVariableStatement) ?? node;
  return ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent);
}
