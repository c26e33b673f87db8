/** True where the operator wants to see the stacks of errors. */
export function showsStacks(): boolean {
  const level = process.env.MUNIMENT_LOG_LEVEL;
  return level === "debug" || level === "trace";
}
