import { createHmac, timingSafeEqual } from 'node:crypto';
import { type NodeRecord } from '@tenure/contracts';
import { bootSecretOf } from './agent.js';
import { expectsAgent } from './provision/states.js';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const KEY = '[A-Za-z0-9_-]{43}';
const PATH = new RegExp(`^/media/(?<uuid>${UUID})/(?<key>${KEY})\\.iso$`, 'u');
const KEY_IN_TEXT = new RegExp(`(/media/${UUID}/)${KEY}(\\.iso)`, 'giu');

/** Names the medium of one boot; anyone who has the key may read it. */
export interface BootMedium {
  readonly uuid: string;
  readonly key: string;
}

/** The path of the medium of the node's boot; undefined when no boot of it counts. */
export function bootMediumPath(node: NodeRecord): string | undefined {
  const secret = bootSecretOf(node);
  return secret === undefined
    ? undefined
    : `/media/${node.uuid}/${bootKeyOf(node.uuid, secret)}.iso`;
}

/** The medium that a path names; undefined for any other path. */
export function bootMediumIn(path: string): BootMedium | undefined {
  const { uuid, key } = PATH.exec(path)?.groups ?? {};
  return uuid === undefined || key === undefined ? undefined : { uuid, key };
}

/** Whether the key is that of the boot that the node's work started, and goes on with; in constant time. */
export function isBootKey(node: NodeRecord, key: string): boolean {
  const secret = bootSecretOf(node);
  const own = Buffer.from(bootKeyOf(node.uuid, secret ?? ''));
  const given = Buffer.from(key);
  const isEqual = own.length === given.length && timingSafeEqual(own, given);
  return isEqual && secret !== undefined && expectsAgent(node.provision_state);
}

/** The text with the keys of boot media masked, safe to return and to log. */
export const withoutBootKeys = (text: string): string => text.replace(KEY_IN_TEXT, '$1******$2');

/** The key of a boot's medium. It follows from the boot's secret, which does not follow from it. */
const bootKeyOf = (uuid: string, secret: string): string =>
  createHmac('sha256', secret).update(`media:${uuid}`).digest('base64url');
