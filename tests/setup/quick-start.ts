/**
 * For a process that a test starts: V8 then leaves WebAssembly as it compiled it at first. To optimise what the start of a
 * database makes hot takes longer than all that most of these processes have to do, and changes nothing of what they do.
 */
export const QUICK_START = ["--liftoff-only"] as const;
