import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineIn } from '@tenure/process';
import { agentImageOf, checkedAgentImage } from '../../domain/agent-image.js';
import { agentBootRecordOf } from '../../domain/agent.js';
import { agentParameters } from '../../domain/boot-iso/agent-parameters.js';
import { bootOverlay } from '../../domain/boot-iso/boot-overlay.js';
import { type ByteSource } from '../../domain/boot-iso/byte-source.js';
import { type BootMedium, bootMediumPath, isBootKey } from '../../domain/boot-key.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { unlessRefused } from '../../domain/refused.js';
import { type BootMedia } from '../../ports/boot-media.js';
import { type ImageCache } from './image-cache.js';

/** A medium as it is handed to a machine. */
interface OpenMedium {
  readonly image: ByteSource;
  /** The same as long as the image is the same. */
  readonly id: string;
}

export interface BootMediaOptions {
  readonly cache: ImageCache;
  /** Where machines reach the media: `http(s)://host[:port]`. */
  readonly mediaUrl: () => string;
  /** Where agents reach the API; undefined when their images say it. */
  readonly apiUrl: string | undefined;
  /** The node as it is now. @throws AppError */
  readonly nodeOf: (uuid: string) => Promise<NodeRecord>;
}

/** The media of this conductor's group, and the side from which machines read them. */
export interface ServedBootMedia extends BootMedia {
  /**
   * The medium that a machine asks for.
   * @returns undefined when there is none, or its boot does not count any more
   * @throws AppError, DriverFailure when that cannot be found out just now
   */
  readonly find: (medium: BootMedium) => Promise<OpenMedium | undefined>;
}

/** Media of boots that are kept ready. */
const MAX_READY = 256;
/** Timeout for fetching the image of a boot again while its machine waits, milliseconds. */
const ANEW_MS = 600_000;

/** Media with the secrets of boots in them, ready to be read. */
class ReadyMedia {
  readonly #media = new Map<string, OpenMedium>();

  get(id: string): OpenMedium | undefined {
    const found = this.#media.get(id);
    // Used last, dropped last.
    if (found !== undefined) this.#media.delete(id);
    if (found !== undefined) this.#media.set(id, found);
    return found;
  }

  keep(medium: OpenMedium): OpenMedium {
    this.#media.set(medium.id, medium);
    const [oldest] = this.#media.keys();
    if (this.#media.size > MAX_READY && oldest !== undefined) this.#media.delete(oldest);
    return medium;
  }
}

export function createBootMedia({
  cache,
  mediaUrl,
  apiUrl,
  nodeOf,
}: BootMediaOptions): ServedBootMedia {
  const ready = new ReadyMedia();

  const made = async (node: NodeRecord, deadline: Deadline): Promise<OpenMedium | undefined> => {
    const boot = agentBootRecordOf(node);
    const parameters = agentParameters(node, apiUrl);
    const address = agentImageOf(node);
    if (boot === undefined || parameters === undefined || address === undefined) return undefined;
    // Also for a medium that is ready: its image is read from where this finds it.
    const base = await cache.open(boot.image, address, deadline);
    if (base === undefined) return undefined;
    const cached = ready.get(boot.id);
    return cached ?? ready.keep({ id: boot.id, image: await bootOverlay(base, parameters) });
  };

  return {
    fetch: (image, deadline) => cache.fetch(image, deadline),
    publish: async (node, deadline) => {
      checkedAgentImage(node);
      const path = bootMediumPath(node);
      if (path === undefined || (await made(node, deadline)) === undefined)
        throw new DriverFailure(
          'settings',
          'the image of driver_info.deploy_iso was changed while it was read',
        );
      return `${mediaUrl()}${path}`;
    },
    find: async ({ uuid, key }) => {
      const node = await unlessRefused(() => nodeOf(uuid));
      return node !== undefined && isBootKey(node, key)
        ? made(node, deadlineIn(ANEW_MS))
        : undefined;
    },
  };
}
