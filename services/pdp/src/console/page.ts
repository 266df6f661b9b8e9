import { type Html } from './html.js';

/** One page of the console: for people, and as a document for programs. */
export interface Page {
  readonly title: string;
  /** The part of the console that it belongs to. */
  readonly path: string;
  readonly body: Html;
  readonly document: unknown;
  readonly status?: number;
  /** Seconds after which a browser without scripts loads it again. */
  readonly refresh?: number;
}

export const PATH = '/console';
export const PATHS = {
  decisions: `${PATH}/decisions`,
  live: `${PATH}/live`,
  liveEvents: `${PATH}/live/events`,
  matrix: `${PATH}/matrix`,
  cell: `${PATH}/matrix/cell`,
  whatIf: `${PATH}/what-if`,
  policy: `${PATH}/policy`,
  login: `${PATH}/login`,
  logout: `${PATH}/logout`,
  style: `${PATH}/console.css`,
  script: `${PATH}/console.js`,
} as const;
