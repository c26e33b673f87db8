import { MunimentError, notFound } from "../domain/errors.js";
import type { TenantOptions } from "./options.js";

interface Missing {
  readonly message: string;
  readonly nextStep: string;
  /** Nothing else can be missing: this stands instead of whatever the service has said. */
  readonly isAll?: true;
}

/** The service says only that something isn't there, so that nobody learns what is others'. Who asked knows what it was. */
export async function orMissing<R>(asked: Promise<R>, missing: Missing): Promise<R> {
  try {
    return await asked;
  } catch (cause) {
    if (!(cause instanceof MunimentError) || cause.kind !== "not_found") throw cause;
    const { message, nextStep, isAll = false } = missing;
    // It has said more than that.
    if (!isAll && cause.message !== notFound().message) throw cause;
    throw new MunimentError("not_found", message, { nextStep, cause });
  }
}

export function noRoute(route: string, { tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `tenant ${tenant} has no route ${route}`,
    nextStep: `check --tenant and the route's name (muniment route list --tenant ${tenant}), or write it: muniment route apply <file>`,
    isAll: true,
  };
}

export function noRun({ tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `tenant ${tenant} has no such run`,
    nextStep: "check the run's id, --tenant and --workspace: muniment run start printed the id",
  };
}

export function noPack({ tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `tenant ${tenant} has no such pack`,
    nextStep: "check the pack's id, --tenant and --workspace: muniment assemble prints the id",
  };
}

export function noSubject(subject: string, { tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `nothing is kept for subject ${subject} of tenant ${tenant}`,
    nextStep: "check the subject, --tenant and --workspace",
  };
}

export function noErasure({ tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `tenant ${tenant} has no such erasure`,
    nextStep: "check the erasure's id and --tenant: muniment erase printed the id",
  };
}

export function noTarget(
  subject: string,
  scope: string,
  { tenant, workspace }: Pick<TenantOptions, "tenant" | "workspace">,
): Missing {
  return {
    message: `subject ${subject} of tenant ${tenant} has no such ${scope}`,
    nextStep: `check the subject, the ${scope}'s id and --workspace (${workspace}): muniment recall --json shows them in full`,
  };
}

export function noHold({ tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `tenant ${tenant} has no such hold`,
    nextStep: `see which there are: muniment hold list --tenant ${tenant}`,
  };
}

export function noCandidate({ tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `tenant ${tenant} has no such candidate`,
    nextStep: `see which wait: muniment candidate list --tenant ${tenant}`,
  };
}

export function noJob({ tenant }: Pick<TenantOptions, "tenant">): Missing {
  return {
    message: `tenant ${tenant} has no such job`,
    nextStep: `see which there are: muniment jobs list --tenant ${tenant}`,
  };
}
