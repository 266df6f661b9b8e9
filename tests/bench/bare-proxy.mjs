// A proxy that does nothing else: http-proxy-middleware as its README shows it. `node bare-proxy.mjs PORT TARGET`.
import { createServer } from 'node:http';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { Agent } from 'node:http';

const [port, target] = process.argv.slice(2);
const proxy = createProxyMiddleware({ target, agent: new Agent({ keepAlive: true }) });
createServer((request, response) => {
  void proxy(request, response, () => {
    response.statusCode = 404;
    response.end();
  });
}).listen(Number(port), '127.0.0.1');
