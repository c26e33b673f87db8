const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves at the first signal to stop. A second one ends the process at once, as it would without us. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}
