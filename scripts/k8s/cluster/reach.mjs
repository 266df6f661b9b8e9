// Prints which ports a pod reaches: run in each, it shows what the network policies let through.
// Usage: node -e "$(cat reach.mjs)" NAME:PORT…
import net from 'node:net';

const DEADLINE_MS = 1500;

const tryTo = (target) =>
  new Promise((resolve) => {
    const [host, port] = target.split(':');
    const socket = net.connect({ host, port: Number(port) });
    const end = (how) => {
      socket.destroy();
      resolve([target, how]);
    };
    socket.setTimeout(DEADLINE_MS, () => end('no answer'));
    socket.once('connect', () => end('open'));
    socket.once('error', (error) => end(error.code));
  });

const found = await Promise.all(process.argv.slice(1).map(tryTo));
console.log(JSON.stringify(Object.fromEntries(found)));
