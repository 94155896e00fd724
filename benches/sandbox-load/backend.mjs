// A server with openapi-backend: it validates each request with the document, and replies 200 without a body.
// Usage: node backend.mjs DOCUMENT PORT
import { createServer } from "node:http";
import { OpenAPIBackend } from "openapi-backend";

const [document, port] = process.argv.slice(2);
const refuse = (status) => ({ validation }, _, response) => {
  response.writeHead(status).end(JSON.stringify(validation?.errors ?? null));
};
// The document itself is validated elsewhere.
const api = new OpenAPIBackend({ definition: document, quick: true });
api.register({
  notImplemented: (_context, _, response) => response.end(),
  validationFail: refuse(400),
  notFound: refuse(404),
  methodNotAllowed: refuse(405),
});
await api.init();

createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part) => (body += part));
  request.on("end", () => {
    const { method, url: path, headers } = request;
    api.handleRequest({ method, path, headers, body }, request, response);
  });
}).listen(Number(port), "127.0.0.1");
