import { fileURLToPath } from "node:url";

/** Folder of the project, with a separator at its end. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Folder for what can be made again. */
export const CACHE = fileURLToPath(new URL("../.cache/", import.meta.url));
