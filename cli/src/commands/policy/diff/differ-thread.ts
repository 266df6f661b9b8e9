import { parentPort, workerData } from 'node:worker_threads';
import { openPolicy } from '../policy-options.js';
import { type ThreadMessage } from '../worker-threads.js';
import { compare, type Comparison } from './compare.js';
import { type DiffTask } from './differ.js';
import { modelOf } from './model.js';

const { materials, actions, settings } = workerData as DiffTask; // given by differ.ts, the only one who starts this

const policies = [await openPolicy(materials[0]), await openPolicy(materials[1])] as const;
const model = modelOf(...policies, actions);
const result = await compare(policies, model, settings, (questions, share) => {
  post({ questions, share });
});
post({ result });

function post(message: ThreadMessage<Comparison>): void {
  parentPort?.postMessage(message);
}
