import { DRIVER_INTERFACE_SINCE, DRIVER_MEMBER_SINCE, timestampOf } from '@tenure/contracts';
import { type Conductor, isLive } from '../../domain/conductors.js';
import { type Driver } from '../../domain/drivers.js';
import { type SinceOf } from '../query-members.js';
import { linksOf } from './links.js';

type View = Readonly<Record<string, unknown>>;

export const CONDUCTOR_BRIEF: readonly string[] = ['hostname', 'conductor_group', 'links', 'alive'];
/** Every member, in the order of the response. */
export const CONDUCTOR_WHOLE: readonly string[] = [
  'created_at',
  'updated_at',
  'hostname',
  'conductor_group',
  'drivers',
  'links',
  'alive',
];

export const DRIVER_BRIEF: readonly string[] = ['name', 'hosts', 'links', 'properties', 'type'];
export const DRIVER_WHOLE: readonly string[] = Object.keys(DRIVER_MEMBER_SINCE);

export function conductorView(
  conductor: Conductor,
  fields: readonly string[],
  { base, now }: { readonly base: string; readonly now: Date },
): View {
  const seen = timestampOf(new Date(conductor.seen_at));
  const whole: View = {
    created_at: conductor.created_at ?? seen,
    updated_at: seen,
    hostname: conductor.hostname,
    conductor_group: conductor.conductor_group,
    drivers: conductor.drivers,
    links: linksOf(base, `conductors/${conductor.hostname}`),
    alive: isLive(conductor, now),
  };
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => name === 'links' || fields.includes(name)),
  );
}

export const driverSince: SinceOf = (member) =>
  Object.hasOwn(DRIVER_MEMBER_SINCE, member) ? DRIVER_MEMBER_SINCE[member] : undefined;

/** @param minor the negotiated microversion: what is newer is left out */
export function driverView(
  { name, hosts, choice }: Driver,
  fields: readonly string[],
  { base, minor }: { readonly base: string; readonly minor: number },
): View {
  const whole: View = {
    name,
    hosts,
    links: linksOf(base, `drivers/${name}`),
    properties: linksOf(base, `drivers/${name}/properties`),
    type: 'dynamic',
    ...Object.fromEntries(
      Object.keys(DRIVER_INTERFACE_SINCE).flatMap((type): (readonly [string, unknown])[] => {
        const { default: chosen, enabled } = choice(type);
        return [
          [`default_${type}_interface`, chosen],
          [`enabled_${type}_interfaces`, enabled],
        ];
      }),
    ),
  };
  return Object.fromEntries(
    Object.entries(whole).filter(
      ([member]) =>
        (driverSince(member) ?? Infinity) <= minor &&
        (member === 'links' || fields.includes(member)),
    ),
  );
}
