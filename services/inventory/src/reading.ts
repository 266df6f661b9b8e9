import { performance } from 'node:perf_hooks';
import { type MessagePort } from 'node:worker_threads';
import { createLogger } from '@tenure/process';
import { watchContextKeys } from '@tenure/signed-context';
import { openCustodySigner } from './adapters/custody-signer-key.js';
import { inProcess } from './adapters/readers/answer-in-process.js';
import { readOnlyStores } from './adapters/readers/read-only-stores.js';
import {
  type ObservedCall,
  type ReaderData,
  type ReaderMessage,
} from './adapters/readers/thread-messages.js';
import { createApp } from './app.js';
import { type InventoryConfig } from './config.js';
import { openConfiguredStore } from './open-store.js';
import { type ListRequest } from './ports/list-readers.js';

/**
 * Answers requests from `port`, one at a time, from its own read-only store.
 * @throws Error when the store, or a key, cannot be read
 */
export async function startReading(
  port: MessagePort,
  data: ReaderData<InventoryConfig>,
): Promise<void> {
  const { config, isObserved } = data;
  const logger = createLogger('inventory', config.logLevel);
  // State of the current request: there is one at a time.
  const under: { calls: ObservedCall[]; wouldWrite: boolean } = { calls: [], wouldWrite: false };
  const { stores } = await openConfiguredStore(config, {
    isReadOnly: true,
    ...(isObserved && {
      observe: (...call: ObservedCall): void => {
        under.calls.push(call);
      },
    }),
  });
  // The main thread reads the same key files and logs their rotation.
  const quiet = logger.child({}, { level: 'error' });
  const answerOf = inProcess(
    createApp({
      stores: readOnlyStores(stores, () => {
        under.wouldWrite = true;
      }),
      keys: watchContextKeys(config.contextKeysDir, 'inventory', quiet),
      signer: openCustodySigner(config.custodyKeyFile),
      logger,
      now: () => new Date(),
      keepConductorsMs: config.conductorKeepSeconds * 1000,
      listBytes: config.listBytes,
      checkBmcAddress: () => Promise.reject(new Error('a reader writes no node')),
    }),
  );
  const post = (message: ReaderMessage, transferred: readonly ArrayBuffer[] = []): void => {
    port.postMessage(message, transferred);
  };
  const serve = async (request: ListRequest): Promise<void> => {
    const activeBefore = activeMs();
    Object.assign(under, { calls: [], wouldWrite: false });
    const { status, headers, body } = await answerOf(request);
    // A copy: the original may be part of Node's buffer pool, which cannot be transferred.
    const own = new Uint8Array(body);
    const { calls, wouldWrite } = under;
    // The main thread accepted this context: this thread has not read the newer keys yet.
    const isHandedBack = wouldWrite || status === 401;
    post(
      {
        kind: 'answer',
        answer: isHandedBack
          ? undefined
          : { status, headers, body: own, activeMs: activeMs() - activeBefore },
        calls,
      },
      isHandedBack ? [] : [own.buffer],
    );
  };
  port.on('message', (request: ListRequest) => {
    serve(request).catch((error: unknown) => {
      post({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' });
    });
  });
  post({ kind: 'ready' });
}

const activeMs = (): number => performance.eventLoopUtilization().active;
