// The upstream of both sides of the proxy benchmark. `node upstream.mjs PORT INVENTORY_ORIGIN NODE_JSON_FILE`:
// /internal/… goes to the real inventory (the gateway asks it for tenancy), everything else is the recorded node.
import { readFileSync } from 'node:fs';
import { Agent, createServer, request as ask } from 'node:http';

const [port, inventory, file] = process.argv.slice(2);
const node = readFileSync(file);
const agent = new Agent({ keepAlive: false });
const server = createServer((request, response) => {
  if (request.url.startsWith('/internal/')) {
    const forwarded = ask(
      inventory + request.url,
      { method: request.method, headers: request.headers, agent },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': node.length });
  response.end(node);
});
// Longer than a round of the other side, so that no connection goes stale in between.
server.keepAliveTimeout = 65_000;
server.listen(Number(port), '127.0.0.1');
