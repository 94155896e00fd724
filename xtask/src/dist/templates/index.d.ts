/**
 * The interface of the Business Data Connector Service: its document, JSON Schemas, test vectors and types.
 *
 * An operation is named as in the document, such as `push_income`; `callback` stands for the body of a callback.
 */

export type * from "./types.js";

/** A body with the expected verdict. */
export interface Vector {
  operation: string | null;
  why: string;
  valid: boolean;
  /** JSON.parse has read its numbers: to keep every digit, read the file in `vectors/` with lossless-json. */
  body: unknown;
}

/** What the index says about an operation, or about callbacks. */
export interface Entry {
  /** The path of its schema, relative to `schemas/`. */
  schema: string;
  /** The path of its vectors, relative to `schemas/`. */
  vectors: string;
  [key: string]: unknown;
}

export interface Index {
  operations: Record<string, Entry & { path: string }>;
  callbacks: Entry;
  [key: string]: unknown;
}

/** The folder with the files, which README.md in it describes. */
export declare const folder: URL;

/** The index: for each operation its path, header, schema, and vectors; likewise for records and callbacks. */
export declare function index(): Index;

/** The JSON Schema of the body of an operation. */
export declare function schema(operation: string): Record<string, unknown>;

/** Valid and invalid bodies of an operation. */
export declare function vectors(operation: string): Vector[];
