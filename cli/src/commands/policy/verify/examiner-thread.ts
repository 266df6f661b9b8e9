import { parentPort, workerData } from 'node:worker_threads';
import { type ThreadMessage } from '../crew.js';
import { openPolicy } from '../policy-options.js';
import { type ThreadTask } from './crew.js';
import { type Examination, examine } from './examine.js';

const { material, assignment } = workerData as ThreadTask; // given by crew.ts, the only one who starts this

const result = await examine(await openPolicy(material), assignment, (questions, share) => {
  tell({ questions, share });
});
tell({ result });

function tell(message: ThreadMessage<Examination>): void {
  parentPort?.postMessage(message);
}
