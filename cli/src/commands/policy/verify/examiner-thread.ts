import { parentPort, workerData } from 'node:worker_threads';
import { openPolicy } from '../policy-options.js';
import { type ThreadMessage } from '../worker-threads.js';
import { type Examination, examine } from './examine.js';
import { type ThreadTask } from './threads.js';

const { material, assignment } = workerData as ThreadTask; // set by threads.ts, which alone starts this thread

const result = await examine(await openPolicy(material), assignment, (questions, share) => {
  post({ questions, share });
});
post({ result });

function post(message: ThreadMessage<Examination>): void {
  parentPort?.postMessage(message);
}
