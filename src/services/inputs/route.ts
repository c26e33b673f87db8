import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { count, whole } from "./parse.js";

export const readRouteInput = z.strictObject({ version: whole(1).optional() });
export const listRoutesInput = z.strictObject({
  limit: count(LIMITS.pageRowsMax).default(50),
  cursor: z.string().max(2_048).optional(),
});
