import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type ReaderData } from '../adapters/readers/thread-messages.js';
import { type InventoryConfig } from '../config.js';
import { startReading } from '../reading.js';

// While the file `block` exists, this reader is busy, as with an endless list. It creates the file `blocked` meanwhile.
if (parentPort === null) throw new Error('this is the entry of a thread');
const data = workerData as ReaderData<InventoryConfig>; // given by thread-reader.ts
const blocked = path.join(data.config.dataDir, 'block');
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

parentPort.on('message', () => {
  if (existsSync(blocked)) writeFileSync(path.join(data.config.dataDir, 'blocked'), '');
  while (existsSync(blocked)) Atomics.wait(never, 0, 0, 5);
});
await startReading(parentPort, data);
