import { Agent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { KEPT_IDLE_MS } from '@tenure/process';

const OPTIONS = {
  keepAlive: true,
  maxFreeSockets: 256,
  scheduling: 'lifo',
  // Closes sockets that are free for so long; on those in use it has no effect.
  timeout: KEPT_IDLE_MS,
} as const;

/** Kept connections to one service; over TLS when its URL says so. */
export const createAgent = (baseUrl: string): Agent =>
  baseUrl.startsWith('https:') ? new HttpsAgent(OPTIONS) : new Agent(OPTIONS);
