// Teaches Redocly that `x-callback-response` refers to a schema, so that it resolves the reference and counts it as a
// use.
export default () => ({
  id: "connector",
  typeExtension: {
    oas3: ({ Operation, ...types }) => ({
      ...types,
      Operation: { ...Operation, properties: { ...Operation.properties, "x-callback-response": "Schema" } },
    }),
  },
});
