import type { Report, Row } from "./report.js";

/** The report for people. */
export function tableOf(report: Report): string {
  const { machine, select1, durable_insert: durable } = report;
  return [
    Object.entries(machine)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(", "),
    ...report.notes.map((note) => `- ${note}`),
    "",
    `select1 ${select1.p50} ms, durable_insert ${durable.p50} ms (16 workers: ${report.durable_insert_c16.p50} ms)`,
    "",
    line("operation", "system", "c", "n", "p50 ms", "p95", "p99", "per s", "trips", "x insert"),
    ...report.rows.map(rowLine),
    "",
    ...report.goals.map(
      ({ goal, bound, measured, ok }) =>
        `${ok ? "met   " : "MISSED"} ${goal} ${bound}: ${measured}`,
    ),
    "",
  ].join("\n");
}

function rowLine(row: Row): string {
  return line(
    row.name,
    row.system,
    row.c,
    row.n,
    row.p50.toFixed(2),
    row.p95.toFixed(2),
    row.p99.toFixed(2),
    row.per_s.toFixed(0),
    row.round_trips ?? "-",
    row.x_durable_insert.toFixed(2),
  );
}

function line(name: string, system: string, ...figures: readonly (string | number)[]): string {
  return [
    name.padEnd(20),
    system.padEnd(10),
    ...figures.map((one) => String(one).padStart(8)),
  ].join(" ");
}
