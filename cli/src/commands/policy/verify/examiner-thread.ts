import { parentPort, workerData } from 'node:worker_threads';
import { openPolicy } from '../policy-options.js';
import { type ThreadMessage, type ThreadTask } from './crew.js';
import { examine } from './examine.js';

const { material, assignment } = workerData as ThreadTask; // given by crew.ts, the only one who starts this

const tell = (message: ThreadMessage): void => {
  parentPort?.postMessage(message);
};

const examination = await examine(await openPolicy(material), assignment, (questions, share) => {
  tell({ questions, share });
});
tell({ examination });
