import { Agent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

const OPTIONS = { keepAlive: true, maxFreeSockets: 256, scheduling: 'lifo' } as const;

/** Kept connections to one service; over TLS when its URL says so. */
export const createAgent = (baseUrl: string): Agent =>
  baseUrl.startsWith('https:') ? new HttpsAgent(OPTIONS) : new Agent(OPTIONS);
