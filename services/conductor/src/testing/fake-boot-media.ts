import { bootSecretOf } from '../domain/agent.js';
import { bootMediumPath } from '../domain/boot-key.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { type BootMedia } from '../ports/boot-media.js';

const NO_IMAGE = '0'.repeat(64);

/** Boot media that no machine reads: what would be in them is noted. */
export class FakeBootMedia implements BootMedia {
  /** Addresses of the images that were fetched. */
  readonly fetched: string[] = [];
  /** The secret in each medium, by its address, in the order in which they were made: media outlive a conductor. */
  readonly secrets = new Map<string, string>();
  /** Called before an image is fetched. */
  beforeFetch: () => void = () => undefined;

  /** The secret in the medium that was made last for a node. */
  secretOf(uuid: string): string | undefined {
    return [...this.secrets].findLast(([address]) => address.includes(uuid))?.[1];
  }

  readonly fetch: BootMedia['fetch'] = async (image) => {
    await Promise.resolve();
    this.beforeFetch();
    this.fetched.push(image);
    return NO_IMAGE;
  };

  readonly publish: BootMedia['publish'] = async (node) => {
    await Promise.resolve();
    const path = bootMediumPath(node);
    const secret = bootSecretOf(node);
    if (path === undefined || secret === undefined)
      throw new DriverFailure('settings', 'no boot was recorded');
    const address = `http://media.example${path}`;
    this.secrets.set(address, secret);
    return address;
  };
}
