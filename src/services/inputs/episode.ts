import { z } from "zod";
import { name } from "./parse.js";

export const closeSessionInput = z.strictObject({
  /** False for a session that leaves no episode. */
  compress: z.boolean().default(true),
  /** How the application classes what was talked about. */
  data_class: name.optional(),
});
