// Validators of JSON Schema, for validate.mjs.

import { Validator as Cfworker } from "@cfworker/json-schema";
import { validator as schemasafe } from "@exodus/schemasafe";
import * as hyperjump from "@hyperjump/json-schema/draft-2020-12";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import Djv from "djv";
import isMyJsonValid from "is-my-json-valid";
import { compileSchema } from "json-schema-library";
import { jsonSchemaToZod } from "json-schema-to-zod";
import { Validator as Jsonschema } from "jsonschema";
import { Compile } from "typebox/schema";
import ZSchema from "z-schema";
import * as z from "zod";

/** Messages that Ajv's strict mode would only log, which are errors too. */
export const warnings = [];

const strict = (name) => {
  const complain = (...words) => warnings.push(`${name}: ${words.join(" ")}`);
  return { strict: true, allErrors: true, logger: { log: complain, warn: complain, error: complain } };
};

/** For validators that return a verdict, and keep the errors in a property of the function. */
const withErrors = (validate) => (body) => ({ valid: validate(body), errors: validate.errors });
const withAjv = (ajv) => (schema) => withErrors(ajv.compile(schema));
const withZod = (validate) => (body) => {
  const { success, error } = validate.safeParse(body);
  return { valid: success, errors: error?.issues };
};
const withZSchema = (schema) => {
  const validator = new ZSchema();
  return (body) => ({ valid: validator.validate(body, schema), errors: validator.getLastErrors() });
};

const ajv07 = () => withAjv(new Ajv(strict("Ajv as draft-07")));
const withoutDialect = (compile) => ({ $schema, ...schema }) => compile(schema);

/** Functions that convert a schema to a function, which returns whether a body is valid, and what is wrong. */
export const validators = {
  "Ajv": withAjv(new Ajv2020(strict("Ajv"))),
  "Ajv as draft-07": withoutDialect(ajv07()),
  "Ajv as draft-07 with $schema": ajv07(),
  "@cfworker/json-schema": (schema) => {
    const validator = new Cfworker(schema);
    return (body) => validator.validate(body);
  },
  "@hyperjump/json-schema": async (schema) => {
    hyperjump.registerSchema(schema);
    const validate = await hyperjump.validate(schema.$id);
    return (body) => validate(body, "BASIC");
  },
  "@exodus/schemasafe": (schema) => withErrors(schemasafe(schema, { includeErrors: true })),
  "djv": (schema) => {
    const environment = new Djv();
    environment.addSchema("body", schema);
    return (body) => {
      const errors = environment.validate("body", body);
      return { valid: errors === undefined, errors };
    };
  },
  "is-my-json-valid": (schema) => withErrors(isMyJsonValid(schema)),
  "json-schema-library": (schema) => {
    const compiled = compileSchema(schema);
    return (body) => {
      const { valid, errors } = compiled.validate(body);
      return { valid, errors: errors.map((error) => error.message) };
    };
  },
  "jsonschema": (schema) => {
    const validator = new Jsonschema();
    return (body) => {
      const { valid, errors } = validator.validate(body, schema);
      return { valid, errors: errors.map((error) => error.stack) };
    };
  },
  "typebox": (schema) => {
    const compiled = Compile(schema);
    return (body) => ({ valid: compiled.Check(body) });
  },
  "z-schema": withoutDialect(withZSchema),
  "z-schema with $schema": withZSchema,
  "zod": (schema) => withZod(z.fromJSONSchema(schema)),
  "json-schema-to-zod": (schema) => withZod(new Function("z", `return ${jsonSchemaToZod(schema)}`)(z)),
};

/** Those with verdicts that differ from the vectors, as the page of the language says, and what such a verdict is. */
export const different = {
  "Ajv as draft-07 with $schema": /^error \(no schema with key or ref .*2020-12\/schema"\)$/,
  "z-schema with $schema": /^invalid \(\[\{"code":"UNRESOLVABLE_REFERENCE","params":\["[^"]*2020-12\/schema"\]/,
  "json-schema-to-zod": /^valid$/,
};
