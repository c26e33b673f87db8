import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import { z } from "zod";
import { isRepeatable } from "../domain/action.js";
import type { Door } from "./door.js";
import { PROBLEM_TYPE, PROBLEM_TYPES } from "./problem.js";

const problem = z.object({
  type: z.enum(PROBLEM_TYPES),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  next_step: z.string(),
  field: z.string().optional(),
  request_id: z.uuid(),
});

const repeatable = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("The same key and request answer with the first reply for a day"),
});

/** `/openapi.json`, made from the operations that are registered after it. */
export function registerOpenapi(app: FastifyInstance, version: string): void {
  app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Muniment", version, description: "Governed memory for AI agents" },
      components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
  });
  // The schemas describe. The services parse, strictly; nothing is coerced or left out on the way in or out.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (reply) => JSON.stringify(reply));
  app.register((scope, _options, done) => {
    scope.get("/openapi.json", { schema: { hide: true } as FastifySchema }, () => app.swagger());
    done();
  });
}

function paramsOf(path: string): z.ZodType {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, z.string()] as const);
  return z.object(Object.fromEntries(names));
}

/** How an operation stands in the description. */
export function schemaOf({ action, summary, path, query, body, status }: Door): FastifySchema {
  return {
    operationId: action,
    summary,
    ...(path.includes(":") ? { params: paramsOf(path) } : {}),
    ...(isRepeatable(action) ? { headers: repeatable } : {}),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    response: {
      [status]: z.looseObject({}),
      default: { content: { [PROBLEM_TYPE]: { schema: problem } } },
    },
  } as FastifySchema;
}
