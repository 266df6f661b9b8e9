import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from './adapters/readers/lower-priority.js';
import { type ReaderData } from './adapters/readers/thread-messages.js';
import { type InventoryConfig } from './config.js';
import { startReading } from './reading.js';

if (parentPort === null) throw new Error('this is the entry of a thread');
await startReading(parentPort, workerData as ReaderData<InventoryConfig>); // given by thread-reader.ts, the only one who starts this
// Not earlier: the inventory does not listen until its first reader is ready, and on a busy machine that took a minute.
lowerPriority();
