// A noisy tenant in its own process: sends requests as fast as possible until it is stopped, then prints statistics.
// Standard input: {"origin": …, "connections": 64, "requests": [{method, path, headers, body}]}
import os from 'node:os';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';

// It shares the machine with what is measured; otherwise the quiet tenant would wait for this process, and not for Tenure.
os.setPriority(os.constants.priority.PRIORITY_LOW);
const { origin, connections, requests } = JSON.parse(await text(process.stdin));
const pool = new Pool(origin, { connections, pipelining: 1 });
const answers = {};
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});

const ask = async (index) => {
  const request = requests[index % requests.length];
  try {
    const { statusCode, body } = await pool.request({ ...request, body: request.body ?? null });
    await body.dump({ limit: 64 * 1024 * 1024 });
    return statusCode;
  } catch (error) {
    return error.code ?? error.name;
  }
};
const worker = async (first) => {
  for (let index = first; !isOver; index += 1) {
    const status = await ask(index);
    answers[status] = (answers[status] ?? 0) + 1;
  }
};
process.stdout.write('ready\n');
await Promise.all(Array.from({ length: connections }, (_, index) => worker(index)));
await pool.destroy();
process.stdout.write(`${JSON.stringify(answers)}\n`);
