import { readVolume } from '../../services/conductor/src/domain/boot-iso/iso-volume.js';
import { isoImage, SECTOR } from '../../services/conductor/src/domain/iso9660.js';
import { StubAgent } from '../../services/conductor/src/testing/stub-agent.js';
import { type StubBmc } from '../../services/conductor/src/testing/stub-bmc.js';
import { askLatest } from './http-client.js';
import { type Tenure } from './tenure.js';

const CONFIGURATION = '/boot/grub/grub.cfg';

/**
 * The agent on a machine that was booted from the medium in its drive: it has its secret from its kernel's command line,
 * finds its node by its network card, and reports until it is stopped, as ironic-python-agent does. Its commands are carried
 * out as soon as they are given.
 */
export class MachineAgent {
  readonly stub = new StubAgent();
  readonly #tenure: Tenure;
  readonly #mac: string;
  readonly #bmc: StubBmc;
  #token: string | undefined;
  #uuid = '';

  constructor(tenure: Tenure, mac: string, bmc: StubBmc) {
    this.#tenure = tenure;
    this.#mac = mac;
    this.#bmc = bmc;
    this.stub.isQuick = true;
  }

  /** Address of the medium in the drive. */
  get medium(): string {
    return this.#bmc.machine.drives['Cd']?.image ?? '';
  }

  /** Reads the medium, and looks the node up: the state of an earlier boot is lost. Returns the HTTP status of the lookup. */
  async boot(): Promise<number> {
    await this.stub.listen();
    const image = Buffer.from(await (await fetch(this.medium)).arrayBuffer());
    this.#token = (await parametersIn(image)).get('ipa-agent-token');
    const answer = await askLatest(this.#tenure, null, `GET /v1/lookup?addresses=${this.#mac}`);
    if (answer.status !== 200) return answer.status;
    // what a lookup answers
    const found = answer.json as {
      readonly node: { readonly uuid: string };
      readonly config: { readonly agent_token: string };
    };
    if (found.config.agent_token !== '******') throw new Error('a secret was handed out');
    this.#uuid = found.node.uuid;
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

/** An image as an operator makes it: a boot loader, a kernel, and an agent that knows nothing of its node. */
export const agentImage = (): Buffer =>
  isoImage('AGENT', {
    boot: {
      grub: { 'grub.cfg': 'menuentry "agent" {\n  linux /vmlinuz quiet\n  initrd /initrd\n}\n' },
    },
    vmlinuz: 'a kernel',
    initrd: 'an agent',
  });

/** The kernel command line of a boot from an image. */
async function parametersIn(image: Buffer): Promise<ReadonlyMap<string, string>> {
  const { files } = await readVolume({
    size: image.length,
    read: (at, length) => Promise.resolve(image.subarray(at, at + length)),
  });
  const found = files.find(({ paths }) => paths.includes(CONFIGURATION));
  if (found === undefined) throw new Error('the image does not boot');
  const at = found.sector * SECTOR;
  const [, line = ''] =
    /^\s*linux (.*)$/mu.exec(image.toString('latin1', at, at + found.bytes)) ?? [];
  return new Map(
    line.split(' ').map((word) => {
      const [name = '', ...rest] = word.split('=');
      return [name, rest.join('=')];
    }),
  );
}
