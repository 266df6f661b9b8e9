import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';

/** The media from which agents are booted: an image that many boots have in common, with the secret of one of them in it. */
export interface BootMedia {
  /**
   * Brings the image that the boots have in common here, unless it is here already, as its server has it now.
   * @param image http or https address
   * @returns SHA-256 of the image, hexadecimal: what is served is this image, whatever its server has by then
   * @throws DriverFailure with what is wrong with the image or its server
   */
  readonly fetch: (image: string, deadline: Deadline) => Promise<string>;
  /**
   * Makes the medium of a node's boot available while the boot is valid.
   * @param node with the boot and its secret in the record
   * @returns the URL for the machine; anyone who has the URL can read the secret
   * @throws DriverFailure when there is no boot, or the secret does not go into the image
   */
  readonly publish: (node: NodeRecord, deadline: Deadline) => Promise<string>;
}
