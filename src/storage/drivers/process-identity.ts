import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process, told apart from a later one with the same number. Null is what this platform doesn't say. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string | null;
  readonly bootId: string | null;
}

export type Liveness = "alive" | "dead" | "unclear";

function orNull(read: () => string): string | null {
  try {
    return read().trim() || null;
  } catch {
    return null;
  }
}

function say(command: string, ...parameters: readonly string[]): string {
  return execFileSync(command, parameters, {
    encoding: "utf8",
    timeout: 5_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function startTimeOf(pid: number): string | null {
  if (process.platform === "darwin")
    return orNull(() => say("ps", "-o", "lstart=", "-p", String(pid)));
  if (process.platform !== "linux") return null;
  // Field 22; the command's name in field 2 may hold spaces and brackets.
  return orNull(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });
}

function bootId(): string | null {
  if (process.platform === "darwin")
    return orNull(() => say("sysctl", "-n", "kern.bootsessionuuid"));
  if (process.platform !== "linux") return null;
  return orNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid), bootId: bootId() };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is there all the same.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Whether the process that left this identity still runs. Unclear where the platform can't tell. */
export function livenessOf(left: ProcessIdentity): Liveness {
  const boot = bootId();
  if (boot !== null && left.bootId !== null && boot !== left.bootId) return "dead";
  if (!exists(left.pid)) return "dead";
  const startTime = startTimeOf(left.pid);
  if (startTime === null || left.startTime === null) return "unclear";
  return startTime === left.startTime ? "alive" : "dead";
}
