import { Agent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { KEPT_IDLE_MS } from '@tenure/process';

const OPTIONS = {
  keepAlive: true,
  maxFreeSockets: 256,
  scheduling: 'lifo',
  // Closes idle sockets after this time; sockets in use are not affected.
  timeout: KEPT_IDLE_MS,
} as const;

/** Keep-alive connections to one service, over TLS for an https URL. */
export const createAgent = (baseUrl: string): Agent =>
  baseUrl.startsWith('https:') ? new HttpsAgent(OPTIONS) : new Agent(OPTIONS);
