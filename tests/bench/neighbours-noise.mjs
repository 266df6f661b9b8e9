// A noisy tenant in its own process: sends requests as fast as possible until it is stopped, then prints statistics.
// Standard input: {"origin": …, "connections": 64, "requests": [{method, path, headers, body}]}
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';

const { origin, connections, requests } = JSON.parse(await text(process.stdin));
const pool = new Pool(origin, { connections, pipelining: 1 });
const answers = {};
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});

const ask = async (turn) => {
  const request = requests[turn % requests.length];
  try {
    const { statusCode, body } = await pool.request({ ...request, body: request.body ?? null });
    await body.dump({ limit: 64 * 1024 * 1024 });
    return statusCode;
  } catch (error) {
    return error.code ?? error.name;
  }
};
const worker = async (first) => {
  for (let turn = first; !isOver; turn += 1) {
    const status = await ask(turn);
    answers[status] = (answers[status] ?? 0) + 1;
    // A client that retries at once after an immediate refusal would measure its own event loop.
    if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
process.stdout.write('ready\n');
await Promise.all(Array.from({ length: connections }, (_, index) => worker(index)));
await pool.destroy();
process.stdout.write(`${JSON.stringify(answers)}\n`);
