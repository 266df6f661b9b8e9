import { StubAgent } from '../../services/conductor/src/testing/stub-agent.js';
import { askLatest } from './http-client.js';
import { type Tenure } from './tenure.js';

/**
 * What runs on a machine that was booted from the agent's image: it finds its node by its network card, and reports until
 * it is stopped, as ironic-python-agent does. Its commands are carried out as soon as they are given.
 */
export class MachineAgent {
  readonly stub = new StubAgent();
  readonly #tenure: Tenure;
  readonly #mac: string;
  #token: string | undefined;
  #uuid = '';

  constructor(tenure: Tenure, mac: string) {
    this.#tenure = tenure;
    this.#mac = mac;
    this.stub.isQuick = true;
  }

  /** Looks its node up, as after each boot: what an earlier boot was told is gone. Returns the HTTP status. */
  async boot(): Promise<number> {
    await this.stub.listen();
    const answer = await askLatest(this.#tenure, null, `GET /v1/lookup?addresses=${this.#mac}`);
    if (answer.status !== 200) return answer.status;
    // what a lookup answers
    const found = answer.json as {
      readonly node: { readonly uuid: string };
      readonly config: { readonly agent_token: string };
    };
    this.#uuid = found.node.uuid;
    this.#token = found.config.agent_token;
    return answer.status;
  }

  /** Reports once. Returns the HTTP status. */
  async heartbeat(token = this.#token): Promise<number> {
    const answer = await askLatest(this.#tenure, null, `POST /v1/heartbeat/${this.#uuid}`, {
      callback_url: this.stub.url,
      agent_version: '13.0.0',
      agent_token: token ?? null,
    });
    return answer.status;
  }

  stop(): Promise<void> {
    return this.stub.close();
  }
}
