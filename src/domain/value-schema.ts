/** JSON Schemas that a field's value may have: closed and bounded, so that no free text gets into the store. */
export type ScalarSchema =
  | { readonly type: "boolean" }
  | {
      readonly type: "integer" | "number";
      readonly minimum: number;
      readonly maximum: number;
    }
  | { readonly type: "string"; readonly enum: readonly string[] }
  | {
      readonly type: "string";
      /** Anchored, of bounded parts: see `value-pattern.ts`. */
      readonly pattern: string;
      readonly maxLength: number;
    };

export type ValueSchema =
  | ScalarSchema
  | {
      readonly type: "array";
      readonly items: ScalarSchema;
      readonly maxItems: number;
    };

export type Scalar = string | number | boolean;
export type FieldValue = Scalar | readonly Scalar[];
