import { api, NotAcceptableError, pointerTo } from '@tenure/contracts';
import {
  type BodyKind,
  type BodyMeaning,
  bodyOf,
  DOCUMENT_BYTES,
  MEDIUM_BYTES,
  SMALL_BYTES,
} from './body-kind.js';

/** The verbs on nodes and drivers. */
export const VERB_BODIES = {
  power: bodyOf({ what: 'power state', limit: SMALL_BYTES, schema: api.VERB.power }),
  provision: bodyOf({
    what: 'provision state',
    limit: DOCUMENT_BYTES,
    schema: api.VERB.provision,
    meaning: provisionMeaning,
  }),
  raid: bodyOf({ what: 'target RAID configuration', limit: MEDIUM_BYTES, schema: api.VERB.raid }),
  console: bodyOf({ what: 'console state', limit: SMALL_BYTES, schema: api.VERB.console }),
  bootMode: bodyOf({ what: 'boot mode', limit: SMALL_BYTES, schema: api.VERB.bootMode }),
  secureBoot: bodyOf({
    what: 'secure boot state',
    limit: SMALL_BYTES,
    schema: api.VERB.secureBoot,
  }),
  // The reason is optional, and so is the body with it.
  maintenance: bodyOf({
    what: 'maintenance',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: api.VERB.maintenance,
  }),
  bootDevice: bodyOf({ what: 'boot device', limit: SMALL_BYTES, schema: api.VERB.bootDevice }),
  indicator: bodyOf({ what: 'indicator', limit: SMALL_BYTES, schema: api.VERB.indicator }),
  nothing: bodyOf({
    what: 'body',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: api.VERB.nothing,
  }),
  introspection: bodyOf({
    what: 'introspection',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: api.VERB.introspection,
  }),
  traits: bodyOf({ what: 'traits', limit: SMALL_BYTES, schema: api.VERB.traits }),
  vif: bodyOf({ what: 'VIF', limit: SMALL_BYTES, schema: api.VERB.vif }),
  virtualMedia: bodyOf({
    what: 'virtual media',
    limit: SMALL_BYTES,
    schema: api.VERB.virtualMedia,
  }),
  virtualDrives: bodyOf({
    what: 'virtual media',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: api.VERB.virtualDrives,
  }),
  vendor: bodyOf({
    what: 'vendor method',
    limit: MEDIUM_BYTES,
    isOptional: true,
    schema: api.VERB.vendor,
  }),
} as const satisfies Record<string, BodyKind>;

/** Each member of the body is a field in the question, so that the policy can restrict steps. Runbooks are not served. */
function provisionMeaning(body: Readonly<Record<string, unknown>>): BodyMeaning {
  if (Object.hasOwn(body, 'runbook')) throw new NotAcceptableError();
  return { fields: Object.keys(body).map(pointerTo) };
}
