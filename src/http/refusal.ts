import type { FastifyRequest } from "fastify";
import { codeOf, MunimentError } from "../domain/errors.js";
import { invalid } from "../domain/fields.js";
import { refuseEarly } from "../services/govern.js";
import type { Services } from "../services/services.js";

/** What the web framework refuses by itself, in our kinds. Its messages aren't shown: some repeat the input. */
export function fromFramework(error: unknown): MunimentError {
  if (error instanceof MunimentError) return error;
  switch (codeOf(error)) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new MunimentError("too_large", "the body is too large", { field: "body" });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return invalid("content-type", "must be application/json");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalid("content-length", "isn't the length of the body");
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return invalid("path", "isn't a path of this service");
    case "ECONNRESET":
      return invalid("body", "ended too early");
    default:
      return new MunimentError("internal", "something went wrong on our side", { cause: error });
  }
}

/** Turns what a request ended in into its refusal, and audits it where no service has done so. */
export async function refusalOf(
  services: Services,
  request: FastifyRequest,
  error: unknown,
): Promise<MunimentError> {
  const refusal = fromFramework(error);
  const { door } = request.routeOptions.config;
  if (!request.auditOwed || request.caller === null || door === undefined) return refusal;
  request.auditOwed = false;
  try {
    return await refuseEarly(services, request.caller, door.action, refusal);
  } catch (cause) {
    return new MunimentError("unavailable", "the refusal could not be audited, try again later", {
      cause,
    });
  }
}
