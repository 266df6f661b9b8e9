import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from './lower-priority.js';
import { startReading } from './reading.js';
import { type ReaderData } from './thread-messages.js';

if (parentPort === null) throw new Error('this is the entry of a thread');
lowerPriority();
await startReading(parentPort, workerData as ReaderData); // given by thread-reader.ts, the only one who starts this
