import { type Answer } from '../../support/http-client.js';
import { newProject, type Persona, systemAdmin } from '../../support/personas.js';
import { recordedServer, revisionOf } from '../../support/recorded-server.js';
import { startStubOpenStack } from '../../support/stub-openstack.js';
import { startTenure, type Tenure } from '../../support/tenure.js';
import { type Caller, type Operation } from './table.js';

/** The owner of every server of the table. */
export const PROJECT = newProject('servers');
const someone = (user: string, project: string, role: string): Persona => ({
  user,
  scope: { project },
  roles: [role],
});

/** Everybody who asks in the table. */
export const PERSONAS: Readonly<Record<Caller, Persona>> = {
  creator: someone('ann', PROJECT, 'member'),
  colleague: someone('ben', PROJECT, 'member'),
  'project admin': someone('cat', PROJECT, 'admin'),
  'other project': someone('ann', newProject('elsewhere'), 'admin'),
  'system admin': systemAdmin,
  'no user_id': someone('ann', PROJECT, 'member'),
};

/** A Tenure with something that serves servers. */
export interface Cloud {
  readonly tenure: Tenure;
  /** A new server of the project; its id. */
  readonly server: (creator: string | null) => Promise<string>;
  /** Grows with whatever happens to a server: with each request that reaches Nova, or with each write of ours. */
  readonly traces: (id: string) => Promise<number>;
  /** Whether this is what the upstream answers when it was allowed to act. */
  readonly isServed: (answer: Answer, operation: Operation) => boolean;
  readonly stop: () => Promise<void>;
}

/** The creator of the server in the request. */
export const creatorFor = (caller: Caller): string | null =>
  caller === 'no user_id' ? null : 'ann';

/** A stub in the place of a real Nova, behind `NOVA_URL`. */
export async function startStubCloud(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<Cloud> {
  const stub = await startStubOpenStack();
  const tenure = await startTenure(name, { ...stub.settings, ...settings });
  return {
    tenure,
    server: (creator) => Promise.resolve(stub.add({ tenant_id: PROJECT, user_id: creator })),
    traces: (id) => {
      const about = stub.reached.filter(({ target }) => target.includes(id));
      if (about.some(({ hasContext, token }) => hasContext || token === undefined))
        throw new Error('a request reached Nova with our context, or without a token');
      return Promise.resolve(about.length);
    },
    isServed: ({ status }, { ok }) => status === ok,
    stop: async () => {
      await tenure.stop();
      await stub.stop();
    },
  };
}

/** The compute service of Tenure. Its servers are recorded as it records them, with machines that do not exist. */
export async function startOwnCloud(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<Cloud> {
  const tenure = await startTenure(name, settings);
  return {
    tenure,
    server: (creator) => recordedServer(tenure, PROJECT, creator),
    traces: (id) => revisionOf(tenure, id),
    isServed: ({ status }, { own }) => status === own,
    stop: () => tenure.stop(),
  };
}
