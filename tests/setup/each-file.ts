import { closeAfterFile } from "./after-file.js";

// Vitest runs this before each file, in whatever process.
closeAfterFile();
