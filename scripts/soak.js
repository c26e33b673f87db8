import { main } from "./main.js";
import { runTool } from "./tool.js";

await main(() => runTool("soak"));
