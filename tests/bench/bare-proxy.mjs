// A proxy that does nothing else: http-proxy-middleware as its README shows it. `node bare-proxy.mjs PORT TARGET [HEADERS_FILE]`.
// HEADERS_FILE holds headers that the target demands; it is read again each second, not for each request.
import { readFileSync } from 'node:fs';
import { Agent, createServer } from 'node:http';
import { createProxyMiddleware } from 'http-proxy-middleware';

const [port, target, headersFile] = process.argv.slice(2);
const headers = {};
const refresh = () => Object.assign(headers, JSON.parse(readFileSync(headersFile, 'utf8')));
if (headersFile !== undefined) {
  refresh();
  setInterval(refresh, 1000);
}
const proxy = createProxyMiddleware({ target, agent: new Agent({ keepAlive: true }), headers });
createServer((request, response) => {
  void proxy(request, response, () => {
    response.statusCode = 404;
    response.end();
  });
}).listen(Number(port), '127.0.0.1');
