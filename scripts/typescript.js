// `node --import ./scripts/typescript.js FILE.ts`
import { register } from "node:module";

register("./typescript-hooks.js", import.meta.url);
