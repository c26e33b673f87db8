/**
 * An expectation of a statement (`muniment.require`) that didn't hold. The transaction was rolled back.
 * The service turns the code into a refusal.
 */
export class Unmet extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`expectation not met: ${code}`);
    this.name = "Unmet";
    this.code = code;
  }
}
